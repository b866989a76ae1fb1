from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import tvm_ffi

from tvm.error import ConfigError
from tvm.support._cuda import settings
from tvm.support._cuda.errors import CudaArgumentError

_CONTEXT = "transform.GetCurrentPassContext"


@pytest.fixture
def context() -> Iterator[dict[str, object]]:
    """Return the options of the pass context in force."""
    config: dict[str, object] = {}
    tvm_ffi.register_global_func(_CONTEXT, lambda: SimpleNamespace(config=config), override=True)
    yield config
    tvm_ffi.remove_global_func(_CONTEXT)


def test_without_variables_everything_has_its_default() -> None:
    read = settings.read()

    assert (read.dump, read.debug, read.register_level) == (None, False, 10)
    assert (read.ptxas, read.nvrtc, read.nvcc) == ((), (), ())


def test_variables_are_read_at_call_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TVM_KERNEL_DUMP", str(tmp_path / "d"))
    monkeypatch.setenv("TVM_KERNEL_DEBUG", "1")
    monkeypatch.setenv("TVM_CUDA_PTXAS_REG_LEVEL", "5")
    monkeypatch.setenv("TVM_CUDA_PTXAS_EXTRA_OPTS", "--warn-on-spills '-x y'")
    monkeypatch.setenv("TVM_CUDA_NVRTC_EXTRA_OPTS", "-a -b")
    monkeypatch.setenv("TVM_CUDA_NVCC_EXTRA_OPTS", "-c")

    read = settings.read()

    assert (read.dump, read.debug, read.register_level) == (tmp_path / "d", True, 5)
    assert (read.ptxas, read.nvrtc, read.nvcc) == (("--warn-on-spills", "-x y"), ("-a", "-b"), ("-c",))


@pytest.mark.parametrize("value", ["", "0", " "])
def test_a_switch_that_is_empty_or_0_is_off(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_KERNEL_DEBUG", value)

    assert not settings.read().debug


def test_an_empty_dump_folder_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_KERNEL_DUMP", "")

    assert settings.read().dump is None


def test_the_pass_option_wins_over_the_variable(
    context: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    context["cuda.kernels_output_dir"] = str(tmp_path / "pass")
    monkeypatch.setenv("TVM_KERNEL_DUMP", str(tmp_path / "variable"))

    assert settings.read().dump == tmp_path / "pass"


@pytest.mark.parametrize("value", ["11", "-1", "high", "1.5"])
def test_a_wrong_register_level_is_an_error(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_CUDA_PTXAS_REG_LEVEL", value)

    with pytest.raises(ConfigError, match="TVM_CUDA_PTXAS_REG_LEVEL"):
        settings.read()


def test_an_open_quote_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_CUDA_NVRTC_EXTRA_OPTS", "-D'x")

    with pytest.raises(ConfigError, match="TVM_CUDA_NVRTC_EXTRA_OPTS"):
        settings.read()


@pytest.mark.parametrize(
    ("given", "variable", "default", "expected"),
    [
        (None, None, True, True),
        (None, None, False, False),
        (None, "1", True, False),
        (None, "no", True, False),
        (None, "0", True, True),
        (None, "", True, True),
        (True, "1", False, True),
        (False, None, True, False),
    ],
)
def test_fast_math(
    given: bool | None,  # noqa: FBT001 - a row of a table
    variable: str | None,
    default: bool,  # noqa: FBT001
    expected: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A keyword wins, then the variable turns it off, then comes the default."""
    if variable is not None:
        monkeypatch.setenv("TVM_CUDA_NVCC_NO_FAST_MATH", variable)

    assert settings.fast_math(given, default=default) is expected


@pytest.mark.parametrize(
    ("value", "expected"), [(None, "nvrtc"), ("", "nvrtc"), ("NVCC", "nvcc"), (" nvrtc ", "nvrtc")]
)
def test_compile_mode(value: str | None, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is not None:
        monkeypatch.setenv("TVM_CUDA_COMPILE_MODE", value)

    assert settings.compile_mode() == expected


def test_another_compile_mode_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_CUDA_COMPILE_MODE", "clang")

    with pytest.raises(CudaArgumentError, match="TVM_CUDA_COMPILE_MODE is 'clang'"):
        settings.compile_mode()


def test_without_a_pass_context_no_option_is_set() -> None:
    assert settings.pass_option("tirx.enable_fast_math") is None


def test_pass_options_are_read(context: dict[str, object]) -> None:
    context["tirx.enable_fast_math"] = True

    assert settings.pass_option("tirx.enable_fast_math") is True
    assert settings.pass_option("other") is None
