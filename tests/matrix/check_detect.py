"""The devices that a driver on the processor gives are found, and are what the vendor's own tool says they are."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.matrix.evidence import inspected
from tests.matrix.publish import Publish
from tvm.error import DeviceError
from tvm.runtime import get_device_api
from tvm.support import process
from tvm.target import Target

LIMIT = 120.0
PROGRAM = Path("tests/matrix/detected.py")


def _clinfo() -> dict[str, object]:
    """Return what clinfo says of the first device, under the names of the target's options."""
    output = process.run(["clinfo", "--raw"], timeout=LIMIT).output
    rows = re.findall(r"^\[[^\]]*/0\]\s+(CL_DEVICE_\w+)\s+(.*?)\s*$", output, re.MULTILINE)
    facts = dict(rows)
    return {
        "name": facts["CL_DEVICE_NAME"],
        "max_threads_per_block": int(facts["CL_DEVICE_MAX_WORK_GROUP_SIZE"]),
        "max_shared_memory_per_block": int(facts["CL_DEVICE_LOCAL_MEM_SIZE"]),
        "texture_spatial_limit": int(facts["CL_DEVICE_IMAGE2D_MAX_WIDTH"]),
        "texture_depth_limit": int(facts["CL_DEVICE_IMAGE3D_MAX_DEPTH"]),
    }


def _vulkaninfo() -> dict[str, object]:
    """Return what vulkaninfo says of the first device, under the names of the target's options."""
    text = process.run(["vulkaninfo"], timeout=LIMIT).output

    def fact(name: str) -> str:
        found = re.search(rf"^\s*{re.escape(name)}\s*=\s*(.*?)\s*$", text, re.MULTILINE)
        assert found, name
        return found[1]

    def limit(name: str) -> int:
        return int(fact(name), 0)

    return {
        "device_name": fact("deviceName"),
        "driver_name": fact("driverName"),
        "max_threads_per_block": limit("maxComputeWorkGroupInvocations"),
        "max_shared_memory_per_block": limit("maxComputeSharedMemorySize"),
        "max_push_constants_size": limit("maxPushConstantsSize"),
        "max_storage_buffer_range": limit("maxStorageBufferRange"),
        "max_uniform_buffer_range": limit("maxUniformBufferRange"),
        "max_per_stage_descriptor_storage_buffer": limit("maxPerStageDescriptorStorageBuffers"),
        "thread_warp_size": limit("subgroupSize"),
        "supports_float16": fact("shaderFloat16") == "true",
        "supports_float64": fact("shaderFloat64") == "true",
        "supports_int8": fact("shaderInt8") == "true",
        "supports_int16": fact("shaderInt16") == "true",
        "supports_int64": fact("shaderInt64") == "true",
        "supports_8bit_buffer": fact("storageBuffer8BitAccess") == "true",
        "supports_16bit_buffer": fact("storageBuffer16BitAccess") == "true",
        "supports_integer_dot_product": fact("shaderIntegerDotProduct") == "true",
    }


TOOLS: Mapping[str, tuple[str, str, Callable[[], dict[str, object]]]] = {
    "pocl": ("opencl", "clinfo", _clinfo),
    "lavapipe": ("vulkan", "vulkaninfo", _vulkaninfo),
}


def test_the_device_is_what_the_vendors_tool_says(arch: str, tmp_path: Path, artefact: Publish) -> None:
    kind, tool, read = TOOLS[arch]
    api = get_device_api(kind)
    assert api is not None
    assert api.count() >= 1
    said = read()
    found = api.attributes(0)
    assert {name: found[name] for name in said} == said
    target = Target.from_device(kind)
    assert {name: value for name, value in said.items() if name in target.kind.options}.items() <= target.attrs.items()
    assert Target(str(target)) == target
    path = tmp_path / "target.json"
    process.run([sys.executable, PROGRAM, kind, path], timeout=LIMIT, inputs=[PROGRAM], outputs=[path])
    assert Target(json.loads(path.read_text(encoding="utf-8"))) == target
    shown = [inspected(tool, f"says the same {len(said)} properties of {found['name']}")]
    artefact(f"{arch}/target.json", path, target=kind, arch=arch, evidence=shown)


def test_a_number_that_no_device_has_is_refused(arch: str) -> None:
    kind = TOOLS[arch][0]
    with pytest.raises(DeviceError, match=f"there is no {kind} device 99"):
        Target.from_device(f"{kind}:99")


def test_without_the_driver_there_is_no_device(arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loader is there and finds no driver: that is said, and which loader was asked."""
    kind = TOOLS[arch][0]
    for name in ("OCL_ICD_VENDORS", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"):
        monkeypatch.setenv(name, "/nowhere.json")
    code = f"from tvm.target import Target\ntry: Target.from_device({kind!r})\nexcept ValueError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT, check=True)
    assert f"there is no {kind} device 0" in done.stdout
    assert "/lib" in done.stdout


def test_webgpu_on_top_of_vulkan(arch: str) -> None:
    """Where the wheel wgpu is, its adapter is the same processor; where it is not, that is why there is none."""
    api = get_device_api("webgpu")
    assert api is not None
    match arch:
        case "lavapipe":
            assert "llvmpipe" in str(api.attributes(0)["name"])
            assert Target.from_device("webgpu").max_num_threads >= 256
        case "pocl":
            assert api.count() == 0
            assert "wgpu" in api.why_none()
        case _:
            pytest.fail(f"no such arch: {arch}")
