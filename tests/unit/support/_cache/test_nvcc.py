import os
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn, StandIn
from tests.unit.support._cache import fake_gcc
from tvm.support import cache
from tvm.support._cache import nvcc, programs
from tvm.support._cache.flow import NotCachedError

pytestmark = pytest.mark.usefixtures("folder", "old_files")

# It says which preprocessor it would run, and makes the product of source and header.
_BODY = """
where = os.path.dirname(os.path.abspath(sys.argv[0]))
if "--dryrun" in args:
    print("#$ CICC=" + where)
    print("#$ PATH=" + where)
    print('#$ g++ -D__CUDACC__ -E -x c++ "-I' + os.getcwd() + '/inc" "/dev/null" -o "/tmp/x.ii"')
    print('#$ "$CICC/cicc" --arch x')
    print("#$ ptxas -o x")
    sys.exit(0)
def value(flag):
    return args[args.index(flag) + 1]
source = [arg for arg in args if arg.endswith(".cu")][0]
with open(value("-o"), "w") as file:
    file.write(open(source).read() + open("inc/b.h").read() + " ".join(a for a in args if a.startswith("-O")))
if "-MF" in args:
    with open(value("-MF"), "w") as file:
        file.write("x.cubin : " + source + " \\\\\\n    " + os.getcwd() + "/inc/b.h\\n")
"""


@pytest.fixture
def tool(stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Return nvcc, taken for a program; the current folder holds k.cu and inc/b.h."""
    monkeypatch.setattr(programs, "is_native", lambda _program: True)
    work = tmp_path / "work"
    (work / "inc").mkdir(parents=True)
    (work / "k.cu").write_text("source\n", encoding="ascii")
    (work / "inc" / "b.h").write_text("header\n", encoding="ascii")
    (tmp_path / "system" / "include").mkdir(parents=True)
    monkeypatch.chdir(work)
    fake_gcc.put(stand_in)
    for name in ("cicc", "ptxas"):
        stand_in(name)
    return stand_in("nvcc", body=_BODY, makes=False)


def _compile(tool: StandIn, *words: str) -> str:
    argv = [tool.path, "--cubin", "-arch=sm_90a", "-O3", *words, "-Iinc", "-o", "k.cubin", "k.cu"]
    cache.run(argv, outputs=["k.cubin"], inputs=["k.cu"], tool=cache.Tool.NVCC)
    return Path("k.cubin").read_text(encoding="ascii")


def _compiles(tool: StandIn) -> int:
    return sum("--dryrun" not in call for call in tool.calls)


def test_a_kernel_is_compiled_once(tool: StandIn) -> None:
    assert _compile(tool) == _compile(tool) == "source\nheader\n-O3"
    assert _compiles(tool) == 1


@pytest.mark.parametrize("path", ["k.cu", "inc/b.h"])
def test_whatever_it_reads_now_is_in_the_product(path: str, tool: StandIn) -> None:
    _compile(tool)
    Path(path).write_text("something else\n", encoding="ascii")

    assert "something else" in _compile(tool)


@pytest.mark.parametrize("program", ["nvcc", "g++", "cicc", "ptxas", "cc1plus"])
def test_each_program_on_the_way_counts(program: str, tool: StandIn) -> None:
    _compile(tool)
    with Path(tool.path).with_name(program).open("a", encoding="ascii") as file:
        file.write("# newer\n")
    _compile(tool)

    assert _compiles(tool) == 2


@pytest.mark.parametrize("name", ["nvcc.profile", "new-tool"])
def test_a_file_beside_it_may_change_what_it_does(name: str, tool: StandIn) -> None:
    _compile(tool)
    Path(tool.path).with_name(name).write_text("", encoding="ascii")
    _compile(tool)

    assert _compiles(tool) == 2


@pytest.mark.parametrize(
    "word",
    [
        "--keep",
        "-Xcompiler=-fplugin=x",
        "-ccbin=g++",
        "--options-file=x",
        "@x",
        "--ptxas-options=--options-file=x",
        "-x=cu",
        "b.cu",
    ],
)
def test_a_word_that_is_not_known_is_refused(word: str, tool: StandIn) -> None:
    with pytest.raises(NotCachedError):
        nvcc.read([tool.path, "--cubin", word, "-o", "x", "k.cu"], cwd=str(Path.cwd()), env=dict(os.environ))


@pytest.mark.parametrize("name", ["NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "NVCC_CCBIN"])
def test_a_variable_with_more_options_is_refused(name: str, tool: StandIn) -> None:
    with pytest.raises(NotCachedError, match=name):
        nvcc.read([tool.path, "--cubin", "-o", "x", "k.cu"], cwd=str(Path.cwd()), env={name: "-G"})
