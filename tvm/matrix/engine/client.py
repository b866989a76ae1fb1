"""How the engine is spoken to: its errors become ours, and what it makes is always known to us."""

import http
import http.client
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import requests
import urllib3
from docker import APIClient
from docker.errors import APIError, DockerException, ImageNotFound, NotFound

from tvm.error import EngineError, ImageError, TVMError


class Client(APIClient):
    """The SDK's client, which trusts the authority of the engine's own TLS settings whatever the environment says."""

    def merge_environment_settings(self, *arguments: Any, **options: Any) -> Any:
        """Return what a request uses: requests would let REQUESTS_CA_BUNDLE go before the file that DOCKER_CERT_PATH means."""
        merged = super().merge_environment_settings(*arguments, **options)
        return {**merged, "verify": self.verify} if isinstance(self.verify, str) else merged


FIX = "run `nox -s engine`: it starts an engine where it may, else it says what to do"

# What the docker SDK lets through when a connection breaks.
_BROKEN = (
    DockerException,
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    ConnectionError,
    TimeoutError,
)

# What Podman says where it was installed without all it needs, or may not do here what it does by default.
_MENDED = {
    "container-init binary not found": "install catatonit, the small init that Podman starts boxes with",
    "error setting rlimit": "in containers.conf(5), set default_ulimits to what this machine allows (nofile, nproc)",
}

# The longest that a removal which is in progress may take, in seconds.
_REMOVAL = 10.0

_T = TypeVar("_T")


@contextmanager
def engine_errors(doing: str) -> Iterator[None]:
    """Turn what the SDK raises in the block into an EngineError; `doing` completes "the engine was to ..."."""
    try:
        yield
    except TVMError:
        raise
    except ImageNotFound as error:
        msg = f"the engine was to {doing}, but the image for it is gone: {explanation(error)}"
        raise ImageError(
            msg, fix="somebody has removed it since this run found it: run again, and it is built anew"
        ) from error
    except APIError as error:
        msg = f"the engine was to {doing} and refused: {explanation(error)}"
        raise EngineError(msg, fix=_mend(explanation(error))) from error
    except _BROKEN as error:
        msg = f"the engine went away while it was to {doing} ({reason(error)})"
        raise EngineError(msg, fix=FIX) from error


def _mend(why: str) -> str:
    known = (fix for told, fix in _MENDED.items() if told in why)
    return next(known, "nox -s doctor looks for the usual causes")


def explanation(error: APIError) -> str:
    """Return the engine's own words."""
    return str(error.explanation or error).strip()


def reason(error: BaseException) -> str:
    """Return why there is no connection, in one line: the engine's own words, else the system's, if one of the causes has them."""
    chain = [error]
    while cause := chain[-1].__cause__ or chain[-1].__context__:
        chain.append(cause)
    told = [explanation(one) for one in chain if isinstance(one, APIError)]
    told += [one.strerror for one in reversed(chain) if isinstance(one, OSError) and one.strerror]
    told += [str(one).partition("\n")[0] for one in chain if isinstance(one, DockerException)]
    return told[0] if told else "the connection broke off"


def finish(call: Callable[[], _T]) -> _T:
    """Run `call` to its end even if a signal's exception interrupts the wait for it, and raise only then.

    A request that was sent may make a container although nobody waits for the answer; whoever cleans up must come after it.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(call).result()


def inspect_image(client: Client, name: str) -> dict[str, Any] | None:
    """Return what the engine knows of an image; None if it is not there."""
    untyped: Any = client
    with engine_errors(f"look for the image {name}"):
        try:
            return dict(untyped.inspect_image(name))
        except NotFound:
            return None


def remove_image(client: Client, image: str) -> None:
    """Remove an image. One that is gone is no error."""
    untyped: Any = client
    with engine_errors(f"remove the image {image}"), suppress(NotFound):
        untyped.remove_image(image)


def remove_container(client: Client, container: str) -> None:
    """Remove a container and its volumes, whatever it does, and return when it is gone. One that is gone is no error."""
    with engine_errors(f"remove the container {container}"):
        try:
            client.remove_container(container, force=True, v=True)
        except NotFound:
            return
        except APIError as error:
            # 409: a removal is in progress, by an earlier request or by the engine when the main process has ended.
            if error.status_code != http.HTTPStatus.CONFLICT:
                raise
            _await_gone(client, container)


def _await_gone(client: Client, container: str) -> None:
    end = time.monotonic() + _REMOVAL
    while time.monotonic() < end:
        try:
            client.inspect_container(container)
        except NotFound:
            return
        time.sleep(0.05)


@contextmanager
def responses(client: Client) -> Iterator[list[requests.Response]]:
    """Collect the answers of the block's requests and close them at its end: the engine then stops what it does for them."""
    seen: list[requests.Response] = []

    def keep(response: requests.Response, *_arguments: Any, **_options: Any) -> None:
        seen.append(response)

    hooks: list[Any] = client.hooks["response"]
    hooks.append(keep)
    try:
        yield seen
    finally:
        hooks.remove(keep)
        for response in seen:
            response.close()
