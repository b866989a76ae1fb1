import copy
import pickle

import pytest

from tvm import error
from tvm.error import ArchiveError, CompileError, ExitCode, LockTimeoutError, ToolNotFound, ToolTimeoutError, TVMError


def every_class(root: type[TVMError] = TVMError) -> list[type[TVMError]]:
    return [root, *(found for child in root.__subclasses__() for found in every_class(child))]


OURS = sorted({cls for cls in every_class() if cls.__module__ == "tvm.error"}, key=lambda cls: cls.__name__)


class TestMessage:
    def test_the_cause_alone(self) -> None:
        assert str(TVMError("it broke")) == "it broke"

    def test_cause_places_and_fix(self) -> None:
        assert (
            str(TVMError("no clang", looked=["/a", "/b"], fix="install it"))
            == "no clang\nlooked in:\n  /a\n  /b\nfix: install it"
        )

    def test_the_parts_can_be_read(self) -> None:
        caught = TVMError("no clang", looked=["/a"], fix="install it")
        assert (caught.cause, caught.looked, caught.fix) == ("no clang", ("/a",), "install it")

    def test_a_compile_error_shows_all_there_is(self) -> None:
        caught = CompileError("Compilation error", command=["cc", "a b"], code=2, output="a.c:1: no", fix="mend it")
        assert str(caught) == "Compilation error:\na.c:1: no\nCommand line: cc a b\nexit code: 2\nfix: mend it"
        assert (caught.command, caught.code, caught.output) == (("cc", "a b"), 2, "a.c:1: no")


class TestTree:
    @pytest.mark.parametrize("cls", OURS)
    def test_every_error_is_a_runtime_error_with_an_exit_code(self, cls: type[TVMError]) -> None:
        assert issubclass(cls, RuntimeError)
        assert cls.exit_code in set(ExitCode) - {ExitCode.OK}

    def test_time_limits_are_timeouts(self) -> None:
        assert issubclass(ToolTimeoutError, TimeoutError)
        assert issubclass(ToolTimeoutError, CompileError)
        assert issubclass(LockTimeoutError, TimeoutError)

    def test_the_classes_are_found(self) -> None:
        assert {ArchiveError, ToolNotFound} <= set(OURS)

    def test_the_codes_of_ended_runs_are_the_shells(self) -> None:
        assert (ExitCode.HANGUP, ExitCode.INTERRUPTED, ExitCode.TERMINATED) == (128 + 1, 128 + 2, 128 + 15)

    def test_no_two_meanings_share_a_code(self) -> None:
        assert len({code.value for code in ExitCode}) == len(ExitCode.__members__)


SAMPLES = [
    TVMError("cause", fix="fix", looked=["/a"]),
    ToolNotFound("cause", looked=["/a"]),
    CompileError("heading", command=["cc"], code=1, output="out", fix="fix"),
    ToolTimeoutError("heading", command=["cc"], code=-9, output="out"),
    LockTimeoutError("cause", fix="fix"),
]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample).__name__)
class TestCopies:
    def test_pickle(self, sample: TVMError) -> None:
        same(pickle.loads(pickle.dumps(sample)), sample)  # noqa: S301 - made here

    def test_copy(self, sample: TVMError) -> None:
        same(copy.copy(sample), sample)


def same(found: TVMError, expected: TVMError) -> None:
    assert type(found) is type(expected)
    assert str(found) == str(expected)
    assert vars(found) == vars(expected)


def test_the_module_needs_nothing_of_ours() -> None:
    assert not [
        name
        for name in vars(error).values()
        if getattr(name, "__module__", "").startswith("tvm.") and name.__module__ != "tvm.error"
    ]
