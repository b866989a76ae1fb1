"""A program for the vendor's Python: FILE FUNCTION TARGET FOLDER hands an NKI file to the vendor's compiler.

It imports nothing of this project. The last line that it prints is the NEFF's path, or it ends with 1 and says what the compiler said.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# What a line with the path begins with: the compiler prints lines of its own.
MARK = "NEFF: "
# One tile: as many rows as SBUF has partitions.
SHAPE = (128, 512)


def main(arguments: list[str]) -> int:
    """Compile a kernel of two inputs (a, b) and one output (result) of SHAPE in float32."""
    file, function, target, folder = arguments
    numpy: Any = import_module("numpy")
    compiler: Any = import_module("nki.compiler")
    spec = compiler.KernelSpec(
        kernel_module=Path(file).stem,
        kernel_func_name=function,
        inputs={name: numpy.zeros(SHAPE, numpy.float32) for name in ("a", "b")},
        outputs={"result": numpy.zeros(SHAPE, numpy.float32)},
        hyperparams={},
        config_id=0,
        config_label=function,
    )
    summary = compiler.parallel_compile([spec], {"target": target, "lnc": 1}, folder, max_workers=1)
    (result,) = summary.results
    if result.error_message:
        print(result.error_message)
        return 1
    print(f"{MARK}{result.neff_path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
