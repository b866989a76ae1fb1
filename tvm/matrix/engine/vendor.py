"""Ask a vendor's host whether its download, or its packages, can be had here."""

import http.client
import os
import ssl
import threading
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from tvm.error import VendorError
from tvm.matrix import recipe
from tvm.matrix.engine import VendorRoute
from tvm.matrix.engine.context import ca_bundle
from tvm.matrix.model import Project, Vendor, VendorIndex

# Seconds that the whole question may take: name, connection, redirects, first byte.
LIMIT = 10.0


def decide(project: Project, image: str) -> tuple[VendorRoute, str]:
    """Return the route of an image that is to be built now, and a note that says why it is not the vendor's.

    An image of a vendor's packages has no other route: where the index does not answer, or no hashes are locked, VendorError.
    """
    match project.matrix.images[image].vendor:
        case None:
            return "none", ""
        case Vendor() as vendor:
            return _of_download(vendor)
        case VendorIndex() as vendor:
            require_index(image, vendor)
            _require_lock(project, image, vendor)
            return "vendor", ""


def _of_download(vendor: Vendor) -> tuple[VendorRoute, str]:
    if vendor.sha256 is None:
        return "stand-in", f"{vendor.url}: not pinned: refused"
    if silence := unanswered(vendor.url):
        return "stand-in", silence
    return "vendor", ""


def page(vendor: VendorIndex) -> str:
    """Return the address of the first package's page: what an index must have, whatever else it shows."""
    return f"{vendor.index.rstrip('/')}/{next(iter(vendor.packages))}/"


def require_index(image: str, vendor: VendorIndex) -> None:
    """Raise VendorError where the index does not answer."""
    if silence := unanswered(page(vendor)):
        names = " and ".join(vendor.packages)
        msg = f"image {image} holds {names}, which only their vendor has, and {silence}"
        fix = "run this cell on a machine that reaches that address (proxies: HTTPS_PROXY; certificates: SSL_CERT_FILE)"
        raise VendorError(msg, fix=fix)


def _require_lock(project: Project, image: str, vendor: VendorIndex) -> None:
    lock = recipe.vendor_lock(project, image)
    lines = lock.read_text(encoding="utf-8").splitlines() if lock.is_file() else []
    held = {line.split(" ", 1)[0] for line in lines if not line.startswith(" ")}
    missing = [f"{name}=={version}" for name, version in vendor.packages.items() if f"{name}=={version}" not in held]
    if missing:
        msg = f"image {image}: no hash is known of {', '.join(missing)}: refused"
        fix = f"nox -s lock -- {image} reads the hashes from the vendor's index; read the change, then commit it"
        raise VendorError(msg, fix=fix, looked=[str(lock)])


def unanswered(url: str) -> str:
    """Return the sentence that says why `url` does not answer, or nothing."""
    why = ask(url)
    return f"{url} does not answer here: {why}" if why else ""


def ask(url: str, limit: float = LIMIT) -> str:
    """Return why `url` does not give its first byte within `limit` seconds, or nothing."""
    answers: list[str] = []
    # A name server that is silent cannot be interrupted, so the question is put by a thread that may be left behind.
    thread = threading.Thread(target=lambda: answers.append(_ask(url, limit)), daemon=True)
    thread.start()
    thread.join(limit)
    return answers[0] if answers else f"no answer within {limit:g} s"


def _ask(url: str, limit: float) -> str:
    if urlsplit(url).scheme != "https":
        return "only https is taken"
    bundle = ca_bundle(os.environ)
    context = ssl.create_default_context(cafile=str(bundle) if bundle else None)
    opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))
    # One byte: a vendor that refuses HEAD still serves the file.
    request = urllib.request.Request(url, headers={"Range": "bytes=0-0"})  # noqa: S310 - https, checked above
    try:
        with opener.open(request, timeout=limit) as answer:
            return "" if answer.read(1) else "it gives nothing"
    except urllib.error.HTTPError as error:
        with error:
            return f"HTTP {error.code} {error.reason}"
    except (OSError, http.client.HTTPException) as error:
        return str(getattr(error, "reason", error))
