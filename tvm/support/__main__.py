"""`python -m tvm.support [--json]`: each toolchain on this machine, where it is, which version, and what is missing."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from tvm.support._toolchains import Report, survey


def main(argv: Sequence[str]) -> int:
    """Print the survey, as a table or as JSON. Nothing here is a failure: a machine need not have every toolchain."""
    parser = argparse.ArgumentParser(prog="python -m tvm.support", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(argv)
    reports = survey()
    if given.json:
        print(json.dumps([asdict(report) for report in reports], indent=2))
        return 0
    width = max(len(report.name) for report in reports)
    print("\n".join(_line(report, width) for report in reports))
    return 0


def _line(report: Report, width: int) -> str:
    name = report.name.ljust(width)
    if report.found is None:
        gap = " " * width
        why = report.why.splitlines()[0]
        return "\n".join([f"{name}  missing: {why}", *([f"{gap}  fix: {report.fix}"] if report.fix else [])])
    version = f"  {report.found.version}" if report.found.version else ""
    return f"{name}  {report.found.path}{version}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
