"""What each subcommand does, one module per kind, loaded when it is asked for: `list` needs no engine's client."""

from argparse import Namespace
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from tvm.error import ExitCode

_MODULES: Mapping[str, str] = {
    "run": "build",
    "repro": "build",
    "build": "build",
    "list": "show",
    "explain": "show",
    "ci": "show",
    "schema": "show",
    "coverage": "results",
    "report": "results",
    "diff": "results",
    "merge": "results",
    "engine": "machine",
    "doctor": "machine",
    "prune": "machine",
    "lock": "project",
    "new": "project",
}


def execute(options: Namespace) -> ExitCode:
    """Run the subcommand that the options name."""
    module = import_module(f"{__name__}.{_MODULES[options.command]}")
    return cast("Callable[[Namespace], ExitCode]", getattr(module, f"{options.command}_command"))(options)
