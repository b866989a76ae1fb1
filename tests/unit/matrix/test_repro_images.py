from collections.abc import Mapping
from typing import Any

import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.world import World
from tvm.error import DifferenceError, ExitCode, ImageError
from tvm.matrix import repro_images
from tvm.matrix.repro_images import Same


def run(world: World, *cells: str) -> list[Same]:
    told = list[Same]()
    repro_images.repro_images(world.session(), world.plan(*cells), told.append)
    return told


def changed(**parts: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**fake.prepared("first").inventory, **parts}


def test_two_builds_that_hold_the_same(world: World) -> None:
    held = fake.prepared("first").inventory
    (same,) = run(world, "first")
    assert (same.image, same.packages, same.tools) == (
        "first",
        len(held["dpkg"]) + len(held["pip"]),
        len(held["tools"]),
    )
    assert world.told.lines == [
        "first started",
        "first: image first of project",
        "first: second build of image first",
        "first: image first of project again",
    ]
    assert world.engine.boxes == []


def test_what_differs_is_named_with_both_values(world: World) -> None:
    dpkg = {**fake.prepared("first").inventory["dpkg"], "new": "1.0"}
    world.engine.rebuilt["first"] = changed(dpkg=dpkg)
    with pytest.raises(DifferenceError) as caught:
        run(world, "first")
    assert caught.value.exit_code is ExitCode.DIFFERENT
    assert caught.value.cause == "first: two builds of image first hold different things:\n  + package new: 1.0"
    assert "images/first" in caught.value.fix


def test_an_image_of_several_cells_is_built_once_more(world: World) -> None:
    cells = world.project.matrix.cells
    cells["third"] = cells["first"]
    assert [same.image for same in run(world, "first", "second", "third")] == ["first", "second"]


def test_an_image_that_cannot_be_built_does_not_stop_the_next(world: World) -> None:
    world.engine.broken["first"] = ImageError("step 3 failed")
    told = list[Same]()
    with pytest.raises(ImageError):
        repro_images.repro_images(world.session(), world.plan("first", "second"), told.append)
    assert [same.image for same in told] == ["second"]
