"""python -m tvm.support.cache: what the compile cache holds, whether all of it is sound, and making room in it."""

import argparse
import sys
from collections.abc import Sequence

from tvm.error import ExitCode, StorageError, TVMError
from tvm.support._cache import evict, remote, settings, store
from tvm.support._cache.store import KINDS, Store
from tvm.support._cache.verify import verify

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tvm.support.cache", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("stats", help="where the cache is, how large it is, how it is set up")
    commands.add_parser("verify", help="read every entry, and remove what is damaged; exit 1 if there was any")
    pruning = commands.add_parser(
        "prune", help="remove what was used least recently, until the cache is below its limit"
    )
    pruning.add_argument("--all", action="store_true", help="remove everything")
    given = parser.parse_args(argv)
    try:
        match given.command:
            case "stats":
                return _stats()
            case "verify":
                return _verify()
            case _:
                return _prune(everything=given.all)
    except TVMError as error:
        print(error, file=sys.stderr)
        return int(error.exit_code)


def _stats() -> int:
    tier = remote.tier()
    far = "none" if tier is None else f"{tier.url}, {'read and written' if tier.writes else 'only read'}"
    print(f"folder: {settings.folder()}\nmode: {settings.mode().value}\nlimit: {size(settings.limit())}\nremote: {far}")
    if not settings.folder().exists():
        print("empty: nothing was compiled yet")
        return ExitCode.OK
    opened = _opened(write=False)
    found = evict.entries(opened)
    print(f"size: {size(sum(entry.size for entry in found))}")
    for kind in KINDS:
        print(f"{kind}: {sum(1 for _ in opened.files(kind))}")
    return ExitCode.OK


def _verify() -> int:
    done = verify(_opened(write=True))
    print(
        f"{done.sound} sound, {done.damaged} damaged and removed, {done.orphans} without their product and removed, "
        f"{done.building} being made"
    )
    return ExitCode.FAILED if done.damaged else ExitCode.OK


def _prune(*, everything: bool) -> int:
    files, freed = evict.prune(_opened(write=True), 0 if everything else settings.limit())
    print(f"removed {files} files, {size(freed)}")
    return ExitCode.OK


def _opened(*, write: bool) -> Store:
    opened = store.opened(settings.folder(), write=write)
    if write and not opened.writable:
        msg = f"the compile cache {opened.root} cannot be written"
        raise StorageError(msg, fix=f"set {settings.FOLDER} to another folder, or make this one writable")
    return opened


def size(count: int) -> str:
    """Return a number of bytes as text."""
    value, unit = float(count), 0
    while value >= _STEP and unit < len(_UNITS) - 1:
        value, unit = value / _STEP, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit else f"{count} B"
