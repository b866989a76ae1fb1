import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stand_in import MakeStandIn
from tvm.support import process, record
from tvm.support.record import FileDigest, ToolCall, ToolIdentity, allowed_environment, recording, strip_credentials

CALL = ToolCall(
    kind="process",
    argv=("/bin/cc", "a b", os.fsdecode(b"\xff")),
    tool=ToolIdentity(path="/bin/cc", version="cc 1", sha256="00"),
    cwd="/src",
    seconds=0.5,
    exit=0,
    outputs=(FileDigest(path="o", sha256="11"),),
)


class TestRecording:
    def test_no_recorder_by_default(self) -> None:
        assert record.current() is None

    def test_the_inner_one_hides_no_call_from_the_outer_one(self) -> None:
        outer: list[ToolCall] = []
        inner: list[ToolCall] = []
        with recording(outer.append):
            with recording(inner.append):
                give(CALL)
            give(CALL)
        assert (inner, outer) == ([CALL], [CALL, CALL])
        assert record.current() is None

    def test_it_ends_with_an_error(self) -> None:
        with pytest.raises(KeyError), recording(print):
            raise KeyError
        assert record.current() is None


def give(call: ToolCall) -> None:
    recorder = record.current()
    assert recorder is not None
    recorder(call)


class TestFile:
    @pytest.fixture
    def log(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("TVM_MATRIX_RECORD", str(tmp_path / "calls.jsonl"))
        return tmp_path / "calls.jsonl"

    def test_each_call_is_a_line(self, log: Path) -> None:
        give(CALL)
        give(CALL)
        first, second = map(json.loads, log.read_text().splitlines())
        assert first == second
        assert first["argv"] == list(CALL.argv)
        assert first["outputs"] == [{"path": "o", "sha256": "11"}]

    def test_keys_are_sorted(self, log: Path) -> None:
        give(CALL)
        keys = list(json.loads(log.read_text()))
        assert keys == sorted(keys)

    def test_a_recorder_hides_no_call_from_the_file(self, log: Path) -> None:
        calls: list[ToolCall] = []
        with recording(calls.append):
            give(CALL)
        assert calls == [CALL]
        assert len(log.read_text().splitlines()) == 1

    def test_a_run_writes_it(self, log: Path, stand_in: MakeStandIn) -> None:
        stand_in("tool")
        process.run(["tool", os.fsdecode(b"\xff")])
        assert json.loads(log.read_text())["argv"][1] == os.fsdecode(b"\xff")

    def test_lines_of_concurrent_writers_do_not_mix(self, log: Path) -> None:
        code = """
import dataclasses, sys
from tests.unit.support.test_record import CALL
from tvm.support import record
call = dataclasses.replace(CALL, argv=(sys.argv[1] * 20_000,))
for _ in range(50):
    record.current()(call)
"""
        env = {"PYTHONPATH": str(Path(record.__file__).parents[2]), "TVM_MATRIX_RECORD": str(log)}
        writers = [subprocess.Popen([sys.executable, "-c", code, letter], env=env) for letter in "abc"]
        assert [writer.wait(60) for writer in writers] == [0, 0, 0]
        arguments = sorted(json.loads(line)["argv"][0] for line in log.read_text().splitlines())
        assert arguments == sorted(["a" * 20_000, "b" * 20_000, "c" * 20_000] * 50)


class TestDigests:
    def test_a_file(self, tmp_path: Path) -> None:
        content = os.urandom((1 << 20) + 7)
        (tmp_path / "a").write_bytes(content)
        assert record.digest(tmp_path / "a") == sha256(content).hexdigest()

    def test_paths_stay_as_given_and_what_is_no_file_is_left_out(self, tmp_path: Path) -> None:
        (tmp_path / "a").touch()
        (tmp_path / "folder").mkdir()
        found = record.digests(["a", tmp_path / "a", "none", "folder"], cwd=tmp_path)
        assert [file.path for file in found] == ["a", str(tmp_path / "a")]
        assert {file.sha256 for file in found} == {sha256(b"").hexdigest()}


class TestEnvironment:
    def test_only_listed_names_sorted(self) -> None:
        given = {
            "TZ": "UTC",
            "CC": "gcc",
            "SECRET": "x",
            "XCC": "x",
            "CCX": "x",
            "LC_ALL": "C",
            "TVM_CUDA_ARCH": "sm_80",
            "TVM_TOKEN": "x",
        }
        assert list(allowed_environment(given)) == ["CC", "LC_ALL", "TVM_CUDA_ARCH", "TZ"]

    def test_credentials_are_cut_out(self) -> None:
        assert allowed_environment({"CC": "ccache https://me:pw@cache/x"}) == {"CC": "ccache https://cache/x"}

    @given(st.dictionaries(st.text(), st.text()))
    def test_no_other_name_passes(self, environment: dict[str, str]) -> None:
        assert set(allowed_environment(environment)) <= {
            name for name in environment if name.isupper() and name.isascii()
        }


class TestCredentials:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("https://user:pw@host/path", "https://host/path"),
            ("https://token@host", "https://host"),
            ("https://user:p@ss@host/x", "https://host/x"),
            ("git+ssh://a:b@h1 http://c:d@h2", "git+ssh://h1 http://h2"),
            ("https://host/a@b", "https://host/a@b"),
            ("https://host?mail=a@b", "https://host?mail=a@b"),
            ("no url: a@b", "no url: a@b"),
            # What an error advises to write.
            ("ssh://USER@HOST", "ssh://USER@HOST"),
        ],
    )
    def test_user_and_password_go_and_nothing_else(self, text: str, expected: str) -> None:
        assert strip_credentials(text) == expected

    @given(st.text(st.characters(exclude_characters="/?#", exclude_categories=["Z", "C"])))
    def test_whatever_the_password(self, password: str) -> None:
        assert strip_credentials(f"https://user:{password}@host/") == "https://host/"


def test_an_unrecorded_block_reaches_no_recorder(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = stand_in("tool")
    monkeypatch.setenv("TVM_MATRIX_RECORD", str(tmp_path / "calls.jsonl"))
    seen: list[record.ToolCall] = []

    with record.recording(seen.append), record.unrecorded():
        assert record.current() is None
        process.run([tool.path])

    assert seen == []
    assert tool.calls == [[]]
    assert not (tmp_path / "calls.jsonl").exists()
