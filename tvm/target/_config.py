"""From what a user writes to a complete configuration."""

import json
from collections.abc import Mapping
from typing import cast

from tvm._registry import suggestion
from tvm.error import DeviceError, TargetError
from tvm.runtime.device_api import get_device_api, why_no_device
from tvm.target.kind import OPTION_TYPES, Config, TargetKind, get_target_kind, list_target_kinds
from tvm.target.tag import tag_config, tag_names

_FEATURE = "feature."


def resolve(given: object) -> Config:
    """Return the complete configuration for a kind's name, a tag, a dict or its JSON. TargetError says what is wrong."""
    config = _with_tag(_read(given))
    kind = _kind(config)
    checked: Config = {name: _value(kind, name, value) for name, value in config.items() if name != "tag"}
    if "from_device" in checked:
        # What the device has answered stays; the question does not: the target may go to another machine.
        checked = {**_ask(kind, cast("int", checked.pop("from_device"))), **checked}
    if kind.complete is not None:
        checked = kind.complete(checked)
    complete: Config = {**kind.defaults, **checked, "keys": _keys(kind, checked), "tag": ""}
    return {name: complete[name] for name in sorted(complete)}


def _read(given: object) -> Config:
    match given:
        case Mapping():
            return {str(name): value for name, value in given.items() if value is not None}
        case str() if given.lstrip().startswith("{"):
            return _read_json(given)
        case str():
            return _read_name(given.strip())
        case _:
            msg = f"a target is a str or a dict, not a {type(given).__name__}"
            raise TargetError(msg)


def _read_json(text: str) -> Config:
    try:
        value = json.loads(text)
    except ValueError as error:
        msg = f"the target is no valid JSON: {error}"
        raise TargetError(msg) from None
    return _read(value)


def _read_name(name: str) -> Config:
    if get_target_kind(name) is not None:
        return {"kind": name}
    if tag_config(name) is not None:
        return {"tag": name}
    if " -" in name:
        msg = f"{name!r} is a command line, which is no longer read"
        raise TargetError(msg, fix="write a dict: {'kind': 'cuda', 'arch': 'sm_80'}")
    known = [*list_target_kinds(), *tag_names()]
    msg = f"{name!r} is neither a target kind nor a tag"
    raise TargetError(msg, fix=suggestion(name, known), looked=[f"kind {kind}" for kind in list_target_kinds()])


def _with_tag(config: Config) -> Config:
    """Put a tag's configuration under what is given beside the tag."""
    name = config.get("tag")
    if not name:
        return config
    base = tag_config(str(name))
    if base is None:
        msg = f"{name!r} is no target tag"
        raise TargetError(msg, fix=suggestion(str(name), tag_names()))
    if config.get("kind", base["kind"]) != base["kind"]:
        msg = f"the tag {name!r} is of kind {base['kind']!r}, not {config['kind']!r}"
        raise TargetError(msg, fix="leave the kind out, or choose another tag")
    return {**base, **config}


def _kind(config: Config) -> TargetKind:
    if "kind" not in config:
        msg = "the target has no 'kind'"
        raise TargetError(msg, fix="name a kind or a tag", looked=list_target_kinds())
    kind = get_target_kind(str(config["kind"]))
    if kind is None:
        msg = f"{config['kind']!r} is no target kind"
        raise TargetError(msg, fix=suggestion(str(config["kind"]), list_target_kinds()), looked=list_target_kinds())
    return kind


def _value(kind: TargetKind, name: str, value: object) -> object:
    """Check an option and return its value in the one form that a configuration holds."""
    expected = "bool" if name.startswith(_FEATURE) else kind.all_options.get(name)
    if expected is None:
        options = sorted(kind.all_options)
        msg = f"{name!r} is no option of the target kind {kind.name!r}"
        raise TargetError(msg, fix=suggestion(name, options), looked=options)
    try:
        return _checked(expected, value)
    except TargetError as error:
        msg = f"option {name!r} of the target kind {kind.name!r}: {error.cause}"
        raise TargetError(msg, fix=error.fix, looked=error.looked) from None


def _checked(expected: str, value: object) -> object:
    match expected, value:
        case ("str", str()) | ("bool", bool()):
            return value
        case "int", int() if not isinstance(value, bool):
            return value
        case "list[str]", list() | tuple() if all(isinstance(item, str) for item in value):
            return list(value)
        case "Target", _:
            return resolve(_exported(value))
        case "list[Target]", list() | tuple():
            return [resolve(_exported(item)) for item in value]
        case _ if expected not in OPTION_TYPES:
            msg = f"the kind declares it as {expected!r}, which is no type of an option"
            raise TargetError(msg, looked=OPTION_TYPES)
    msg = f"{value!r} is no {expected}"
    raise TargetError(msg)


def _exported(value: object) -> object:
    export = getattr(value, "export", None)
    return value if export is None else export()


def _keys(kind: TargetKind, config: Config) -> list[str]:
    """Return each key once: the device before the kind's own keys, behind those that are given."""
    device = [name] if (name := str(config.get("device", ""))) else []
    given = cast("list[str] | None", config.get("keys"))
    return list(dict.fromkeys([*device, *kind.keys] if given is None else [*given, *device]))


def _ask(kind: TargetKind, index: int) -> Config:
    """Return what the device of this number says of itself, as far as the kind has options for it."""
    api = get_device_api(kind.name)
    if api is None or index not in range(api.count()):
        why = why_no_device(kind.name)
        msg = f"there is no {kind.name} device {index}{': ' + why if why else ''}"
        raise DeviceError(msg)
    return {name: value for name, value in api.attributes(index).items() if name in kind.options}
