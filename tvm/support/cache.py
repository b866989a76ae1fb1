"""The compile cache: it stands between every wrapper and its tool, and gives back what the tool made before of the same things.

`python -m tvm.support.cache stats|verify|prune` looks after it. TVM_COMPILE_CACHE is off, read or on (the default).
"""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

from tvm.support import library, process, record
from tvm.support._cache import calls, cli, closed, flow, gnu, nvcc
from tvm.support._cache.flow import Made, NotCachedError
from tvm.support._cache.settings import Mode
from tvm.support._cache.states import State
from tvm.support._cache.store import File, Product
from tvm.support.library import Outcome, Timed
from tvm.support.process import Arg, Completed

__all__ = ["Mode", "NotCachedError", "Plan", "Tool", "call", "run"]

T = TypeVar("T")


class Tool(Enum):
    """Whose command line a call has: gcc's and clang's, nvcc's, or that of a tool that reads only the files it is given."""

    GNU = "gnu"
    NVCC = "nvcc"
    CLOSED = "closed"


_READERS: dict[Tool, calls.Read] = {Tool.GNU: gnu.read, Tool.NVCC: nvcc.read, Tool.CLOSED: closed.read}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a library's product depends on: a hash of all that the call is told, and a function that gives what it has read."""

    key: str
    made_from: Callable[[], Sequence[State]]


def call(
    function: Callable[[T], Outcome],
    job: T,
    *,
    name: str,
    options: Sequence[str],
    inputs: Mapping[str, bytes | Path],
    plan: Callable[[], Plan],
    heading: str = "Tool error",
    timeout: float | None = None,
    fix: str = "",
) -> Outcome:
    """Do what `library.call` does, unless the cache has the product.

    `plan` raises NotCachedError where the product is not to be cached. A hit is recorded as a call with `cached` true.
    """

    def direct() -> Outcome:
        return library.call(
            function, job, name=name, options=options, inputs=inputs, heading=heading, timeout=timeout, fix=fix
        )

    opened = flow.current()
    if opened is None:
        return direct()
    try:
        planned = plan()
    except (NotCachedError, OSError) as error:
        flow.not_kept(error)
        return direct()
    began = time.monotonic()
    fetched = flow.fetch(opened, planned.key, lambda _: Made(product=_product(direct()), made_from=planned.made_from))
    outcome = _outcome(fetched.product)
    if fetched.hit and (recorder := record.current()):
        timed = Timed(outcome=outcome, seconds=time.monotonic() - began)
        recorder(library.described(timed, options, inputs, cached=True))
    return outcome


def run(
    argv: Sequence[Arg],
    *,
    outputs: Sequence[Arg],
    heading: str = "Tool error",
    cwd: Arg | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    inputs: Sequence[Arg] = (),
    fix: str = "",
    tool: Tool = Tool.GNU,
) -> Completed:
    """Do what `process.run` does, unless the cache has the product, which `outputs` names (one file).

    `tool` says whose command line it is. A call that is not wholly understood (an option that is not known) goes to its tool and is not kept. A hit is
    recorded as a call with `cached` true.
    """

    def direct(beside: Sequence[str] = (), further: Mapping[str, str] | None = None) -> Completed:
        environment = env if not further else {**(os.environ if env is None else env), **further}
        return process.run(
            argv,
            heading=heading,
            cwd=cwd,
            env=environment,
            timeout=timeout,
            inputs=inputs,
            outputs=outputs,
            fix=fix,
            beside=beside,
        )

    opened = flow.current()
    if opened is None:
        return direct()
    return calls.run(opened, argv, cwd=cwd, env=env, inputs=inputs, outputs=outputs, direct=direct, read=_READERS[tool])


def _product(outcome: Outcome) -> Product:
    about = {"log": outcome.log, "path": outcome.path, "version": outcome.version}
    return Product(files={name: File(data=data) for name, data in outcome.products.items()}, about=about)


def _outcome(product: Product) -> Outcome:
    about = product.about
    products = {name: file.data for name, file in product.files.items()}
    return Outcome(code=0, log=about["log"], path=about["path"], version=about["version"], products=products)


if __name__ == "__main__":
    sys.exit(cli.main())
