"""Target: what a kernel is compiled for."""

import json
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Union, cast

from tvm._registry import suggestion
from tvm.error import TargetError
from tvm.target import _config
from tvm.target.kind import Config, TargetKind, get_target_kind, list_target_kinds

if TYPE_CHECKING:
    from tvm_ffi import Device
    from typing_extensions import Self

TargetLike = Union[str, Mapping[str, object], "Target"]

_scopes: ContextVar[tuple["Target", ...]] = ContextVar("target scopes", default=())
# What is no attribute of a target's own.
_STRUCTURE = frozenset({"kind", "keys", "tag", "host"})


class TargetFeatures:
    """What the processor of a target can, by name: target.features.has_sve; None for what is not known of it."""

    __slots__ = ("_target",)

    def __init__(self, target: "Target") -> None:
        """See Target.features."""
        self._target = target

    def __getattr__(self, name: str) -> Any:
        """Give a feature."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self._target.attrs.get(f"feature.{name}")


class Target:
    """A kind and its options, complete and unchangeable. Two targets are equal if all their options are."""

    __slots__ = ("_config",)

    def __init__(self, target: TargetLike, host: TargetLike | None = None) -> None:
        """`target` is a kind's name, a tag, a dict ("kind" or "tag", and options), or such a dict as JSON.

        `host`, or the option of that name, is the target of what runs beside the device. TargetError, which is a ValueError,
        says what is wrong and suggests what was meant.
        """
        config = target.export() if isinstance(target, Target) else _config.resolve(target)
        if host is not None:
            config = _config.resolve({**config, "host": Target(host).export()})
        self._config = config

    @property
    def kind(self) -> TargetKind:
        """The kind, with its options and their defaults."""
        return cast("TargetKind", get_target_kind(str(self._config["kind"])))

    @property
    def keys(self) -> list[str]:
        """What selects schedules, the most special first."""
        return list(cast("list[str]", self._config["keys"]))

    @property
    def host(self) -> "Target | None":
        """The target of what runs beside the device."""
        return Target(cast("Config", self._config["host"])) if "host" in self._config else None

    @property
    def attrs(self) -> Mapping[str, Any]:
        """All options that are set, and features, by name."""
        own = {name: _given_out(value) for name, value in self._config.items() if name not in _STRUCTURE}
        return MappingProxyType(own)

    @property
    def features(self) -> TargetFeatures:
        """What the processor can: target.features.has_sve."""
        return TargetFeatures(self)

    @property
    def tag(self) -> str:
        """Always "": a tag stands for its configuration and does not stay."""
        return str(self._config["tag"])

    def __getattr__(self, name: str) -> Any:
        """Give an option: target.arch, target.num_cores for "num-cores". One that is not set is no attribute: getattr has a default."""
        if name.startswith("_"):
            raise AttributeError(name)
        options = {option.replace("-", "_"): option for option in self.kind.all_options}
        if name not in options:
            close = suggestion(name, sorted(options))
            msg = f"a target of kind {self.kind.name!r} has no option {name!r}{'; ' + close if close else ''}"
            raise AttributeError(msg)
        if options[name] not in self._config:
            msg = f"the option {options[name]!r} of this target is not set"
            raise AttributeError(msg)
        return _given_out(self._config[options[name]])

    def export(self) -> Config:
        """Return the configuration as a dict that makes an equal target."""
        return cast("Config", json.loads(json.dumps(self._config)))

    def with_host(self, host: TargetLike) -> "Target":
        """Return this target with another host."""
        return Target(self, host)

    def get_target_device_type(self) -> int:
        """Return DLPack's number of the device that this target is for."""
        return int(cast("int", self._config.get("target_device_type", self.kind.device_type)))

    def __str__(self) -> str:
        """Return the configuration as JSON, sorted, which makes an equal target."""
        return json.dumps(self._config, sort_keys=True)

    def __repr__(self) -> str:
        return f"Target({self._config!r})"

    def __eq__(self, other: object) -> bool:
        return self._config == other._config if isinstance(other, Target) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[object, ...]:
        return Target, (self.export(),)

    def __enter__(self) -> "Self":
        """Make this the current target of this thread or task."""
        _scopes.set((*_scopes.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _scopes.set(_scopes.get()[:-1])

    @staticmethod
    def current(allow_none: bool = True) -> "Target | None":  # noqa: FBT001, FBT002 - the seed's signature
        """Return the target of the innermost `with target:`, or None; TargetError if there is none and None is not allowed."""
        scopes = _scopes.get()
        if not scopes and not allow_none:
            msg = "there is no current target"
            raise TargetError(msg, fix="write `with Target(...):` around this")
        return scopes[-1] if scopes else None

    @staticmethod
    def target_or_current(target: TargetLike | None) -> "Target":
        """Return the target that is given, else the current one. TargetError, which is a ValueError, if there is neither."""
        if target is not None:
            return target if isinstance(target, Target) else Target(target)
        return cast("Target", Target.current(allow_none=False))

    @staticmethod
    def from_device(device: "str | Device") -> "Target":
        """Return the target of a device of this machine, "cuda" or "cuda:1" (see detect_target_from_device)."""
        from tvm.target.detect_target import detect_target_from_device  # noqa: PLC0415 - it makes targets

        return detect_target_from_device(device)

    @staticmethod
    def list_kinds() -> list[str]:
        """Return the names of all kinds, sorted."""
        return list_target_kinds()


def _given_out(value: object) -> Any:
    """Return an option's value as a user gets it: a copy, so that no list of a target can be changed; targets as such."""
    match value:
        case list():
            return [Target(cast("Config", item)) if isinstance(item, dict) else item for item in value]
        case _:
            return value
