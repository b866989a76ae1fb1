import inspect

from tvm.support._exporter import exporter


def test_a_marked_function_stays_itself_and_gets_both_attributes() -> None:
    def make(output: str, *, level: int = 0) -> None:
        """Make it."""
        made.append((output, level))

    made: list[tuple[str, int]] = []
    marked = exporter(output_format="so", get_target_triple=lambda: "t")(make)
    marked("x", level=2)

    assert made == [("x", 2)]
    assert marked is make
    assert marked.output_format == "so"
    assert marked.get_target_triple() == "t"
    assert list(inspect.signature(marked).parameters) == ["output", "level"]
