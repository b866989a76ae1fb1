"""The table of faults: how many of each kind were played, and what they left behind."""

from dataclasses import dataclass, field

# The modules whose every test is a fault, by what strikes.
KINDS = {
    "test_bad_input": "a matrix or a source that is wrong",
    "test_check_faults": "a check that misbehaves in its box",
    "test_engine_faults": "an engine that is absent, refuses, dies, has no room",
    "test_engine_restart": "an engine that is restarted",
    "test_image_faults": "an image that cannot be built",
    "test_interrupts": "Ctrl-C, SIGTERM, SIGHUP at every step",
    "test_machine_faults": "clock jumps, a full disk, ten runs, images that go",
    "test_real_cells": "Ctrl-C and SIGKILL of each real cell",
    "test_two_runs": "two runs at once, and runs after a killed one",
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one fault left on the engine and in the folder of results."""

    kind: str
    containers: int
    half_made: int


@dataclass(kw_only=True)
class Tally:
    """The faults of one session."""

    rows: list[Row] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return a line per kind, then their sum."""
        kinds = (kind for kind in KINDS.values() if any(row.kind == kind for row in self.rows))
        return [*map(self._line, kinds), self._line("")]

    def _line(self, kind: str) -> str:
        rows = [row for row in self.rows if not kind or row.kind == kind]
        containers, half = sum(row.containers for row in rows), sum(row.half_made for row in rows)
        counts = f"{len(rows)} faults, {containers} containers, {half} half artefacts"
        return f"{kind}: {counts}" if kind else counts
