"""Tags: names of whole configurations, "nvidia/geforce-rtx-4090"."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from tvm._registry import Registry
from tvm.error import TargetError

if TYPE_CHECKING:
    from tvm.target.kind import Config
    from tvm.target.target import Target

_TAGS: Registry[str, Mapping[str, object]] = Registry("a target tag")

# The tags that belong to no backend: CPUs.
_CORE = ("arm/", "aws/cpu/", "raspberry-pi/", "riscv/")


def register_tag(
    name: str,
    config: Mapping[str, object],
    override: bool = False,  # noqa: FBT001, FBT002 - the seed's signature
) -> "Target":
    """Register a configuration under a name and return its target. TargetError for a wrong one, RegistryError for a taken name."""
    from tvm.target.target import Target  # noqa: PLC0415 - a target looks for tags

    if not name:
        msg = "a tag has a name"
        raise TargetError(msg)
    target = Target(config)
    _TAGS.register(name, dict(config), override=override)
    return target


def register_tag_table(prefix: str, load: Callable[[], Mapping[str, Mapping[str, object]]]) -> None:
    """Register configurations by name, all beginning with `prefix`; `load` is called when one is first asked for."""
    _TAGS.register_table(prefix, load)


def unregister_tag(name: str) -> None:
    """Remove a tag."""
    _TAGS.unregister(name)


def unregister_tag_table(prefix: str) -> None:
    """Remove a table of tags."""
    _TAGS.unregister_table(prefix)


def tag_config(name: str) -> "Config | None":
    """Return the configuration of a tag, or None."""
    config = _TAGS.get(name)
    return None if config is None else dict(config)


def tag_names() -> list[str]:
    """Return the names of all tags, sorted."""
    return _TAGS.names()


def list_tags() -> dict[str, "Target"]:
    """Return the targets of all tags, sorted by name."""
    from tvm.target.target import Target  # noqa: PLC0415 - a target looks for tags

    return {name: Target(config) for name, config in _TAGS.items()}


def _core(prefix: str) -> Mapping[str, Mapping[str, object]]:
    import json  # noqa: PLC0415 - `import tvm` registers tags and reads none
    from pathlib import Path  # noqa: PLC0415

    text = Path(__file__).with_name("tags.json").read_text(encoding="utf-8")
    return {name: config for name, config in json.loads(text).items() if name.startswith(prefix)}


for _prefix in _CORE:
    _TAGS.register_table(_prefix, partial(_core, _prefix))
