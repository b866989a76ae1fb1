from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import ExitCode, ToolNotFound
from tvm.matrix.engine import pythons


@pytest.fixture
def running(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the Python that seems to run us, which is Debian 12's."""
    path = Path(stand_in("running", output="Python 3.11.2\n").path)
    # Its module alone: stand-ins are run by the true one.
    monkeypatch.setattr(pythons, "sys", SimpleNamespace(executable=str(path)))
    return path


def test_the_python_that_runs_us_serves(running: Path) -> None:
    assert pythons.find("==3.13.*") == str(running)


def test_one_that_is_what_the_image_has_goes_first(running: Path, stand_in: MakeStandIn) -> None:
    stand_in("python3.12", output="Python 3.12.1\n")
    wanted = stand_in("python3.13", output="Python 3.13.5\n")
    assert running.exists()
    assert pythons.find("==3.13.*") == wanted.path


@pytest.mark.usefixtures("running")
def test_the_wheels_are_for_no_older_python(stand_in: MakeStandIn) -> None:
    stand_in("running", output="Python 3.10.13\n")
    newer = stand_in("python3.12", output="Python 3.12.1\n")
    assert pythons.find("==3.13.*") == newer.path


@pytest.mark.usefixtures("running")
def test_one_that_does_not_start_is_passed_over(stand_in: MakeStandIn, bin_folder: Path) -> None:
    stand_in("running", output="pyenv: python3.13: command not found\n", code=127)
    broken = bin_folder / "python3"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    serves = stand_in("python3.11", output="Python 3.11.2\n")
    assert pythons.find("") == serves.path


@pytest.mark.usefixtures("running")
def test_without_one_the_error_says_what_to_install(stand_in: MakeStandIn, bin_folder: Path) -> None:
    stand_in("running", output="Python 3.10.13\n")
    with pytest.raises(ToolNotFound, match=r"locked for Python >=3\.11") as caught:
        pythons.find("==3.13.*")
    assert "python3.11" in caught.value.fix
    assert caught.value.looked == (str(bin_folder),)
    assert caught.value.exit_code is ExitCode.UNAVAILABLE
