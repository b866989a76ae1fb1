"""Remove boxes: those whose runner is gone, and those of one run."""

from typing import Any

from tvm.matrix.engine import LABEL_HOST, LABEL_RUN, labels
from tvm.matrix.engine.client import Client, engine_errors, remove_container


def reap(client: Client) -> list[str]:
    """Remove the boxes of this machine whose runner is gone; kept ones stay. Return their names, sorted."""
    orphans = (
        name
        for name, marks in boxes(client, f"{LABEL_HOST}={labels.host_id()}")
        if labels.is_orphan(marks) and not name.startswith(labels.KEPT)
    )
    return _removed(client, orphans)


def sweep(client: Client, run_id: str) -> list[str]:
    """Remove every box of one run but those that were kept. Return their names, sorted."""
    found = (name for name, _ in boxes(client, f"{LABEL_RUN}={run_id}") if not name.startswith(labels.KEPT))
    return _removed(client, found)


def boxes(client: Client, label: str = LABEL_RUN) -> list[tuple[str, dict[str, str]]]:
    """Return name and labels of every container that carries a label ("NAME" or "NAME=VALUE"), running or not."""
    with engine_errors("list its containers"):
        found: list[dict[str, Any]] = client.containers(all=True, filters={"label": [label, LABEL_RUN]})
    return [(str(one["Names"][0]).lstrip("/"), dict(one["Labels"])) for one in found if one.get("Names")]


def _removed(client: Client, names: Any) -> list[str]:
    removed = sorted(names)
    for name in removed:
        remove_container(client, name)
    return removed
