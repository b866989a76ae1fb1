"""A file that is packed here and unpacked by the system's tar."""

from pathlib import Path

from tests.matrix.evidence import executed
from tests.matrix.publish import Publish
from tvm.support import process, tar

NOTE = "a note\n"


def test_the_systems_tar_reads_the_pack(arch: str, tmp_path: Path, artefact: Publish) -> None:
    (tmp_path / "note.txt").write_text(NOTE, encoding="utf-8")
    tar.tar(tmp_path / "pack.tar", [tmp_path / "note.txt"])
    done = process.run(["tar", "-xzOf", tmp_path / "pack.tar", "note.txt"], timeout=60)
    assert done.output == NOTE
    shown = executed("tar -x", "the note comes out byte for byte")
    artefact("pack.tar", tmp_path / "pack.tar", target="any", arch=arch, evidence=[shown])
