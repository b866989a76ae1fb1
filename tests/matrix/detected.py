"""A program: KIND FILE writes the target of the first device of a kind to a file, as JSON."""

import json
import sys
from pathlib import Path

from tvm.target import Target


def main(kind: str, file: str) -> None:
    """Write the target."""
    text = json.dumps(Target.from_device(kind).export(), indent=1, sort_keys=True)
    Path(file).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
