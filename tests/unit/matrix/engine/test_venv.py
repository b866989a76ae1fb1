import threading
from pathlib import Path

import pytest

from tests.unit.matrix.engine.local_world import LOCK, Machine, make_machine
from tests.unit.stand_in import MakeStandIn
from tvm.error import ConfigError, ImageError, StorageError
from tvm.matrix import tools
from tvm.matrix.engine import context, venv
from tvm.matrix.engine.venv import locks, make


@pytest.fixture
def machine(tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(context, "_CA_FILES", ())
    return make_machine(tmp_path, stand_in, monkeypatch)


def quiet(_text: str) -> None:
    """Take a step of the progress."""


def own_lock(machine: Machine, text: str = LOCK, folder: str = "") -> Path:
    path = machine.project.image_folder("host") / folder / "requirements.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_an_image_without_a_lock_stands_on_that_of_the_base(machine: Machine) -> None:
    assert locks(machine.project, "host") == {"": machine.project.image_folder("base") / "requirements.txt"}


def test_an_images_own_lock_goes_first(machine: Machine) -> None:
    own = own_lock(machine)
    assert locks(machine.project, "host") == {"": own}


def test_a_tools_lock_beside_the_images_own_is_one_more(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "lock_folder", lambda tool: "apart" if tool == "tar" else "")
    apart = own_lock(machine, folder="apart")
    assert locks(machine.project, "host")["apart"] == apart


def test_without_any_lock_there_is_nothing_to_install(machine: Machine) -> None:
    (machine.project.image_folder("base") / "requirements.txt").unlink()
    with pytest.raises(ConfigError, match=r"no requirements\.txt") as caught:
        locks(machine.project, "host")
    assert len(caught.value.looked) == 2


def test_wheels_are_installed_by_hash_and_none_is_built(machine: Machine) -> None:
    made = make(machine.project, "host", quiet)
    (ready,) = machine.made[:1]
    assert ready == ["-m", "venv", str(made.folder)]
    (installed,) = machine.made[1:]
    assert installed[:3] == ["-m", "pip", "install"]
    assert installed[-5:] == [
        "--require-hashes",
        "--only-binary",
        ":all:",
        "-r",
        str(machine.project.image_folder("base") / "requirements.txt"),
    ]


def test_it_lies_in_the_users_cache_under_a_name_of_what_it_was_made_from(machine: Machine) -> None:
    made = make(machine.project, "host", quiet)
    assert made.folder == Path.home() / "cache" / "tvm-matrix" / "venvs" / f"host-{made.sha256[:16]}"
    assert made.wheels() == {"numpy": "2.4"}


def test_it_is_made_once(machine: Machine) -> None:
    assert make(machine.project, "host", quiet) == make(machine.project, "host", quiet)
    assert len(machine.made) == 2


def test_two_runs_at_once_make_it_once(machine: Machine) -> None:
    threads = [threading.Thread(target=make, args=(machine.project, "host", quiet)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(machine.made) == 2


def test_another_lock_is_another_venv(machine: Machine) -> None:
    first = make(machine.project, "host", quiet)
    own_lock(machine, "numpy==2.5 --hash=sha256:1\n")
    assert make(machine.project, "host", quiet).folder != first.folder


def test_what_a_killed_run_left_is_made_anew(machine: Machine) -> None:
    first = make(machine.project, "host", quiet)
    (first.folder / "tvm-matrix.json").unlink()
    (first.folder / "half").touch()
    again = make(machine.project, "host", quiet)
    assert again == first
    assert not (again.folder / "half").exists()
    assert len(machine.made) == 4


def test_a_tools_own_wheels_lie_apart(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "lock_folder", lambda tool: "apart" if tool == "tar" else "")
    own_lock(machine, folder="apart")
    made = make(machine.project, "host", quiet)
    target = machine.made[2][machine.made[2].index("--target") + 1]
    assert target == str(made.folder / "apart" / "apart")
    assert made.wheels() == {"disassembler": "2.4", "numpy": "2.4"}
    assert made.wheel_programs() == [
        f"{target}/nvidia/cu13/bin",
        str(made.folder / "lib/python3.11/site-packages/nvidia/cu13/bin"),
    ]


def test_what_would_send_the_wheels_elsewhere_is_not_passed_on(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PIP_TARGET", "PIP_USER", "PYTHONPATH"):
        monkeypatch.setenv(name, "elsewhere")
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/simple")
    make(machine.project, "host", quiet)
    told = machine.python.environments[-1]
    assert told["PIP_INDEX_URL"] == "https://index.example/simple"
    assert not {"PIP_TARGET", "PIP_USER", "PYTHONPATH"} & told.keys()


def test_pip_trusts_what_this_machine_trusts(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ca.pem").touch()
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    make(machine.project, "host", quiet)
    assert machine.python.environments[-1]["PIP_CERT"] == str(tmp_path / "ca.pem")


def test_a_failed_download_shows_pips_last_words_and_leaves_no_venv(machine: Machine) -> None:
    path = Path(machine.python.path)
    path.write_text(
        path.read_text().replace("    site = ", "    sys.exit('ERROR: hashes do not match')\n    site = ", 1)
    )
    with pytest.raises(ImageError, match="hashes do not match") as caught:
        make(machine.project, "host", quiet)
    assert "index" in caught.value.fix
    assert list((Path.home() / "cache").rglob("tvm-matrix.json")) == []


def test_a_python_without_venv_says_what_to_install(machine: Machine) -> None:
    path = Path(machine.python.path)
    path.write_text(
        path.read_text().replace("    os.makedirs(args[2]", "    sys.exit('no ensurepip')\n    os.makedirs(args[2]")
    )
    with pytest.raises(ImageError, match="no ensurepip") as caught:
        make(machine.project, "host", quiet)
    assert "python3-venv" in caught.value.fix


def test_a_cache_that_cannot_be_written_is_a_storage_error(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(StorageError):
        make(machine.project, "host", quiet)


def test_the_steps_are_told(machine: Machine) -> None:
    told: list[str] = []
    make(machine.project, "host", told.append)
    assert told == [
        f"make a venv with {machine.python.path}",
        "install the wheels of base/requirements.txt by their hashes",
    ]
    assert venv.Venv(folder=Path("/v"), sha256="").programs == "/v/bin"
