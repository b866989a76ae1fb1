"""What an engine does: prepare an image, open it as a box, run programs in the box."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal, Protocol

from tvm.matrix.model import Project
from tvm.support.process import Completed

# One line of progress for the live table or the log: a build step, a pull, what the engine waits for.
Progress = Callable[[str], None]
# Output of a running program as it comes.
Output = Callable[[bytes], None]

BaseRoute = Literal["pulled", "bootstrapped", "local"]
VendorRoute = Literal["vendor", "stand-in", "none"]

# Labels of everything that is made on an engine. The reaper and prune touch nothing without the first one.
LABEL = "org.tvm-matrix"
LABEL_RUN = f"{LABEL}.run"
LABEL_HOST = f"{LABEL}.host"
LABEL_BOOT = f"{LABEL}.boot"
LABEL_OWNER = f"{LABEL}.owner"  # pid and start time of the runner
LABEL_CELL = f"{LABEL}.cell"
LABEL_IMAGE = f"{LABEL}.image"
LABEL_RECIPE = f"{LABEL}.recipe"
LABEL_INVENTORY = f"{LABEL}.inventory"


@dataclass(frozen=True, kw_only=True)
class PreparedImage:
    """An image that is there: its tag (the recipe), its ID, what is in it, and by which routes it came."""

    name: str
    tag: str
    image_id: str
    inventory: Mapping[str, Any]
    inventory_sha256: str
    base_route: BaseRoute
    base_digest: str = ""
    vendor_route: VendorRoute = "none"
    route_note: str = ""
    emulation: str = ""  # why everything in it is slow, if the engine's machine has to emulate its architecture
    built: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class BoxOptions:
    """How a box is opened. The second build of a repro differs in all of these."""

    cell: str
    run_id: str
    limit: float  # seconds after which the box ends by itself
    env: Mapping[str, str] = field(default_factory=dict)
    source: str = "/src"
    user: int = 1000
    hostname: str = "box"
    umask: int = 0o022
    network: bool = False
    gpu: bool = False


class Box(Protocol):
    """An opened image. `source` is the folder the tree is put into and that programs start in."""

    name: str

    @property
    def environment(self) -> Mapping[str, str]:
        """What every program in it has."""
        ...

    def put(self, tree: Iterable[bytes]) -> None:
        """Unpack a tar stream into the source folder."""
        ...

    def run(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, output: Output | None = None
    ) -> Completed:
        """Run a program in the source folder; `timeout` in seconds. An exit code is returned, never raised; 124 means overrun."""
        ...

    def get(self, path: str, sink: BinaryIO) -> None:
        """Write a tar of `path` (a file or folder outside the source folder) into `sink`; a missing path is a CellFailedError."""
        ...

    def close(self, *, keep: bool = False) -> None:
        """Remove the box, or keep it for a look. A second call does nothing."""
        ...


class Engine(Protocol):
    """A place where boxes run."""

    name: str  # "docker", "podman", "local"

    def describe(self) -> str:
        """Return one line: kind, version, address, storage driver."""
        ...

    def prepare(self, project: Project, image: str, progress: Progress) -> PreparedImage:
        """Build an image, or find the one that its recipe made before."""
        ...

    def rebuild(self, project: Project, image: str, progress: Progress) -> Mapping[str, Any]:
        """Build an image that is there once more, every step anew, and return its inventory."""
        ...

    def open(self, image: PreparedImage, options: BoxOptions) -> Box:
        """Start a box."""
        ...

    def reap(self) -> list[str]:
        """Remove boxes whose runner is gone (same host; pid dead or another start time); return their names."""
        ...

    def sweep(self, run_id: str) -> list[str]:
        """Remove every box of one run, whatever it does; return their names. Used when a run is interrupted."""
        ...


def distinct(engines: Iterable[Engine]) -> list[Engine]:
    """Return each engine once, in order: cells of one host share one object."""
    return list({id(engine): engine for engine in engines}.values())
