"""The remote tier (placeholder until below)."""

from tvm.support._cache.store import Product, Store


def load(_opened: Store, _key: str) -> Product | None:
    return None


def save(_opened: Store, _key: str) -> None:
    pass
