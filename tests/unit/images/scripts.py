"""Load the scripts of images/, which are programs and no package."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

IMAGES = Path(__file__).resolve().parents[3] / "images"


def load(path: str) -> ModuleType:
    """Return one script as a module of its own; `path` is relative to images/."""
    file = IMAGES / path
    spec = spec_from_file_location(f"tvm_images_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
