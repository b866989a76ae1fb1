import pytest

from tests.unit.support.pool_processes import await_that, below
from tvm.support._pool.engine import Engine
from tvm.support._pool.member import Member
from tvm.support.popen_pool import PopenPoolExecutor


def test_a_mistake_of_its_own_leaves_nobody_waiting_and_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Member, __: object) -> None:
        msg = "a mistake"
        raise AssertionError(msg)

    pool = PopenPoolExecutor(1)
    assert pool.submit(abs, -1).result() == 1
    monkeypatch.setattr(Member, "give", fail)
    waiting = [pool.submit(abs, -1) for _ in range(3)]

    assert [repr(future.exception(30)) for future in waiting] == ["AssertionError('a mistake')"] * 3
    await_that(lambda: below() == set())
    with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
        pool.submit(abs, 1)


def test_a_pool_that_was_never_used_costs_nothing() -> None:
    pool = PopenPoolExecutor(2)
    pool.shutdown()

    assert isinstance(pool._engine, Engine)
    assert pool._engine.thread is None
