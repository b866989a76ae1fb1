"""What a run shows: a live table on a terminal, plain lines elsewhere, and the tables of results."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tvm.matrix.coverage import Row, summary
from tvm.matrix.engine.local import SENTENCE
from tvm.matrix.engine.printed import last_lines
from tvm.matrix.outcome import CellOutcome, CheckOutcome, Status
from tvm.matrix.report import Entry
from tvm.matrix.session import Listener
from tvm.support.record import strip_credentials

_STYLES = {"passed": "green", "failed": "bold red", "unavailable": "yellow"}
# How much of a failed check's output stands on the terminal; all of it lies in the log.
_TAIL = 60


@contextmanager
def listener(
    console: Console, cells: Sequence[str], seconds: Mapping[str, float] = MappingProxyType({})
) -> Iterator[Listener]:
    """Yield the live table where `console` is a terminal, else plain lines. `seconds` is what the cells took the last time."""
    if not console.is_terminal:
        yield Lines(console=console)
        return
    table = LiveTable(console=console, states={cell: _State() for cell in cells}, last=seconds)
    with Live(console=console, get_renderable=table.render, refresh_per_second=4, transient=True):
        yield table


@dataclass(frozen=True, kw_only=True)
class Lines:
    """One line per event, each with its cell, so that parallel runs can be told apart."""

    console: Console
    _begun: dict[str, float] = field(default_factory=dict)

    def started(self, cell: str) -> None:
        """Print that a cell begins."""
        self._begun[cell] = time.monotonic()
        self._line(cell, "started")

    def progress(self, cell: str, text: str) -> None:
        """Print one step."""
        self._line(cell, text)

    def checked(self, cell: str, check: CheckOutcome, log: str) -> None:
        """Print how a check ended, and the end of its output if it did not pass."""
        self._line(cell, f"check {check.name} {_ending(check)}")
        _print_failure(self.console, check, log)

    def ended(self, outcome: CellOutcome, folder: Path) -> None:
        """Print how the cell ended."""
        self._line(outcome.cell, f"{outcome.status.value}, {len(outcome.artefacts)} artefacts in {folder}")

    def _line(self, cell: str, text: str) -> None:
        now = time.monotonic()
        seconds = now - self._begun.get(cell, now)
        self.console.print(
            f"[{cell or 'matrix'} {seconds:5.1f} s] {strip_credentials(text)}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )


@dataclass(kw_only=True)
class _State:
    status: str = "waiting"
    step: str = ""
    begun: float = 0.0
    seconds: float = 0.0
    checks: list[str] = field(default_factory=list)
    artefacts: int = 0


@dataclass(frozen=True, kw_only=True)
class LiveTable:
    """A row per cell that is redrawn as the run goes."""

    console: Console
    states: dict[str, _State]
    last: Mapping[str, float] = field(default_factory=dict)

    def started(self, cell: str) -> None:
        """Show that a cell runs."""
        self.states[cell] = _State(status="running", begun=time.monotonic())

    def progress(self, cell: str, text: str) -> None:
        """Show one step; what belongs to no cell is printed above the table."""
        if state := self.states.get(cell):
            state.step = strip_credentials(text).splitlines()[0] if text else ""
        else:
            self.console.print(escape(strip_credentials(text)))

    def checked(self, cell: str, check: CheckOutcome, log: str) -> None:
        """Show how a check ended; the output of a failed one is printed above the table."""
        counts = f"{check.tests - check.failures}/{check.tests}" if check.tests else check.status.value
        self.states[cell].checks.append(f"{check.name} {counts}")
        _print_failure(self.console, check, log)

    def ended(self, outcome: CellOutcome, folder: Path) -> None:
        """Show how the cell ended."""
        state = self.states[outcome.cell]
        state.status, state.step = outcome.status.value, str(folder)
        state.seconds, state.artefacts = time.monotonic() - state.begun, len(outcome.artefacts)

    def render(self) -> Table:
        """Return the table as it stands now."""
        table = Table(
            "cell", "status", "checks", "artefacts", "s", "step", caption=self._left(), caption_justify="left"
        )
        for cell, state in self.states.items():
            running = state.status == "running"
            seconds = time.monotonic() - state.begun if running else state.seconds
            table.add_row(
                cell,
                Text(state.status, style=_STYLES.get(state.status, "")),
                ", ".join(state.checks),
                str(state.artefacts or ""),
                f"{seconds:.0f}" if state.begun else "",
                Text(state.step, overflow="ellipsis", no_wrap=True),
            )
        return table

    def _left(self) -> str | None:
        """Return about how long the run will take yet, by what its cells took the last time; None where one never ran."""
        ahead = [cell for cell, state in self.states.items() if state.status in {"waiting", "running"}]
        if not ahead or any(cell not in self.last for cell in ahead):
            return None
        left = 0.0
        for cell in ahead:
            begun = self.states[cell].begun
            left += max(0.0, self.last[cell] - (time.monotonic() - begun if begun else 0.0))
        minutes, rest = divmod(round(left), 60)
        return f"about {minutes} min {rest} s left" if minutes else f"about {rest} s left"


def results_table(found: Sequence[Entry], proofs: Sequence[dict[str, Any]]) -> Table:
    """Return the table of all cells that have a result; `proofs` are their repro proofs, in the same order."""
    table = Table("cell", "status", "checks", "artefacts", "repro", "s", "image", title="results", title_justify="left")
    for entry, proof in zip(found, proofs, strict=True):
        own = entry.own
        checks = ", ".join(map(_counts, own["checks"]))
        style = _STYLES.get(own["status"], "") if entry.current else "dim"
        repro = f"{len(proof['artefacts'])} identical" if proof.get("identical") else ("different" if proof else "")
        table.add_row(
            entry.place,
            Text(entry.status, style=style),
            checks,
            str(len(own["artefacts"])),
            repro,
            f"{own['seconds']:.1f}",
            routes(own["image"]),
            style="" if entry.current else "dim",
        )
    return table


def artefact_table(own: dict[str, Any]) -> Table:
    """Return the artefacts of one cell: what each is, how deep it was checked, its size and hash."""
    table = Table("artefact", "arch", "depth", "bytes", "sha256")
    for item in own["artefacts"]:
        shown = next(entry for entry in item["evidence"] if entry["depth"] == item["depth"])
        table.add_row(
            item["name"],
            escape(item["arch"]),
            escape(f"{item['depth']} ({shown['by']})"),
            str(item["size"]),
            item["sha256"][:16],
        )
    return table


def coverage_table(rows: Sequence[Row]) -> Table:
    """Return hardware x depth: a row per arch with the why of each gap."""
    table = Table("cell", "arch", "declared", "reached", "by", "why", title=summary(rows), title_justify="left")
    for row in rows:
        reached = Text(row.reached.name if row.reached else "nothing", style="green" if row.met else "bold red")
        table.add_row(row.cell, row.arch, row.declared.name, reached, escape(row.by), escape(row.why))
    return table


def routes(image: dict[str, Any]) -> str:
    """Return an image's tag and by which routes it came: "ndk:0a1b... (stand-in, bootstrapped)"; without an engine, that."""
    if image["base_route"] == "local":
        return SENTENCE
    ways = [way for way in (image["vendor_route"], image["base_route"]) if way != "none"]
    # A manifest of an earlier version does not tell.
    ways += ["emulated: slow"] if image.get("emulation") else []
    return f"{image['name']}:{image['tag']} ({', '.join(ways)})"


def _counts(check: dict[str, Any]) -> str:
    if check["status"] == Status.UNAVAILABLE.value:
        return f"{check['name']} unavailable"
    return f"{check['name']} {check['tests'] - check['failures']}/{check['tests']}"


def _ending(check: CheckOutcome) -> str:
    why = f": {check.why}" if check.why else ""
    return f"{check.status.value} in {check.seconds:.1f} s{why}"


def _print_failure(console: Console, check: CheckOutcome, log: str) -> None:
    if check.status is Status.FAILED:
        console.print(strip_credentials(last_lines(log, _TAIL)), markup=False, highlight=False, soft_wrap=True)
