"""What stands between the server and requests that it must not answer.

- The header ``Host`` must name this server: a page of another site whose name was pointed at this
  machine (DNS rebinding) gets nothing.
- Requests that change something need a form token, which pages of other sites cannot read.
- A server that others can reach needs an access token for every request.
- Every answer has headers that keep browsers from running or sending anything unexpected.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = ("GET", "HEAD")
FORM_TOKEN = "x-hyperbaton-form-token"
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# A report has a policy of its own inside. Here it also gets an origin of its own, so that it cannot
# ask the server for anything.
REPORT_POLICY = "sandbox allow-scripts allow-popups allow-modals; frame-ancestors 'self'"
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_wildcard(address: str) -> bool:
    """Return whether a server with this address listens on all addresses of the machine."""
    try:
        return ipaddress.ip_address(address).is_unspecified
    except ValueError:
        return False


def allowed_hosts(host: str, address: str, port: int) -> frozenset[str]:
    """Return what the header ``Host`` may be: the names of this server.

    Parameters
    ----------
    host : str
        The name or address that the user gave.
    address : str
        The address at which the server listens.
    port : int
    """
    names = {host.lower(), address}
    if is_loopback(address):
        names |= {"127.0.0.1", "localhost", "::1"}
    else:
        names.add(socket.gethostname().lower())
    shown = {f"[{name}]" if ":" in name else name for name in names}
    return frozenset(f"{name}:{port}" for name in shown) | (shown if port == 80 else frozenset())


class Gate:
    """Refuses requests, and adds security headers to answers.

    Parameters
    ----------
    app : ASGI application
    host, address, port
        As for :func:`allowed_hosts`.
    form_token : str
        What requests that change something must send.
    access_token : str, optional
        What every request must send.
    """

    def __init__(
        self,
        app: ASGIApp,
        host: str,
        address: str,
        port: int,
        form_token: str,
        access_token: str | None,
    ) -> None:
        self._app = app
        self._hosts = allowed_hosts(host, address, port)
        self._port = port
        self._any_address = is_wildcard(address)
        self._form_token = form_token
        self._access_token = access_token
        # Cookies are sent to all ports of a host, so that this one is not the token itself.
        self._cookie, self._session = f"hyperbaton-{port}", secrets.token_urlsafe(24)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in {**HEADERS, "content-security-policy": PAGE_POLICY}.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._refuse(scope) or self._app
        await answer(scope, receive, send_with_headers)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is not let through."""
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if not self._is_own_host(host):
            return _refusal("the header Host does not name this server", 421)
        scheme, _, given = headers.get("authorization", "").partition(" ")
        by_header = scheme.lower() == "bearer" and self._has_access(given)
        if self._access_token is not None and not by_header:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if (scope["method"], scope["path"]) == ("GET", "/") and self._has_access(given):
                return self._remember_access()
            if not _has_cookie(headers.get("cookie", ""), self._cookie, self._session):
                return _refusal(
                    "this server requires an access token: open the address that contains it", 401
                )
        if scope["method"] in SAFE_METHODS or by_header:
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return _refusal("requests from other sites are refused", 403)
        if headers.get("origin", f"http://{host}").lower() != f"http://{host}":
            return _refusal("requests from other sites are refused", 403)
        if not _equal(headers.get(FORM_TOKEN, ""), self._form_token):
            return _refusal("the form token is missing or expired: reload the page", 403)
        return None

    def _is_own_host(self, host: str) -> bool:
        if host in self._hosts:
            return True
        if not self._any_address:
            return False
        # Listening on all addresses: any of them is fine, but no name that others have chosen.
        name = host.removesuffix(f":{self._port}").strip("[]")
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _has_access(self, given: str) -> bool:
        return self._access_token is not None and _equal(given, self._access_token)

    def _remember_access(self) -> Response:
        """Return an answer that sets a cookie, and takes the token out of the address."""
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict")
        return answer


def _refusal(message: str, status: int) -> Response:
    """Return an answer after which the connection is closed: its body is not waited for."""
    return JSONResponse({"error": message}, status, {"connection": "close"})


def _equal(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode("utf-8"))


def _has_cookie(header: str, name: str, value: str) -> bool:
    """Return whether a cookie has a value, whatever odd cookies other programs have set."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return any(key == name and _equal(given, value) for key, _, given in pairs)
