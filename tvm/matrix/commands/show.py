"""Subcommands that only print what the matrix says: list, explain, ci, schema."""

import argparse
import os
from pathlib import Path

from tvm.error import ExitCode
from tvm.matrix import ci, ci_github, ci_gitlab, explain, loader, plan, schema
from tvm.matrix.model import Project


def list_command(options: argparse.Namespace) -> ExitCode:
    """Print the cells."""
    print(explain.list_text(_project(options)), end="")
    return ExitCode.OK


def explain_command(options: argparse.Namespace) -> ExitCode:
    """Print exactly what would run, by the engine that is named: in a container, or with `local` on this machine."""
    project = _project(options)
    chosen = plan.plan(project, options.cells)
    print(_explain_local(chosen) if _is_local(options) else explain.explain(chosen), end="")
    return ExitCode.OK


def _is_local(options: argparse.Namespace) -> bool:
    if not (options.engine or os.environ.get("TVM_MATRIX_ENGINE")):
        return False
    from tvm.matrix.engine import select  # noqa: PLC0415 - the engines' client is slow to load

    return select.asked_for(options.engine) == "local"


def _explain_local(chosen: plan.Plan) -> str:
    from tvm.matrix import explain_local  # noqa: PLC0415 - needed only here

    return explain_local.explain(chosen)


def ci_command(options: argparse.Namespace) -> ExitCode:
    """Print the matrix of a GitHub job, or what a CI runs."""
    project = _project(options)
    match "github" if options.workflow else options.format:
        case "github":
            text = ci_github.workflow_text(project)
        case "gitlab":
            text = ci_gitlab.pipeline_text(project)
        case "json":
            text = ci.json_text(project)
        case _:
            text = ci_github.matrix_text(project) + "\n"
    print(text, end="")
    return ExitCode.OK


def schema_command(_options: argparse.Namespace) -> ExitCode:
    """Print the JSON schema of matrix.yaml."""
    print(schema.schema_text(), end="")
    return ExitCode.OK


def _project(options: argparse.Namespace) -> Project:
    return loader.load(options.matrix or loader.find_root(Path.cwd()))
