import json

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.support.__main__ import main


def test_a_tool_that_is_here_is_one_line(stand_in: MakeStandIn, capsys: pytest.CaptureFixture[str]) -> None:
    path = stand_in("emcc", output="emcc 3.1.69\n", makes=False).path
    assert main([]) == 0
    assert f"emcc              {path}  emcc 3.1.69" in capsys.readouterr().out.splitlines()


def test_a_missing_one_says_why_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("emcc              missing: program not found: 'emcc'")
    assert lines[at + 1].strip() == "fix: install emscripten (Debian: emscripten), and put emcc on PATH"


def test_json_holds_the_same(stand_in: MakeStandIn, capsys: pytest.CaptureFixture[str]) -> None:
    path = stand_in("emcc", output="emcc 3.1.69\n", makes=False).path
    assert main(["--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["emcc"]["found"] == {"path": str(path), "version": "emcc 3.1.69"}
    assert rows["xcrun"]["found"] is None
