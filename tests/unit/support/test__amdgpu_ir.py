from pathlib import Path

import pytest

from tests.unit.stand_in import StandIn
from tests.unit.support import rocm_home
from tests.unit.support.rocm_home import CODE_OBJECT, MAKES_CODE_OBJECT, program
from tvm.error import CompileError, ConfigError, ToolNotFound
from tvm.support import rocm

MODULE = 'target triple = "amdgcn-amd-amdhsa"\n'
# llvm-link: what it is given first, as text.
LINKS = """
name = args[args.index("-o") + 1]
first = next(word for word in args if not word.startswith("-"))
with open(first, encoding="utf-8") as source, open(name, "w", encoding="utf-8") as file:
    file.write(source.read())
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return ROCm's folder."""
    return rocm_home.lay_out(tmp_path, monkeypatch)


@pytest.fixture
def llvm(home: Path) -> dict[str, StandIn]:
    """Return the tools that compile IR by their names."""
    lld = program(home / "llvm/bin", "ld.lld", body=MAKES_CODE_OBJECT, makes=False)
    link = program(home / "llvm/bin", "llvm-link", body=LINKS, makes=False)
    return {"llvm-link": link, "ld.lld": lld, **{name: program(home / "llvm/bin", name) for name in ("opt", "llc")}}


def test_ir_goes_through_the_tools_in_turn(llvm: dict[str, StandIn], home: Path, tmp_path: Path) -> None:
    source = tmp_path / "k.ll"
    source.write_text(MODULE, encoding="utf-8")
    assert rocm.compile_ir(source, "gfx90a:xnack+", ["-stats"], tmp_path / "k.co") == CODE_OBJECT
    parsed, linked = llvm["llvm-link"].calls
    assert parsed[:2] == ["-S", str(source)]
    assert linked[:3] == ["-S", "--only-needed", "--internalize"]
    assert linked[4:-2] == rocm.callback_rocm_bitcode_path(arch="gfx90a", abi=500)
    target = ["-mcpu=gfx90a", "--amdhsa-code-object-version=5", "-mattr=+xnack"]
    assert llvm["opt"].calls[0][:5] == ["-passes=default<O3>", "--amdgpu-internalize-symbols", *target]
    assert llvm["llc"].calls[0][:6] == ["-O3", "-filetype=obj", *target, "-stats"]
    assert Path(llvm["ld.lld"].calls[0][4]).name == "kernel.o"
    assert home.is_dir()


@pytest.mark.parametrize(
    ("wave", "attributes"),
    [(None, "+wavefrontsize32,-wavefrontsize64"), (64, "-wavefrontsize32,+wavefrontsize64")],
)
def test_ir_for_a_size_of_waves(wave: int | None, attributes: str, llvm: dict[str, StandIn]) -> None:
    rocm.compile_ir(MODULE, "gfx1100", wavefront=wave)
    assert f"-mattr={attributes}" in llvm["llc"].calls[0]
    state = "on" if wave == 64 else "off"
    assert any(word.endswith(f"wavefrontsize64_{state}.bc") for word in llvm["llvm-link"].calls[1])


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('attributes #0 = { "target-cpu"="gfx906" }', "processor gfx906, and this call for gfx1100"),
        ('attributes #0 = { "target-features"="+xnack,+wavefrontsize64" }', "waves of 64, and this call for 32"),
        ('!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}', "code object version 6, and this call for 5"),
    ],
)
def test_a_module_that_is_made_for_something_else_is_refused(line: str, what: str, llvm: dict[str, StandIn]) -> None:
    with pytest.raises(ConfigError, match=f"the module is for {what}"):
        rocm.compile_ir(MODULE + line, "gfx1100")
    assert llvm["opt"].calls == []


@pytest.mark.parametrize("triple", ["x86_64-pc-linux-gnu", "amdgcn-amd-amdpal", None])
def test_a_module_for_another_target_is_refused_with_what_llvm_says(
    triple: str | None, llvm: dict[str, StandIn], home: Path
) -> None:
    program(home / "llvm/bin", "llvm-link", output="warning: different target triples\n", body=LINKS, makes=False)
    text = f'target triple = "{triple}"\n' if triple else "define void @f() {\n}\n"
    with pytest.raises(CompileError, match="The module is not for AMD GPUs") as caught:
        rocm.compile_ir(text, "gfx942")
    assert caught.value.output == "warning: different target triples\n"
    assert (triple or "no target") in caught.value.cause
    assert llvm["opt"].calls == []


@pytest.mark.parametrize("tool", ["opt", "llc"])
def test_a_processor_that_llvm_does_not_know_is_refused(tool: str, llvm: dict[str, StandIn], home: Path) -> None:
    program(home / "llvm/bin", tool, output="'gfx942' is not a recognized processor for this target\n")
    with pytest.raises(CompileError, match="This LLVM does not know gfx942") as caught:
        rocm.compile_ir(MODULE, "gfx942")
    assert "ROCM_PATH" in caught.value.fix
    assert llvm["ld.lld"].calls == []


def test_a_missing_library_is_named_before_a_tool_runs(llvm: dict[str, StandIn], home: Path) -> None:
    with pytest.raises(ToolNotFound, match="oclc_isa_version_950"):
        rocm.compile_ir(MODULE, "gfx950", rocdl_dir=home / "amdgcn/bitcode")
    assert llvm["llvm-link"].calls == []
