import pytest

from tvm import tirx
from tvm.backend import _names
from tvm.error import BackendNameError


@pytest.mark.parametrize("name", ["cuda", "my_chip", "x2"])
def test_what_can_be_a_name(name: str) -> None:
    _names.check(name)


@pytest.mark.parametrize("name", ["", "a-b", "a.b", "../x", "ﬁ", "class", "_private", "2x", "a\n"])
def test_what_cannot(name: str) -> None:
    with pytest.raises(BackendNameError) as caught:
        _names.check(name)
    assert isinstance(caught.value, ValueError)
    assert repr(name) in str(caught.value)


def test_an_attribute_of_the_kernel_language_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tirx, "shape", 1, raising=False)
    with pytest.raises(BackendNameError, match=r"would hide tvm\.tirx\.shape"):
        _names.check_free("shape")


@pytest.mark.parametrize("name", ["load", "is_loaded", "package"])
def test_what_the_package_has_of_its_own_is_not_hidden(name: str) -> None:
    with pytest.raises(BackendNameError, match=rf"would hide tvm\.backend\.{name}"):
        _names.check_free(name)


def test_a_free_name() -> None:
    _names.check_free("nobody_has_this")
