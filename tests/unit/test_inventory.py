import pytest

from tests import inventory


@pytest.mark.parametrize("part", inventory.PARTS, ids=lambda part: part.__name__)
def test_everything_is_as_in_the_inventory(part: inventory.Check) -> None:
    made = part(inventory.inventory())
    assert made.differences == []
    assert made.total > 0


def test_the_inventory_is_complete() -> None:
    facts = inventory.inventory()
    assert sum(len(facts[f"namespace {name}"]) for name in inventory.NAMESPACES) == 131
    assert (len(facts["ptx families"]), len(facts["target tags"]), len(facts["target kinds"])) == (101, 287, 15)


def test_a_difference_is_seen(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    facts = inventory.inventory()
    signature = {**facts["namespace cuda"]["warp_sum"], "signature": "(value)"}
    wrong = {
        **facts,
        "namespace cuda": {**facts["namespace cuda"], "warp_sum": signature, "warp_mean": {"kind": "function"}},
    }
    monkeypatch.setattr(inventory, "inventory", lambda: wrong)
    assert inventory.main([inventory.members]) == 1
    printed = capsys.readouterr().out
    assert "members and signatures: 130 of 132\n" in printed
    assert "Tx.cuda.warp_mean" in printed
    assert "(value, width=32)" in printed
