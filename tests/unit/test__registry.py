from collections.abc import Callable, Iterator
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.registries import failing
from tvm import _journal, _registry
from tvm._registry import Registry
from tvm.error import RegistryError


@pytest.fixture
def registry() -> Iterator[Registry[str, int]]:
    made: Registry[str, int] = Registry("a number")
    yield made
    _registry._ALL.remove(made)


def test_a_value_is_found_by_its_name(registry: Registry[str, int]) -> None:
    assert registry.register("one", 1) == 1
    assert (registry["one"], registry.get("one"), "one" in registry, registry.names()) == (1, 1, True, ["one"])


def test_a_name_is_registered_once(registry: Registry[str, int]) -> None:
    registry.register("one", 1)
    with pytest.raises(RegistryError, match="'one' is registered already as a number") as caught:
        registry.register("one", 2)
    assert "override=True" in str(caught.value)
    assert registry["one"] == 1


def test_an_override_replaces(registry: Registry[str, int]) -> None:
    registry.register("one", 1)
    registry.register("one", 11, override=True)
    assert registry["one"] == 11


def test_an_unknown_name_lists_all_and_suggests(registry: Registry[str, int]) -> None:
    registry.register("three", 3)
    with pytest.raises(RegistryError) as caught:
        registry["thre"]
    assert str(caught.value) == "'thre' is not a number\nlooked in:\n  three\nfix: did you mean three?"
    assert registry.get("thre") is None


def test_a_removed_name_is_free(registry: Registry[str, int]) -> None:
    registry.register("one", 1)
    registry.unregister("one")
    with pytest.raises(RegistryError, match="'one' is not a number"):
        registry.unregister("one")
    registry.register("one", 2)


def test_a_lazy_value_is_made_once_at_its_first_use(registry: Registry[str, int]) -> None:
    load = Mock(return_value=1)
    registry.register_lazy("one", load)
    assert registry.names() == ["one"]
    load.assert_not_called()
    assert [registry["one"], registry["one"], load.call_count] == [1, 1, 1]


def test_a_lazy_value_that_cannot_be_made_can_be_tried_again(registry: Registry[str, int]) -> None:
    registry.register_lazy("one", Mock(side_effect=[ZeroDivisionError, 1]))
    with pytest.raises(ZeroDivisionError):
        registry["one"]
    assert registry["one"] == 1


@pytest.mark.parametrize("given", [(None, None), (1, lambda: 1)])
def test_one_of_value_and_load_is_given(given: tuple[None, None], registry: Registry[str, int]) -> None:
    with pytest.raises(RegistryError, match="give either the thing itself or load="):
        registry.register_given("one", *given, override=False)


class TestTables:
    def test_one_is_read_when_a_name_of_its_own_is_asked_for(self, registry: Registry[str, int]) -> None:
        load = Mock(return_value={"a/1": 1})
        registry.register_table("a/", load)
        assert registry.get("b/1") is None
        load.assert_not_called()
        assert (registry["a/1"], "a/2" in registry, registry.get("a/2"), load.call_count) == (1, False, None, 1)
        assert list(registry.items()) == [("a/1", 1)]

    def test_two_do_not_overlap(self, registry: Registry[str, int]) -> None:
        registry.register_table("a/", dict)
        for prefix in ("a/", "a/b", "a", ""):
            with pytest.raises(RegistryError, match="a table for names that begin with 'a/'"):
                registry.register_table(prefix, dict)
        registry.register_table("b/", dict)

    def test_a_name_of_a_table_is_taken(self, registry: Registry[str, int]) -> None:
        registry.register_table("a/", lambda: {"a/1": 1})
        with pytest.raises(RegistryError, match="registered already"):
            registry.register("a/1", 2)
        registry.register("a/1", 2, override=True)
        assert registry["a/1"] == 2
        registry.unregister("a/1")
        assert registry["a/1"] == 1
        with pytest.raises(RegistryError, match="of a table, which can only be unregistered whole"):
            registry.unregister("a/1")

    def test_one_is_removed_whole(self, registry: Registry[str, int]) -> None:
        registry.register_table("a/", lambda: {"a/1": 1})
        registry.unregister_table("a/")
        assert "a/1" not in registry
        with pytest.raises(RegistryError, match="no table for names that begin with 'a/'"):
            registry.unregister_table("a/")


class TestUndo:
    def test_another_threads_override_is_not_undone(self, registry: Registry[str, int]) -> None:
        with failing():
            registry.register("one", 1)
            # What another thread does has no journal.
            _journal._current.journal, mine = None, _journal._current.journal
            registry.register("one", 2, override=True)
            _journal._current.journal = mine
        assert registry["one"] == 2

    @given(
        st.lists(
            st.tuples(
                st.sampled_from("abc"), st.sampled_from(["register", "override", "lazy", "unregister", "table", "drop"])
            )
        )
    )
    def test_any_sequence_of_changes_leaves_no_trace(self, steps: list[tuple[str, str]]) -> None:
        registry: Registry[str, int] = Registry("a number of a sequence")
        try:
            registry.register("a", 1)
            registry.register_table("c", lambda: {"cc": 3})
            before = registry.snapshot()
            with failing():
                for name, what in steps:
                    _change(registry, name, what)
            assert registry.snapshot() == before
        finally:
            _registry._ALL.remove(registry)


def _change(registry: Registry[str, int], name: str, what: str) -> None:
    actions: dict[str, Callable[[], object]] = {
        "register": lambda: registry.register(name, 5),
        "override": lambda: registry.register(name, 6, override=True),
        "lazy": lambda: registry.register_lazy(name, lambda: 7),
        "unregister": lambda: registry.unregister(name),
        "table": lambda: registry.register_table(name, dict),
        "drop": lambda: registry.unregister_table(name),
    }
    try:
        actions[what]()
    except RegistryError:
        return


def test_a_suggestion_is_empty_where_nothing_is_near() -> None:
    assert _registry.suggestion("zzz", ["cuda"]) == ""
    assert _registry.suggestion("cdua", ["cuda", "rocm"]) == "did you mean cuda?"
