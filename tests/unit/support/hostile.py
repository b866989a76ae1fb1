"""Archives that were made to do harm: each kind by its name, as bytes. All of them must be refused before anything is written."""

import gzip
import io
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable

_GOOD = ("good", b"good")
_BLOCK = 512
_LARGE = 1 << 22


def kinds() -> dict[str, bytes]:
    """Return every archive. `unpack` is to be called with limits of 1 MiB and 100 members."""
    return {name: make() for name, make in _KINDS.items()}


def _info(name: str, kind: bytes = tarfile.REGTYPE, *, link: str = "", size: int = 0, **pax: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size, info.pax_headers = (
        kind,
        link,
        size,
        {key.replace("_", "."): value for key, value in pax.items()},
    )
    return info


def _tar(*infos: tarfile.TarInfo, compress: bool = False, pax: dict[str, str] | None = None) -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w", format=tarfile.PAX_FORMAT, pax_headers=pax or {}) as tar:
        good = tarfile.TarInfo(_GOOD[0])
        good.size = len(_GOOD[1])
        tar.addfile(good, io.BytesIO(_GOOD[1]))
        for info in infos:
            tar.addfile(info, io.BytesIO(bytes(info.size)))
    return gzip.compress(sink.getvalue(), mtime=0) if compress else sink.getvalue()


def _raw_header(name: bytes, *, size: bytes = b"00000000000\0", kind: bytes = b"0") -> bytes:
    """Return a header that the standard library would not write, with a checksum that is right."""
    head = bytearray(_BLOCK)
    head[: len(name)] = name
    head[100:136] = b"0000644\0" + b"0000000\0" * 2 + size
    head[136:148] = b"00000000000\0"
    head[148:156] = b" " * 8
    head[156:157] = kind
    head[257:265] = b"ustar\x0000"
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head)


def _after_good(*blocks: bytes) -> bytes:
    return _tar()[: 2 * _BLOCK] + b"".join(blocks) + bytes(2 * _BLOCK)


def _zip(*members: tuple[zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", method) as listing:
        listing.writestr(*_GOOD)
        for info, content in members:
            listing.writestr(info, content, compress_type=method)
    return sink.getvalue()


def _entry(name: str, *, mode: int = 0, data: bytes = b"") -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info, data


def _patched(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    return data.replace(old, new)


def _central(data: bytes, offset: int, value: bytes) -> bytes:
    """Return a zip whose last entry of the directory has other bytes at an offset."""
    start = data.rindex(b"PK\x01\x02")
    return data[: start + offset] + value + data[start + offset + len(value) :]


def _bomb() -> bytes:
    return _tar(_info("zeros", size=_LARGE), compress=True)


def _overlapping() -> bytes:
    """Two entries of the directory point to the same bytes; the names differ."""
    data = bytearray(_zip(_entry("other", data=b"x" * 100)))
    last = data.rindex(b"PK\x01\x02")
    data[last + 42 : last + 46] = struct.pack("<I", 0)
    return bytes(data)


_KINDS: dict[str, Callable[[], bytes]] = {
    "tar: absolute name": lambda: _tar(_info("/etc/x")),
    "tar: out of the folder": lambda: _tar(_info("a/../../x")),
    "tar: out of the folder by a pax name": lambda: _tar(_info("x", path="../x")),
    "tar: out of the folder by a global name": lambda: _tar(_info("x"), pax={"path": "../x"}),
    "tar: a link, and a file through it": lambda: _tar(_info("l", tarfile.SYMTYPE, link=".."), _info("l/x")),
    "tar: a hard link": lambda: _tar(_info("x", tarfile.LNKTYPE, link="good")),
    "tar: a hard link to a file outside": lambda: _tar(_info("x", tarfile.LNKTYPE, link="/etc/passwd")),
    "tar: a link by a pax target": lambda: _tar(_info("x", tarfile.SYMTYPE, link="y", linkpath="/etc/passwd")),
    "tar: a device": lambda: _tar(_info("x", tarfile.CHRTYPE)),
    "tar: a fifo": lambda: _tar(_info("x", tarfile.FIFOTYPE)),
    "tar: a sparse file": lambda: _after_good(_raw_header(b"x", kind=b"S")),
    "tar: a pax sparse file": lambda: _tar(
        _info("x", GNU_sparse_major="1", GNU_sparse_minor="0", GNU_sparse_realsize="99999999")
    ),
    "tar: an unknown kind": lambda: _after_good(_raw_header(b"x", kind=b"Z")),
    "tar: the same name twice": lambda: _tar(_info("good")),
    "tar: a file below a file": lambda: _tar(_info("good/x")),
    "tar: a negative size": lambda: _after_good(_raw_header(b"x", size=b"\xff" * 11 + b"\x00")),
    "tar: a size that no disk has": lambda: _after_good(
        _raw_header(b"x", size=b"\x80" + b"\x00" * 3 + b"\x7f" + b"\xff" * 7)
    ),
    "tar: a size that is no number": lambda: _after_good(_raw_header(b"x", size=b"zzzzzzzzzzz\0")),
    "tar: a pax size that is no number": lambda: _tar(_info("x", size=4, GNU_sparse_size="1e99", GNU_sparse_map="a,b")),
    "tar: more bytes than the limit": lambda: _tar(_info("zeros", size=_LARGE)),
    "tar: more members than the limit": lambda: _tar(*(_info(f"x{number}") for number in range(200))),
    "tar: a name longer than any": lambda: _tar(_info("x" * 5000)),
    "tar: ten thousand folders deep": lambda: _tar(_info("d/" * 10_000 + "x")),
    "tar: a header cut off": lambda: _tar()[: 2 * _BLOCK + 100],
    "tar: no end": lambda: _tar()[: 2 * _BLOCK],
    "gzip: a bomb": _bomb,
    "gzip: another stream behind the first": lambda: _tar(compress=True) + gzip.compress(bytes(_LARGE * 4), mtime=0),
    "gzip: noise behind the stream": lambda: _tar(compress=True) + b"noise",
    "gzip: cut off": lambda: _tar(compress=True)[:-12],
    "zip: absolute name": lambda: _zip(_entry("/etc/x")),
    "zip: out of the folder": lambda: _zip(_entry("../x")),
    "zip: a link": lambda: _zip(_entry("x", mode=stat.S_IFLNK | 0o777, data=b"/etc/passwd")),
    "zip: a device": lambda: _zip(_entry("x", mode=stat.S_IFCHR | 0o666)),
    "zip: the same name twice": lambda: _patched(_zip(_entry("goox")), b"goox", b"good"),
    "zip: a name with a NUL": lambda: _patched(_zip(_entry("a?b")), b"a?b", b"a\0b"),
    "zip: encrypted": lambda: _central(_zip(_entry("x", data=b"x")), 8, b"\x01"),
    "zip: another method": lambda: _zip(_entry("x", data=b"x"), method=zipfile.ZIP_BZIP2),
    "zip: another name where the bytes lie": lambda: _central(_zip(_entry("xx", data=b"x")), 46, b"yy"),
    "zip: entries that share their bytes": _overlapping,
    "zip: a bomb": lambda: _zip(_entry("x", data=bytes(_LARGE))),
    "zip: a bomb that says it is small": lambda: _central(
        _zip(_entry("x", data=bytes(_LARGE))), 24, struct.pack("<I", 10)
    ),
    "zip: a wrong sum": lambda: _central(_zip(_entry("x", data=b"x")), 16, b"\0\0\0\0"),
    "zip: a directory that lies elsewhere": lambda: _zip(_entry("x"))[:-6] + b"\xff\xff\xff\x7f" + b"\0\0",
}
