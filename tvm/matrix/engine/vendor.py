"""Ask a vendor's host whether its download can be had here."""

import http.client
import os
import ssl
import threading
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from tvm.matrix.engine import VendorRoute
from tvm.matrix.engine.context import ca_bundle
from tvm.matrix.model import Vendor

# Seconds that the whole question may take: name, connection, redirects, first byte.
LIMIT = 10.0


def decide(vendor: Vendor | None) -> tuple[VendorRoute, str]:
    """Return the route of an image that is to be built now, and a note that says why it is not the vendor's."""
    if vendor is None:
        return "none", ""
    if vendor.sha256 is None:
        return "stand-in", f"{vendor.url}: not pinned: refused"
    if why := ask(vendor.url):
        return "stand-in", f"{vendor.url} does not answer here: {why}"
    return "vendor", ""


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
