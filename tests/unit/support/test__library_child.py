import pickle
from pathlib import Path

import pytest

from tests.unit.support import library_jobs as jobs
from tvm.error import ToolNotFound
from tvm.support import _library_child, library


def _main(folder: Path, function: object, job: object) -> object:
    (folder / "job").write_bytes(pickle.dumps((function, job)))
    _library_child.main(str(folder / "job"), str(folder / "answer"))
    return pickle.loads((folder / "answer").read_bytes())  # noqa: S301 - written above


def test_the_answer_is_the_outcome_and_its_seconds(tmp_path: Path) -> None:
    answer = _main(tmp_path, jobs.fail, "no")

    assert isinstance(answer, library.Timed)
    assert (answer.outcome.code, answer.outcome.log) == (6, "no")
    assert not (tmp_path / "answer.new").exists()


def test_an_error_of_ours_is_an_answer(tmp_path: Path) -> None:
    answer = _main(tmp_path, jobs.miss, "libx")

    assert isinstance(answer, ToolNotFound)
    assert answer.fix == "install it"


def test_any_other_error_is_left_to_the_interpreter(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        _main(tmp_path, jobs.hang, "no number")

    assert not (tmp_path / "answer").exists()
