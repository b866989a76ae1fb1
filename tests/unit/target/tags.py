"""The tags of tests/data/inventory.json."""

import json
from pathlib import Path
from typing import Any

_FACTS = json.loads((Path(__file__).parents[2] / "data" / "inventory.json").read_text(encoding="utf-8"))
# Complete configurations by tag.
TAGS: dict[str, dict[str, Any]] = {name: row["resolved"] for name, row in _FACTS["target tags"].items()}
