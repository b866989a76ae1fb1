"""Targets: kinds, options, tags, and what the devices of this machine are."""

from typing import TYPE_CHECKING

from tvm import _lazy

if TYPE_CHECKING:
    from tvm.target.detect_target import (
        detect_target_from_device,
        list_device_target_detectors,
        register_device_target_detector,
        target_of_device,
        unregister_device_target_detector,
    )
    from tvm.target.device_name import DeviceName
    from tvm.target.kind import (
        TargetKind,
        get_target_kind,
        list_target_kinds,
        register_target_kind,
        unregister_target_kind,
    )
    from tvm.target.tag import list_tags, register_tag, register_tag_table, unregister_tag, unregister_tag_table
    from tvm.target.target import Target

__all__ = [
    "DeviceName",
    "Target",
    "TargetKind",
    "detect_target_from_device",
    "get_target_kind",
    "list_device_target_detectors",
    "list_tags",
    "list_target_kinds",
    "register_device_target_detector",
    "register_tag",
    "register_tag_table",
    "register_target_kind",
    "target_of_device",
    "unregister_device_target_detector",
    "unregister_tag",
    "unregister_tag_table",
    "unregister_target_kind",
]

__getattr__ = _lazy.members(
    __name__,
    {
        "tvm.target.device_name": ("DeviceName",),
        "tvm.target.detect_target": (
            "detect_target_from_device",
            "list_device_target_detectors",
            "register_device_target_detector",
            "target_of_device",
            "unregister_device_target_detector",
        ),
        "tvm.target.kind": (
            "TargetKind",
            "get_target_kind",
            "list_target_kinds",
            "register_target_kind",
            "unregister_target_kind",
        ),
        "tvm.target.tag": (
            "list_tags",
            "register_tag",
            "register_tag_table",
            "unregister_tag",
            "unregister_tag_table",
        ),
        "tvm.target.target": ("Target",),
    },
)
