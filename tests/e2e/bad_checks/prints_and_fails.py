"""Prints 100 MB, which pytest keeps, and fails: pytest then prints all of it."""

import os

BLOCK = (b"x" * 99 + b"\n") * 10_000


def test_it_prints_100_mb_and_fails() -> None:
    for _ in range(100):
        os.write(1, BLOCK)
    message = "after 100 MB"
    raise AssertionError(message)
