"""What a build is given: the image's recipe, the certificates of this machine, the proxies."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from tvm.error import ConfigError
from tvm.matrix.model import Project
from tvm.matrix.recipe import recipe_files
from tvm.support import archive

CERTIFICATES = ".ca.crt"

# Who says what this machine trusts, then where its distribution keeps it.
_CA_VARIABLES = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE")
_CA_FILES = (
    Path("/etc/ssl/certs/ca-certificates.crt"),
    Path("/etc/pki/tls/certs/ca-bundle.crt"),
    Path("/etc/ssl/cert.pem"),
)
# The engine knows these as build arguments: they are in force in every RUN, and in no image.
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")


@contextmanager
def build_context(project: Project, image: str) -> Iterator[BinaryIO]:
    """Give the tar that a build reads. `.ca.crt` is in it, maybe empty, and is no part of the recipe."""
    members: dict[str, Path | bytes] = {file.path: file.source for file in recipe_files(project, image)}
    if CERTIFICATES in members:
        msg = f"images/{image} has a file {CERTIFICATES}, which is the place of this machine's own certificates"
        raise ConfigError(msg, fix="give the file another name")
    if "Dockerfile" not in members:
        msg = f"images/{image} has no Dockerfile"
        raise ConfigError(msg, looked=[str(project.image_folder(image))])
    bundle = ca_bundle(os.environ)
    members[CERTIFICATES] = bundle.read_bytes() if bundle else b""
    with TemporaryFile() as sink:
        archive.pack(members, sink, compress=False)
        sink.seek(0)
        yield sink


def ca_bundle(environ: Mapping[str, str]) -> Path | None:
    """Return the file of certificates that this machine trusts; a variable that names none is a ConfigError."""
    for variable in _CA_VARIABLES:
        if name := environ.get(variable):
            if Path(name).is_file():
                return Path(name)
            msg = f"{variable} names {name}, which is no file"
            raise ConfigError(msg, fix=f"correct {variable}, or unset it")
    return next((path for path in _CA_FILES if path.is_file()), None)


def proxies(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the proxy variables that are set, as build arguments."""
    return {name: environ[name] for name in _PROXIES if environ.get(name)}
