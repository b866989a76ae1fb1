"""Texts with places that are filled in: `@NAME@` in a template."""

from collections.abc import Mapping


def filled(text: str, contents: Mapping[str, str]) -> str:
    """Return a text with each place replaced by its content, in their order: a content may hold a later place."""
    for place, content in contents.items():
        text = text.replace(place, content)
    return text
