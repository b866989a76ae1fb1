from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stand_in import MakeStandIn
from tvm.support._symbols import parse, section_map

_NAME = st.from_regex(r"[A-Za-z_.$][\w.$@]*", fullmatch=True)


@given(st.dictionaries(_NAME, st.sampled_from("TDBRWVCi")), st.booleans())
def test_every_symbol_line_is_read(symbols: dict[str, str], wide: bool) -> None:  # noqa: FBT001 - drawn
    address = "0" * (16 if wide else 8)
    text = "".join(f"{address} {section} {name}\n" for name, section in symbols.items())

    assert parse(text) == symbols


def test_headings_remarks_and_undefined_symbols_are_not_symbols() -> None:
    text = "\nlibx.a:\na.o:\n                 U puts\nnm: a.o: no symbols\n0000000000001139 T f\n"

    assert parse(text) == {"f": "T"}


def test_symbols_of_bitcode_have_dashes_for_an_address() -> None:
    assert parse("---------------- T f\n") == {"f": "T"}


def test_a_library_with_symbols_is_read_once(stand_in: MakeStandIn) -> None:
    nm = stand_in("nm", output="00001139 T f\n")

    assert section_map("x.so", nm=["nm"], flags=["-g"], timeout=None) == {"f": "T"}
    assert nm.calls == [["-g", "x.so"]]


def test_of_a_stripped_library_the_dynamic_symbols_are_read_without_versions(stand_in: MakeStandIn) -> None:
    nm = stand_in("nm", body="print('0001 T f@@V1\\n0002 D g' if '-D' in args else 'nm: x.so: no symbols')")

    assert section_map("x.so", nm=["nm"], flags=["-g"], timeout=None) == {"f": "T", "g": "D"}
    assert nm.calls == [["-g", "x.so"], ["-D", "-g", "x.so"]]


def test_a_file_without_any_symbols_gives_an_empty_map(stand_in: MakeStandIn) -> None:
    stand_in("nm", body="sys.exit('not dynamic' if '-D' in args else 0)")

    assert section_map("x.o", nm=["nm"], flags=["-g"], timeout=None) == {}
