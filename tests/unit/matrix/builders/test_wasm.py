from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tests.unit.support.wasm_home import make_home
from tvm.error import ConfigError
from tvm.matrix.builders import wasm
from tvm.matrix.builders.job import Job, build


def job(output: Path, *sources: str, options: tuple[str, ...] = ()) -> Job:
    return Job(arch="wasm32-node", output=output, sources=tuple(map(Path, sources)), options=options)


def test_a_module_exports_what_its_sources_define(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_home(tmp_path / "home", monkeypatch)
    emcc, emxx = stand_in("emcc"), stand_in("em++")
    stand_in("emnm", output="00000001 T softmax\n00000009 D table\n")
    build(job(tmp_path / "x.wasm", "a.c", "b.cpp", options=("-O1",)), wasm.toolchain("wasm32-node"))
    compiled, linked = emcc.calls
    assert (compiled[-1], "-c" in compiled, "-fPIC" in compiled) == ("a.c", True, False)
    assert [call[-1] for call in emxx.calls] == ["b.cpp"]
    assert [word for word in linked if "--export" in word] == ["-Wl,--export=softmax"]
    assert linked[-1] == "-O1"
    assert (tmp_path / "x.wasm").is_file()


def test_a_static_library_is_packed_by_emar(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("emcc")
    emar = stand_in("emar")
    build(job(tmp_path / "libx.a", "a.c"), wasm.toolchain("wasm32-wasmtime"))
    assert len(emar.calls) == 1
    assert (tmp_path / "libx.a").is_file()


@pytest.mark.parametrize("name", ["libx.so", "x", "x.js"])
def test_another_product_is_refused(name: str, stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("emcc")
    with pytest.raises(ConfigError, match=r"\.wasm, \.a or \.o"):
        build(job(tmp_path / name, "a.c"), wasm.toolchain("wasm32-node"))
    assert not (tmp_path / name).exists()


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"(?s)'x86_64'.*wasm32-node, wasm32-wasmtime"):
        wasm.toolchain("x86_64")
