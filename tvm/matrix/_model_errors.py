"""What pydantic says of a value, as a problem with a line and a sentence that tells what to write."""

import reprlib
from typing import Any

from pydantic import BaseModel, ValidationError

from tvm.matrix._suggest import suggest
from tvm.matrix._yaml import Document, Key, Problem
from tvm.matrix.model import Cell, Image, Matrix, Suite, Vendor, VendorIndex

# Which model describes the mapping at a path; "*" stands for a name that the file chooses.
_MODELS: dict[Key, tuple[type[BaseModel], ...]] = {
    (): (Matrix,),
    ("suites", "*"): (Suite,),
    ("images", "*"): (Image,),
    ("images", "*", "vendor"): (Vendor, VendorIndex),
    ("cells", "*"): (Cell,),
}
# Where pydantic says in a path which of a vendor's two kinds it read.
_TAG_PLACE = 3
_KINDS = {
    "string_type": "text",
    "int_type": "a whole number, without quotes",
    "bool_type": "true or false, without quotes",
    "dict_type": "a mapping (key: value)",
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "list_type": "a list: [a, b]",
}


def problems(document: Document, error: ValidationError) -> list[Problem]:
    """Return the problems of a failed validation, but none at a place that is refused already."""
    refused = {problem.path for problem in document.problems}
    found = (_problem(document, detail) for detail in error.errors(include_url=False))
    return [problem for problem in found if problem.path not in refused]


def _problem(document: Document, detail: Any) -> Problem:
    path = _path(detail["loc"])
    return Problem(line=document.line(path), path=path, message=_message(document, path, detail))


def _path(location: tuple[str | int, ...]) -> Key:
    # pydantic ends the path of a wrong key with this marker.
    path = tuple(part for part in location if part != "[key]")
    is_vendor = len(path) > _TAG_PLACE and (path[0], path[_TAG_PLACE - 1]) == ("images", "vendor")
    # Always there: pydantic puts the kind before the key, whatever the key is called.
    return (*path[:_TAG_PLACE], *path[_TAG_PLACE + 1 :]) if is_vendor else path


def _message(document: Document, path: Key, detail: Any) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        known = _known_keys(path[:-1])
        # Only a vendor has two kinds.
        return (
            "stands beside index; write one of them"
            if path[-1] in known
            else f"unknown key{suggest(str(path[-1]), known)}"
        )
    if kind == "string_type" and path in document.plain:
        return f'must be text: write it in quotes: "{document.plain[path]}"'
    if kind in _KINDS:
        return f"must be {_KINDS[kind]}"
    sentences = {
        "missing": "is missing",
        "too_short": "must not be empty",
        "string_pattern_mismatch": f"{reprlib.repr(detail['input'])} must match {context.get('pattern')}",
        "literal_error": f"must be {context.get('expected')}",
        "greater_than": f"must be more than {context.get('gt')}",
        "less_than_equal": f"must be at most {context.get('le')}",
        "string_too_long": f"must have at most {context.get('max_length')} characters",
        "value_error": str(context.get("error")),
    }
    return sentences.get(kind, str(detail["msg"]))


def _known_keys(path: Key) -> list[str]:
    pattern = tuple("*" if index == 1 else part for index, part in enumerate(path))
    fields = (field for model in _MODELS[pattern] for field in model.model_fields.items())
    return list(dict.fromkeys(field.alias or name for name, field in fields))
