from pathlib import Path

from tvm.matrix.engine.layout import DEFAULT, Layout


def test_the_private_engine_lives_where_the_documentation_says() -> None:
    assert DEFAULT.address == "unix:///run/tvm-matrix/docker.sock"
    assert DEFAULT.arguments() == [
        "--data-root=/var/lib/tvm-matrix/docker",
        "--exec-root=/run/tvm-matrix/exec",
        "--pidfile=/run/tvm-matrix/docker.pid",
        "--host=unix:///run/tvm-matrix/docker.sock",
        "--config-file=/run/tvm-matrix/daemon.json",
        "--containerd-namespace=tvm-matrix",
        "--containerd-plugins-namespace=tvm-matrix-plugins",
        "--bridge=tvm0",
        "--iptables=false",
        "--ip-forward=false",
        "--ip-masq=false",
    ]


def test_what_stays_is_not_in_the_run_folder() -> None:
    layout = Layout(run=Path("/r"), home=Path("/h"))
    assert not any(path.is_relative_to(layout.run) for path in (layout.data, layout.log, layout.lock))
