import json
from dataclasses import FrozenInstanceError, asdict

import pytest

from tvm.matrix.model import Depth
from tvm.matrix.outcome import CellOutcome, CheckOutcome, Evidence, Status


def test_a_status_is_its_word_in_json() -> None:
    assert json.dumps([*Status]) == '["passed", "failed"]'


def test_a_check_that_says_nothing_more_has_no_tests_and_no_reason() -> None:
    check = CheckOutcome(name="cc", status=Status.FAILED)
    assert (check.tests, check.failures, check.seconds, check.why, check.fix, check.command) == (0, 0, 0.0, "", "", ())


def test_outcomes_are_values() -> None:
    check = CheckOutcome(name="cc", status=Status.PASSED)
    assert CellOutcome(cell="a", status=Status.PASSED, checks=(check,)) == CellOutcome(
        cell="a", status=Status.PASSED, checks=(check,)
    )
    with pytest.raises(FrozenInstanceError):
        check.name = "other"  # type: ignore[misc] # what is tried is that it cannot be done


def test_evidence_orders_by_depth() -> None:
    evidence = [Evidence(depth=depth, by="a", detail="") for depth in (Depth.linked, Depth.executed, Depth.compiled)]
    assert asdict(max(evidence, key=lambda item: item.depth))["depth"] is Depth.executed
