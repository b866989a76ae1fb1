"""Where the private engine lives."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Folders, bridge and containerd namespace of the private engine. `run` is gone when it is stopped, `home` stays."""

    run: Path = Path("/run/tvm-matrix")
    home: Path = Path("/var/lib/tvm-matrix")
    bridge: str = "tvm0"
    subnet: str = "10.213.77.1/24"  # or the next one that is free
    namespace: str = "tvm-matrix"

    @property
    def socket(self) -> Path:
        """The socket it answers on."""
        return self.run / "docker.sock"

    @property
    def address(self) -> str:
        """The socket as clients write it."""
        return f"unix://{self.socket}"

    @property
    def data(self) -> Path:
        """Its images and containers."""
        return self.home / "docker"

    @property
    def execution(self) -> Path:
        """Its exec root."""
        return self.run / "exec"

    @property
    def pidfile(self) -> Path:
        """The file that dockerd itself writes."""
        return self.run / "docker.pid"

    @property
    def config(self) -> Path:
        """An empty configuration, so that the system's own is not read."""
        return self.run / "daemon.json"

    @property
    def state(self) -> Path:
        """Pid and start time of the dockerd that we started."""
        return self.run / "state.json"

    @property
    def log(self) -> Path:
        """What dockerd prints."""
        return self.home / "dockerd.log"

    @property
    def unable(self) -> Path:
        """Why dockerd cannot run on this machine."""
        return self.home / "cannot-run.json"

    @property
    def lock(self) -> Path:
        """Held while it is started or stopped."""
        return self.home / "engine.lock"

    def arguments(self) -> list[str]:
        """Return dockerd's options: with these it leaves another dockerd on the machine as it is."""
        return [
            f"--data-root={self.data}",
            f"--exec-root={self.execution}",
            f"--pidfile={self.pidfile}",
            f"--host={self.address}",
            f"--config-file={self.config}",
            f"--containerd-namespace={self.namespace}",
            f"--containerd-plugins-namespace={self.namespace}-plugins",
            f"--bridge={self.bridge}",
            "--iptables=false",
            "--ip-forward=false",
            "--ip-masq=false",
        ]


DEFAULT = Layout()
