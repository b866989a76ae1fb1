from tests import inventory
from tvm.backend.metal.target_tags import TAGS


def test_the_tags_are_those_of_the_inventory() -> None:
    facts = inventory.inventory()["target tags"]
    assert {
        name: fact["config_as_registered"] for name, fact in facts.items() if fact["registered_by"] == "metal"
    } == TAGS
