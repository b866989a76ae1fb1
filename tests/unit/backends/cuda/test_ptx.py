import copy

import pytest

from tvm.backend.cuda.ptx import FAMILIES, Family
from tvm.script import tirx as tx


def test_every_family_is_an_attribute() -> None:
    assert len(FAMILIES) == len(dir(tx.ptx))
    assert all(getattr(tx.ptx, name) == family for name, family in FAMILIES.items())


def test_a_family_is_found_by_its_mnemonic() -> None:
    assert tx.ptx["multimem.red.async"] is tx.ptx.multimem_red_async
    assert tx.ptx.multimem_red_async == Family("multimem.red.async")
    with pytest.raises(KeyError, match=r"has no member 'multimem.redd'; did you mean multimem.red"):
        tx.ptx["multimem.redd"]


@pytest.mark.parametrize("name", ["and_", "or_", "not_"])
def test_a_keyword_has_an_underscore(name: str) -> None:
    assert getattr(tx.ptx, name).mnemonic == name.rstrip("_")


@pytest.mark.parametrize("name", ["SINK", "pred", "addr"])
def test_what_forms_take_is_said_to_come_later(name: str) -> None:
    with pytest.raises(AttributeError, match="forms of PTX instructions are not part of this version"):
        getattr(tx.ptx, name)


def test_a_form_is_said_to_come_later() -> None:
    with pytest.raises(
        AttributeError,
        match=r"Tx\.ptx\.ld has no 'global_': the forms of PTX instructions are not part of this version",
    ):
        tx.ptx.ld.global_  # noqa: B018 - the access is what fails


def test_an_unknown_family_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(AttributeError, match=r"Tx\.ptx has no member 'tcgen5'; did you mean tcgen05\?"):
        tx.ptx.tcgen5  # noqa: B018 - the access is what fails


def test_a_family_can_be_copied() -> None:
    assert copy.deepcopy(tx.ptx.ld) == tx.ptx.ld
