"""Pack objects into a static library, replacing an earlier one."""

import os
from collections.abc import Sequence
from pathlib import PurePath

from tvm.support import process
from tvm.support._arguments import Arg, Args, paths
from tvm.support._staging import staged
from tvm.support.tar import normalize_file_list_by_unpacking_tars
from tvm.support.utils import tempdir


def pack(
    output: Arg,
    inputs: Args,
    *,
    ar: Sequence[str],
    ranlib: Sequence[str] = (),
    timeout: float | None = None,
) -> None:
    """Run `ar LIBRARY objects...`, then `ranlib LIBRARY` if one is given. Archives among `inputs` are unpacked.

    CompileError "AR error" or "Ranlib error" when a tool fails; an earlier output then is as it was.
    """
    files = list(paths(inputs, name="inputs"))
    # ZERO_AR_DATE: Apple's ar writes the time otherwise.
    env = {**os.environ, "ZERO_AR_DATE": "1"}
    with staged(output, name=_library_name(output)) as stage, tempdir(stage.folder / "inputs") as temp:
        members = normalize_file_list_by_unpacking_tars(temp, files)
        line = [*ar, stage.product, *members]
        process.run(line, heading="AR error", env=env, timeout=timeout, inputs=members, outputs=[stage.product])
        if ranlib:
            line = [*ranlib, stage.product]
            process.run(line, heading="Ranlib error", env=env, timeout=timeout, outputs=[stage.product])


def _library_name(output: Arg) -> str:
    name = PurePath(output).name
    return name if name.startswith("lib") else f"lib{name}"
