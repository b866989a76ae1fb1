"""What a check needs of its box: tools in the versions of matrix.yaml. Asked before it starts."""

from collections.abc import Mapping, Sequence

from tvm.matrix import tools
from tvm.matrix.engine import Box
from tvm.matrix.outcome import CheckOutcome, Status
from tvm.matrix.plan import PlannedCell, PlannedCheck

_LIMIT = 60.0


def unmet(check: PlannedCheck, box: Box, *, local: bool) -> dict[str, str]:
    """Return each tool that is not the one that matrix.yaml asks for, with the reason; `local` is a box without an image."""
    found = {}
    for probe in check.probes:
        done = box.run(probe.argv, timeout=_LIMIT)
        specifier = (tools.local_specifier(probe.tool) if local else "") or probe.specifier
        found[probe.tool] = tools.check(probe.tool, specifier, done.output, done.code)
    return {tool: why for tool, why in found.items() if why}


def mend(cell: PlannedCell, check: PlannedCheck, found: Mapping[str, str], *, local: bool) -> str:
    """Return what to do about tools that are `unmet`."""
    if not local:
        return f"the image holds another version: nox -s lock -- {cell.image} takes it into matrix.yaml; or mend images/{cell.image}"
    wanted = {probe.tool: probe.specifier for probe in check.probes}
    hints = (f"{tool} {wanted[tool]} ({tools.install_hint(tool)})" for tool in found)
    return f"install {', '.join(hints)}, or use a container engine: nox -s engine"


def verdict(checks: Sequence[CheckOutcome], *, require_all: bool) -> tuple[Status, str, str]:
    """Return what the checks that could not run make of a cell whose other checks passed: status, why, fix."""
    missing = [check for check in checks if check.status is Status.UNAVAILABLE]
    if not missing:
        return Status.PASSED, "", ""
    why = f"{len(missing)} of {len(checks)} checks unavailable: {', '.join(check.name for check in missing)}"
    if len(missing) == len(checks):
        return Status.UNAVAILABLE, why, missing[0].fix
    return (Status.FAILED if require_all else Status.PASSED), why, missing[0].fix
