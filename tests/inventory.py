"""Compares what is registered with tests/data/inventory.json: `python -m tests.inventory` prints N of N for each part.

The file holds the names, signatures and values that apache-tvm 0.27.0.post1 shows to its users. What this version leaves to a
later one is named here; that it is really absent is compared too.
"""

import contextlib
import inspect
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

from tvm import backend
from tvm.script import tirx as tx
from tvm.script.namespace import list_script_namespaces
from tvm.target import Target, get_target_kind, list_device_target_detectors, list_tags, list_target_kinds
from tvm.tirx.codegen import list_code_generators
from tvm.tirx.compilation_pipeline import list_tir_pipelines
from tvm.tirx.operator.tile_primitive.dispatcher import list_registered_schedules

Facts = Mapping[str, Mapping[str, Any]]

FILE = Path(__file__).parent / "data" / "inventory.json"
NAMESPACES = ("cuda", "metal", "nki", "nvshmem", "ptx_legacy", "s_tir")
MACHINE = {"llvm": ("mtriple", "mcpu")}
"""Options that say what machine the list was made on."""


@dataclass(kw_only=True)
class Part:
    """How many facts of one kind there are, what differs, and what is left to a later version."""

    name: str
    total: int = 0
    differences: list[str] = field(default_factory=list)
    deferred: list[str] = field(default_factory=list)

    def compare(self, what: str, expected: object, actual: object) -> None:
        """Count a fact, and keep it if it does not hold."""
        self.total += 1
        if expected != actual:
            self.differences.append(f"{self.name}: {what}: {expected!r} in the inventory, {actual!r} here")

    def __str__(self) -> str:
        left = f"; deferred: {', '.join(self.deferred)}" if self.deferred else ""
        return f"{self.name}: {self.total - len(self.differences)} of {self.total}{left}"


def inventory() -> dict[str, Facts]:
    """Read the facts."""
    facts: dict[str, Facts] = json.loads(FILE.read_text(encoding="utf-8"))
    return facts


def members(facts: dict[str, Facts]) -> Part:
    """Compare the members of the script namespaces: the names, whether functions or namespaces, signatures, builder names."""
    part = Part(name="members and signatures")
    for namespace in NAMESPACES:
        found = {name: _shape(member) for name, member in _walk(getattr(tx, namespace))}
        expected = {name: _expected(fact) for name, fact in facts[f"namespace {namespace}"].items()}
        for name in sorted({*found, *expected}):
            part.compare(f"Tx.{namespace}.{name}", expected.get(name), found.get(name))
    return part


def _walk(namespace: object, path: str = "") -> Iterator[tuple[str, object]]:
    for name in dir(namespace):
        member = getattr(namespace, name)
        yield path + name, member
        if not isinstance(member, FunctionType):
            yield from _walk(member, f"{path}{name}.")


def _shape(member: object) -> tuple[bool, str | None, str | None]:
    signature = str(inspect.signature(member)) if callable(member) else None
    name = getattr(member, "__tir_op_name__", getattr(member, "__tir_call_op_name__", None))
    return isinstance(member, FunctionType), signature, name


def _expected(fact: Mapping[str, Any]) -> tuple[bool, str | None, str | None]:
    return fact["kind"] == "function", fact.get("signature"), fact.get("op_name")


def families(facts: dict[str, Facts]) -> Part:
    """Compare the families of Tx.ptx and their mnemonics."""
    part = Part(name="families of Tx.ptx")
    expected = {name: fact["mnemonic"] for name, fact in facts["ptx families"].items()}
    found = {name: getattr(tx.ptx, name).mnemonic for name in dir(tx.ptx)}
    for name in sorted({*expected, *found}):
        part.compare(f"Tx.ptx.{name}", expected.get(name), found.get(name))
    forms = sum(fact["forms"] for fact in facts["ptx families"].values())
    part.deferred = [f"{forms} forms", *(name for name in facts["ptx members"] if not hasattr(tx.ptx, name))]
    return part


