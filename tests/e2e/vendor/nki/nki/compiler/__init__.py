"""Record what a kernel calls, and hand that to the program neuronx-cc."""

import json
import subprocess
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import nki
from nki.compiler.kernel_builder.tensor import Tensor


@dataclass
class KernelSpec:
    """A kernel, its tensors, and how it is called in the summary."""

    kernel_module: str
    kernel_func_name: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    hyperparams: dict[str, Any]
    config_id: int
    config_label: str


@dataclass
class Result:
    """What became of one kernel."""

    neff_path: str = ""
    error_message: str = ""


@dataclass
class Summary:
    """What became of all."""

    results: list[Result]


def parallel_compile(specs: list[KernelSpec], options: dict[str, Any], folder: str, max_workers: int) -> Summary:
    """Compile kernels into a folder."""
    nki.calls.append(f"parallel_compile {options['target']} {max_workers}")
    return Summary(results=[_compile(spec, options["target"], Path(folder)) for spec in specs])


def _compile(spec: KernelSpec, target: str, folder: Path) -> Result:
    tensors = {name: Tensor(name, value.shape) for name, value in {**spec.inputs, **spec.outputs}.items()}
    try:
        getattr(import_module(spec.kernel_module), spec.kernel_func_name)(**tensors)
    except AttributeError as error:
        return Result(error_message=str(error))
    calls, neff = folder / "calls.json", folder / f"{spec.config_label}.neff"
    calls.write_text(json.dumps(nki.calls))
    subprocess.run(["neuronx-cc", "compile", "--target", target, "--output", neff, calls], check=True)
    return Result(neff_path=str(neff))
