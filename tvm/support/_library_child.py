"""The child process of `tvm.support.library`: it calls one function and writes what it gave, or the error that it raised."""

import pickle
from pathlib import Path

from tvm.error import TVMError
from tvm.support import library


def main(asked: str, answered: str) -> None:
    """Read function and job from one file and write the answer to the other, whole or not at all."""
    # Written by our own parent into a folder that is this user's alone.
    function, job = pickle.loads(Path(asked).read_bytes())  # noqa: S301
    answer: library.Timed | TVMError
    try:
        answer = library.run_timed(function, job)
    except TVMError as error:
        answer = error
    half = Path(f"{answered}.new")
    half.write_bytes(pickle.dumps(answer))
    half.replace(answered)