def kinds(facts: dict[str, Facts]) -> Part:
    """Compare the target kinds: device types, options, and a target of each kind without options."""
    part = Part(name="target kinds")
    part.compare("names", sorted(facts["target kinds"]), list_target_kinds())
    for name, fact in facts["target kinds"].items():
        kind = get_target_kind(name)
        assert kind is not None
        part.compare(f"{name}: device type", fact["device_type"], kind.device_type)
        part.compare(f"{name}: options", sorted(fact["options"]), sorted(kind.all_options))
        with warnings.catch_warnings():
            # A GPU's kind without an arch says that it takes the oldest.
            warnings.simplefilter("ignore")
            resolved = Target(name).export()
        part.compare(f"{name}: defaults", _portable(name, fact["default_resolved"]), _portable(name, resolved))
    lacking = [
        name
        for name, fact in facts["target kinds"].items()
        if fact["build_func"] and name not in list_code_generators()
    ]
    part.deferred = [f"code generators of {len(lacking)} kinds"] if lacking else []
    return part


def _portable(kind: str, config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in MACHINE.get(kind, ())}


def tags(facts: dict[str, Facts]) -> Part:
    """Compare the tags with all values that they stand for."""
    part = Part(name="target tags")
    found = {name: target.export() for name, target in list_tags().items()}
    expected = {name: fact["resolved"] for name, fact in facts["target tags"].items()}
    for name in sorted({*found, *expected}):
        part.compare(name, expected.get(name), found.get(name))
    return part


def registrations(facts: dict[str, Facts]) -> Part:
    """Compare what each backend registers, loaded one after the other in a process of its own."""
    part = Part(name="registrations")
    found = _registered()
    for name, fact in facts["registrations"].items():
        for what in ("detectors", "pipelines", "script_namespaces"):
            # More is no difference: the webgpu backend has a detector here.
            part.compare(f"{name}: {what}", fact[what], [key for key in found[name][what] if key in fact[what]])
        part.compare(f"{name}: tags", fact["tags"], found[name]["tags"])
        cases = fact["tile_dispatch_cases"] - len(found[name]["tile_dispatch_cases"])
        part.deferred += [f"{cases} tile dispatch cases of {name}"] if cases else []
        part.deferred += [f"{fact['codegen_entries']} codegen entries of {name}"] if fact["codegen_entries"] else []
    part.compare("detectors", [], sorted(set(facts["detectors"]) - set(list_device_target_detectors())))
    part.deferred += [f"pipeline {name}" for name in facts["pipelines"] if name not in list_tir_pipelines()]
    return part


def _registered() -> dict[str, dict[str, Any]]:
    switch = {**os.environ, "TVM_DEVICE_BACKEND_AUTOLOAD": "0"}
    command = [
        sys.executable,
        "-c",
        f"from tests import inventory; inventory.load_one_by_one({sorted(inventory()['registrations'])!r})",
    ]
    done = subprocess.run(command, env=switch, cwd=FILE.parents[2], stdout=subprocess.PIPE, timeout=60, check=True)
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


def load_one_by_one(names: list[str]) -> None:
    """Print what each backend adds, as JSON; adreno, which loads two others, comes last."""
    before, found = _everything(), dict[str, dict[str, list[str] | int]]()
    for name in sorted(names, key=lambda name: name == "adreno"):
        backend.load(name)
        after = _everything()
        found[name] = {what: sorted(after[what] - before[what]) for what in after}
        found[name]["tags"] = len(after["tags"] - before["tags"])
        before = after
    json.dump(found, sys.stdout)


def _everything() -> dict[str, set[str]]:
    return {
        "detectors": set(list_device_target_detectors()),
        "pipelines": set(list_tir_pipelines()),
        "script_namespaces": set(list_script_namespaces()),
        "tags": set(list_tags()),
        "tile_dispatch_cases": {f"{op} {kind} {variant}" for op, kind, variant in _cases()},
    }


def _cases() -> Iterator[tuple[str, str, str]]:
    for op, kinds_of_op in list_registered_schedules().items():
        for kind, variants in kinds_of_op.items():
            yield from ((op, kind, variant) for variant in variants)


Check = Callable[[dict[str, Facts]], Part]
PARTS: tuple[Check, ...] = (members, families, kinds, tags, registrations)


def main(checks: Sequence[Check] = PARTS) -> int:
    """Print each part; 1 if anything differs."""
    facts = inventory()
    parts = [check(facts) for check in checks]
    for part in parts:
        print(part)
        for difference in part.differences:
            print(f"  {difference}")
    return int(any(part.differences for part in parts))


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(main())
