"""A program for the vendor's Python: FILE FUNCTION TARGET FOLDER PRODUCT hands an NKI file to the vendor's compiler.

It imports nothing of this project. The compiler works in FOLDER, its NEFF is copied to PRODUCT; or this ends with 1 and says what
the compiler said.
"""

import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# One tile: as many rows as SBUF has partitions.
SHAPE = (128, 512)


def main(arguments: list[str]) -> int:
    """Compile a kernel of two inputs (a, b) and one output (result) of SHAPE in float32."""
    file, function, target, folder, product = arguments
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
    shutil.copyfile(result.neff_path, product)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
