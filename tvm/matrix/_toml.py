"""The tables of data beside the code."""

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def table(name: str) -> dict[str, Any]:
    """Return the TOML file `name` of this package."""
    with Path(__file__).with_name(name).open("rb") as file:
        return tomllib.load(file)
