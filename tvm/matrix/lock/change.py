"""What a lock did: a pin that changed, and one that could not be refreshed."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Change:
    """One pin: where it stands, what it pins, and its value before and now ("" for none)."""

    place: str
    name: str
    old: str
    new: str


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A pin that stays as it is, and why."""

    place: str
    why: str
