import sys
from functools import partial
from types import ModuleType

import pytest

from tests.unit.registries import failing
from tvm import _journal


def test_steps_are_undone_the_newest_first() -> None:
    done: list[int] = []
    with failing():
        for number in range(3):
            _journal.record(partial(done.append, number))
    assert done == [2, 1, 0]


def test_a_block_that_ends_well_undoes_nothing() -> None:
    done: list[int] = []
    with _journal.transaction():
        _journal.record(lambda: done.append(1))
    assert done == []


def test_outside_a_block_nothing_is_kept() -> None:
    _journal.record(lambda: pytest.fail("undone"))
    with failing():
        _journal.record(lambda: None)


def test_an_inner_block_is_a_part_of_the_outer_one() -> None:
    done: list[str] = []
    with failing():
        _journal.record(lambda: done.append("outer"))
        with _journal.transaction():
            _journal.record(lambda: done.append("inner"))
    assert done == ["inner", "outer"]


def test_an_inner_block_that_fails_is_undone_alone() -> None:
    done: list[str] = []
    with _journal.transaction():
        _journal.record(lambda: done.append("outer"))
        with failing():
            _journal.record(lambda: done.append("inner"))
    assert done == ["inner"]


def test_undoing_records_nothing() -> None:
    with failing():
        _journal.record(lambda: _journal.record(lambda: pytest.fail("undone twice")))


def test_a_module_is_forgotten_with_its_name_in_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    package, module = ModuleType("p_of_test"), ModuleType("p_of_test.m")
    monkeypatch.setitem(sys.modules, "p_of_test", package)
    monkeypatch.setitem(sys.modules, "p_of_test.m", module)
    package.m = module  # type: ignore[attr-defined] # what an import does
    _journal.forget_module("p_of_test.m")
    assert ("p_of_test.m" in sys.modules, hasattr(package, "m")) == (False, False)
    _journal.forget_module("p_of_test.m")
