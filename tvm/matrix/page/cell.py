"""All that is known of one cell, folded unless it failed."""

from typing import Any

from tvm.matrix.model import Project
from tvm.matrix.page import artefacts, changes, inventory, logs
from tvm.matrix.page._html import Safe, element, join
from tvm.matrix.page._parts import bar, command, count, duration, fold, link, moment, number, row, status, table, words
from tvm.matrix.page.overview import repro, result
from tvm.matrix.page.view import Cell

# Failures first; what was not started says what to install, so it comes before what is well.
_ORDER = {"failed": 0, "unavailable": 1, "passed": 2}


def section(project: Project, cell: Cell) -> Safe:
    """Return what unfolds below a cell's name. Only a failure is unfolded from the beginning."""
    own = cell.own
    name = element("h3", cell.name)
    about = words(
        count(len(own["checks"]), "check"), count(len(own["artefacts"]), "artefact"), duration(own["seconds"])
    )
    summary = element("summary", name, result(cell), element("span", about, class_="note"))
    parts = [_origin(cell), _why(cell), _again(cell), _checks(cell), artefacts.section(cell)]
    parts += [inventory.section(project, cell), changes.section(cell), _more(cell)]
    return element("details", summary, *parts, id=f"cell-{cell.name}", class_="cell", open_=cell.failed)


def _origin(cell: Cell) -> Safe:
    image = cell.own["image"]
    where = "local, network not isolated" if cell.is_local else ""
    tree = join(["tree ", element("code", cell.revision)])
    made = join(["image ", element("code", f"{image['name']}:{image['tag']}")])
    vendor = "" if image["vendor_route"] == "none" else f"tools: {image['vendor_route']}"
    base = f"base: {image['base_route']}"
    # A manifest of an earlier version does not tell.
    slow = "emulated: slow" if image.get("emulation") else ""
    return element("p", words(moment(cell.finished), tree, made, vendor, base, slow, where))


def _why(cell: Cell) -> Safe:
    own = cell.own
    lines = [element("p", element("b", "Why: "), own["why"])] if own["why"] else []
    lines += [element("p", element("b", "Fix: "), own["fix"])] if own["fix"] else []
    return element("div", *lines, class_="why") if lines else Safe("")


def _again(cell: Cell) -> Safe:
    """Return the commands that a reader may want next."""
    lines = {
        "run it again": f"nox -s {cell.name}",
        "build it twice and compare": f"nox -s repro -- {cell.name}",
        "build your own source": f"nox -s {cell.name} -- build SRC... -o OUT",
        "print exactly what runs": f"python -m tvm.matrix explain {cell.name}",
    }
    pairs = (
        join([element("dt", what), element("dd", command(line, what=f"copy command: {what}"))])
        for what, line in lines.items()
    )
    return element("dl", *pairs, class_="again")


def _checks(cell: Cell) -> Safe:
    checks = sorted(cell.own["checks"], key=lambda item: _ORDER.get(item["status"], 0))
    longest = max((item["seconds"] for item in checks), default=0.0)
    heads = ["Check", "Result", "#Tests passed", "Time"]
    bodies = (_check(cell, item, longest, len(heads)) for item in checks)
    return table(f"Checks of {cell.name}", heads, bodies, class_="checks")


def _check(cell: Cell, item: dict[str, Any], longest: float, width: int) -> Safe:
    failed, ran = item["status"] == "failed", item["status"] != "unavailable"
    passed = f"{item['tests'] - item['failures']} of {item['tests']}" if ran else "not started"
    first = row(
        item["name"], status(item["status"], cell.tone(item["status"])), number(passed), bar(item["seconds"], longest)
    )
    why = element("p", words(item["why"], item["fix"])) if item["why"] else Safe("")
    tests = logs.failures(cell, item["name"]) if failed else Safe("")
    parts = (why, tests, logs.output(cell, item["name"], item["command"], failed=failed))
    return element("tbody", first, element("tr", element("td", *parts, colspan=width), class_="how"))


def _more(cell: Cell) -> Safe:
    own = cell.own
    variables = sorted(cell.data["predicate"]["buildDefinition"]["internalParameters"]["environment"].items())
    body = element("tbody", *(row(name, element("code", value)) for name, value in variables))
    environment = fold("environment of the box", table(f"Environment of {cell.name}", ["Variable", "Value"], [body]))
    note = (
        fold("how the image came", element("p", own["image"]["route_note"])) if own["image"]["route_note"] else Safe("")
    )
    links = words(link(cell, "manifest.json", "manifest.json"), join(["repro: ", repro(cell)]))
    return join([environment, note, element("p", links)])
