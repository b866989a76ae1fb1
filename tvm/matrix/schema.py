"""The JSON schema of matrix.yaml, for editors: `python -m tvm.matrix schema` prints it, a test compares."""

import json
from pathlib import Path

from tvm.matrix.model import Matrix

FILE = Path(__file__).with_name("matrix.schema.json")


def schema_text() -> str:
    """Return the schema as it stands in matrix.schema.json."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Matrix.model_json_schema(by_alias=True)}
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"
