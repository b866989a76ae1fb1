"""Target kinds: what a target of each kind is made of."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tvm._registry import Registry, suggestion
from tvm.error import TargetError

Config = dict[str, object]

# The types that an option's value can have. A target is a kind, a tag, or a dict.
OPTION_TYPES = ("str", "int", "bool", "list[str]", "Target", "list[Target]")

# Options that every kind has.
COMMON: Mapping[str, str] = {
    "kind": "str",
    "keys": "list[str]",
    "tag": "str",
    "device": "str",
    "model": "str",
    "libs": "list[str]",
    "host": "Target",
    "from_device": "int",
    "target_device_type": "int",
}


@dataclass(frozen=True, kw_only=True)
class TargetKind:
    """A kind of target.

    `device_type` is DLPack's number. `keys` select schedules. `options` are the kind's own beside those that every kind has, by
    name with their types (OPTION_TYPES); `defaults` are the values of those that are not given. `complete`, if there is one,
    gets a configuration before the defaults and returns it with what must be found out: an arch, features.
    """

    name: str
    device_type: int
    keys: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    defaults: Mapping[str, object] = field(default_factory=dict, hash=False)
    complete: Callable[[Config], Config] | None = field(default=None, hash=False)

    def __str__(self) -> str:
        return self.name

    @property
    def all_options(self) -> dict[str, str]:
        """Return every option with its type."""
        return {**COMMON, **self.options}

    @property
    def default_keys(self) -> tuple[str, ...]:
        """Return `keys`, by the seed's name."""
        return self.keys

    @property
    def default_device_type(self) -> int:
        """Return `device_type`, by the seed's name."""
        return self.device_type

    @staticmethod
    def options_from_name(kind_name: str) -> dict[str, str]:
        """Return every option of the kind of this name with its type. TargetError, which is a ValueError, if there is none."""
        kind = get_target_kind(kind_name)
        if kind is None:
            known = list_target_kinds()
            msg = f"{kind_name!r} is no target kind"
            raise TargetError(msg, fix=suggestion(kind_name, known), looked=known)
        return kind.all_options


_KINDS: Registry[str, TargetKind] = Registry("a target kind")


def register_target_kind(kind: TargetKind, *, override: bool = False) -> TargetKind:
    """Register a kind under its name and return it."""
    return _KINDS.register(kind.name, kind, override=override)


def unregister_target_kind(name: str) -> None:
    """Remove a kind."""
    _KINDS.unregister(name)


def get_target_kind(name: str) -> TargetKind | None:
    """Return the kind of this name, or None."""
    return _KINDS.get(name)


def list_target_kinds() -> list[str]:
    """Return the names of all kinds, sorted."""
    return _KINDS.names()


def _built_in() -> dict[str, TargetKind]:
    from tvm.target._complete import COMPLETE  # noqa: PLC0415 - what a kind needs to know is read with the first target

    text = Path(__file__).with_name("kinds.json").read_text(encoding="utf-8")
    return {
        name: TargetKind(
            name=name,
            device_type=row["device_type"],
            keys=tuple(row["keys"]),
            options=row["options"],
            defaults=row["defaults"],
            complete=COMPLETE.get(name),
        )
        for name, row in json.loads(text).items()
    }


_KINDS.register_table("", _built_in)
