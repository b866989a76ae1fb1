"""Read the global symbols of a binary through nm, whichever nm it is."""

import re
from collections.abc import Sequence

from tvm.support import process

# The address of a symbol in LLVM bitcode is a row of dashes.
_LINE = re.compile(r"\s*[0-9a-fA-F-]+\s+(\S)\s+(\S+)\s*")


def section_map(path: str, *, nm: Sequence[str], flags: Sequence[str], timeout: float | None) -> dict[str, str]:
    """Return name -> section letter of the defined global symbols; of the dynamic ones where the file is stripped.

    RuntimeError (CompileError) with nm's text when it cannot read the file.
    """
    said = process.run([*nm, *flags, path], heading="nm error", timeout=timeout, inputs=[path]).output
    if found := parse(said):
        return found
    # What has no dynamic symbols either (an object, an archive) makes nm -D fail: then there are none.
    dynamic = process.run([*nm, "-D", *flags, path], check=False, timeout=timeout, inputs=[path])
    found = parse(dynamic.output) if dynamic.code == 0 else {}
    # GNU nm -D appends the version: name@@VERSION.
    return {name.partition("@")[0]: section for name, section in found.items()}


def parse(text: str) -> dict[str, str]:
    """Return name -> section letter of every line `address letter name`; other lines are headings and remarks."""
    hits = (_LINE.fullmatch(line) for line in text.splitlines())
    return {hit[2]: hit[1] for hit in hits if hit}
