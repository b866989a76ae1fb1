from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.support._cache import drivers
from tvm.support._cache.drivers import Driver
from tvm.support._cache.flow import NotCachedError

_GCC = """\
Using built-in specs.
COLLECT_GCC=g++
 {folder}/cc1plus -quiet a.cc "-mtune=generic" -o /tmp/ccAb3dE9.s
 as --64 -o /tmp/ccAb3dE9.o /tmp/ccAb3dE9.s
COMPILER_PATH={folder}/none/:{folder}/
LIBRARY_PATH={folder}/lib/:/usr/lib/../lib/
 {folder}/collect2 -plugin {folder}/plugin.so "-plugin-opt={folder}/lto-wrapper" -L{folder}/lib a.o "-lstdc++" -lm
"""
_CLANG = """\
Debian clang version 14.0.6
 (in-process)
 "{folder}/clang" "-cc1" "-resource-dir" "/nowhere" "a.cc"
 "{folder}/ld.lld" "-L{folder}/lib" "-lc"
"""
_SEARCH = """\
ignoring nonexistent directory "/usr/local/include/none"
Found candidate GCC installation: /usr/lib/gcc/x86_64-linux-gnu/12
#include "..." search starts here:
 quoted
#include <...> search starts here:
 inc
 /usr/include
End of search list.
"""


def _ask(tool: StandIn, folder: Path, *options: str) -> Driver:
    environment = (("PATH", str(folder)),)
    return drivers.driver((tool.path, *options), drivers.stamp(tool.path), str(folder), environment)


def _files(folder: Path, *names: str) -> list[str]:
    for name in names:
        (folder / name).write_text("", encoding="ascii")
        (folder / name).chmod(0o755)
    return [str(folder / name) for name in names]


def test_what_gcc_starts_is_read_off_its_words(stand_in: MakeStandIn, bin_folder: Path) -> None:
    files = _files(bin_folder, "cc1plus", "as", "collect2", "ld", "plugin.so", "lto-wrapper")
    body = f"print({_GCC.format(folder=bin_folder)!r} if '-###' in args else 'ld')"

    said = _ask(stand_in("g++", body=body), bin_folder, "-O2")

    assert said.is_gcc
    assert said.linker == files[3]
    assert said.files == (*files[:4], *files[4:])
    assert said.absent == (f"{bin_folder}/none/as", f"{bin_folder}/none/ld")
    assert said.library_folders == (f"{bin_folder}/lib", f"{bin_folder}/lib/", "/usr/lib/../lib/")
    assert said.libraries == ("stdc++", "m")


def test_what_clang_starts_is_read_off_its_words(stand_in: MakeStandIn, bin_folder: Path) -> None:
    files = _files(bin_folder, "clang", "ld.lld")

    said = _ask(stand_in("clang++", output=_CLANG.format(folder=bin_folder)), bin_folder)

    assert not said.is_gcc
    assert (said.files, said.linker, said.libraries) == (tuple(files), files[1], ("c",))


@pytest.mark.parametrize("output", ["", 'Configuration file: /etc/clang.cfg\n "/bin/sh" -cc1\n', " nowhere -cc1\n"])
def test_a_driver_that_says_too_little_or_reads_more_is_refused(
    output: str, stand_in: MakeStandIn, bin_folder: Path
) -> None:
    with pytest.raises(NotCachedError):
        _ask(stand_in("clang++", output=output), bin_folder)


def test_it_is_asked_once_for_each_program_and_its_options(stand_in: MakeStandIn, bin_folder: Path) -> None:
    _files(bin_folder, "clang", "ld.lld")
    tool = stand_in("clang++", output=_CLANG.format(folder=bin_folder))
    for options in (["-O2"], ["-O2"], ["-O3"]):
        _ask(tool, bin_folder, *options)
    assert len(tool.calls) == 2
    with Path(tool.path).open("a", encoding="ascii") as file:
        file.write("# newer\n")
    _ask(tool, bin_folder, "-O2")

    assert len(tool.calls) == 3


def test_folders_for_headers_are_in_order(stand_in: MakeStandIn, tmp_path: Path) -> None:
    tool = stand_in("g++", output=_SEARCH)

    found = drivers.search((tool.path,), drivers.stamp(tool.path), str(tmp_path), ())

    assert found.folders == (str(tmp_path / "quoted"), str(tmp_path / "inc"), "/usr/include")
    assert found.absent == ("/usr/local/include/none",)
    assert found.chosen_in == ("/usr/lib/gcc/x86_64-linux-gnu",)


@pytest.mark.parametrize(
    "output", ["", _SEARCH.replace("End of", "Ende der"), _SEARCH.replace(" inc", " inc (framework directory)")]
)
def test_a_list_that_cannot_be_read_is_refused(output: str, stand_in: MakeStandIn, tmp_path: Path) -> None:
    tool = stand_in("g++", output=output)

    with pytest.raises(NotCachedError, match="does not say"):
        drivers.search((tool.path,), drivers.stamp(tool.path), str(tmp_path), ())
