"""A TVM_HOME with the three libraries, as far as their first bytes go."""

from pathlib import Path

import pytest

NAMES = ("wasm_runtime.bc", "tvmjs_support.bc", "webgpu_runtime.bc")
BITCODE = b"BC\xc0\xdewasm32-unknown-emscripten"


def make_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Fill a folder, name it in TVM_HOME, and return the paths of the libraries."""
    places = [folder / "web" / "dist" / "wasm" / name for name in NAMES]
    places[0].parent.mkdir(parents=True)
    for place in places:
        place.write_bytes(BITCODE)
    monkeypatch.setenv("TVM_HOME", str(folder))
    return [str(place) for place in places]
