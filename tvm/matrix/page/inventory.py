"""The tools that a cell's image holds, beside what matrix.yaml asks for."""

from tvm.matrix.model import Project
from tvm.matrix.page._html import Safe, element
from tvm.matrix.page._parts import count, digest, row, table
from tvm.matrix.page.view import Cell


def section(project: Project, cell: Cell) -> Safe:
    """Return the table of tools, with the number of packages in its caption."""
    image = cell.own["image"]
    asked = project.matrix.images[image["name"]].tools if image["name"] in project.matrix.images else {}
    rows = (
        row(
            name,
            tool.get("version", ""),
            element("td", element("code", asked.get(name, ""))),
            element("td", element("code", tool.get("path", ""))),
            digest(tool.get("sha256", "")),
        )
        for name, tool in sorted(image["tools"].items())
    )
    heads = ["Tool", "Version", "Asked for", "Path", "sha256"]
    return table(f"Tools of {cell.name}{_packages(cell)}", heads, [element("tbody", *rows)])


def _packages(cell: Cell) -> str:
    """Return how many packages the image holds; a manifest of before they were written down says nothing of them."""
    packages = cell.own.get("packages", {})
    kinds = {"dpkg": "Debian package", "pip": "Python package"}
    counted = [count(len(packages[kind]), noun) for kind, noun in kinds.items() if packages.get(kind)]
    return f": {' and '.join(counted)} stand in the manifest" if counted else ""
