"""TVM_KERNEL_DUMP and the pass option cuda.kernels_output_dir: source and product of every compile, kept in a folder."""

import hashlib
from pathlib import Path, PurePath

from tvm.error import StorageError
from tvm.support._cuda.job import Job
from tvm.support._staging import staged


def source(job: Job, compiler: str) -> None:
    """Keep the source, before it is compiled: one that fails is the one that is wanted."""
    if job.settings.dump:
        _write(job.settings.dump, _name(job, compiler, PurePath(job.name).suffix or ".cu"), job.code.encode())


def product(job: Job, compiler: str, data: bytes) -> None:
    """Keep the product beside the source."""
    if job.settings.dump:
        _write(job.settings.dump, _name(job, compiler, f".{job.target_format}"), data)


def intermediates(job: Job, compiler: str, folder: Path) -> None:
    """Keep what nvcc has made on its way, in a folder beside the source."""
    if job.settings.dump:
        for file in sorted(entry for entry in folder.iterdir() if entry.is_file()):
            _write(job.settings.dump / _name(job, compiler, ".keep"), file.name, file.read_bytes())


def _name(job: Job, compiler: str, suffix: str) -> str:
    # The hash keeps compiles that run at once apart, and gives the same file for the same compile.
    folders = hashlib.sha256("\0".join(map(str, job.folders)).encode()).hexdigest()[:4] if job.folders else ""
    return f"{PurePath(job.name).stem}-{job.key(compiler)}{folders}{suffix}"


def _write(folder: Path, name: str, data: bytes) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"cannot make the folder for dumped kernels, {folder}: {error.strerror or error}"
        raise StorageError(msg, fix="set TVM_KERNEL_DUMP to a folder that can be written, or unset it") from error
    with staged(folder / name) as stage:
        (stage.folder / stage.name).write_bytes(data)
