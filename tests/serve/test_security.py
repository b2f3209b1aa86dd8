"""Requests that ``hyperbaton serve`` must not answer, and headers that every answer has."""

from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from hyperbaton.cli import main
from hyperbaton.metrics.registry import find_class, names
from hyperbaton.serve.security import allowed_hosts
from hyperbaton.serve.server import choose_token
from serve.running_server import RunningServer, running_server
from waiting import HANGING

TOKEN = "a-long-access-token"
STEAL = "/api/info"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server("--max-mb", "1") as started:
        yield started


@pytest.fixture(scope="module")
def guarded() -> Iterator[RunningServer]:
    with running_server("--token", TOKEN) as started:
        yield started


def ask(
    server: RunningServer, method: str, path: str, headers: dict[str, str], body: bytes = b""
) -> tuple[int, bytes, dict[str, str]]:
    """Send exactly these headers; no redirection is followed."""
    parts = urlsplit(server.base)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=HANGING)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    if body:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content, {k.lower(): v for k, v in answer.getheaders()}


def own_host(server: RunningServer) -> str:
    return urlsplit(server.base).netloc


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "", "localhost:1"]
)
def test_wrong_hosts(server: RunningServer, host: str) -> None:
    for path in ("/", STEAL):
        status, content, _ = ask(server, "GET", path, {"Host": host})
        assert status == 421
        assert b"form_token" not in content


def test_own_hosts(server: RunningServer) -> None:
    port = urlsplit(server.base).port
    for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        assert ask(server, "GET", "/", {"Host": f"{name}:{port}"})[0] == 200


def test_hosts_of_an_open_server() -> None:
    loopback = "127.0.0.1"
    assert {f"{loopback}:80", "localhost"} <= allowed_hosts(loopback, loopback, 80)
    assert f"{loopback}:9" in allowed_hosts("LOCALHOST", loopback, 9)
    public = allowed_hosts("My.Host", "192.0.2.1", 9)
    assert {"192.0.2.1:9", "my.host:9"} <= public
    assert "localhost:9" not in public


WRITES = [
    ("POST", "/api/files?name=a.txt"),
    ("POST", "/api/example"),
    ("POST", "/api/preview"),
    ("POST", "/api/jobs"),
    ("POST", "/api/explain"),
    ("POST", "/api/permutation"),
    ("POST", "/api/jobs/x/cancel"),
    ("DELETE", "/api/jobs/x"),
    ("DELETE", "/api/files/x"),
]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_writes_need_the_form_token(server: RunningServer, method: str, path: str) -> None:
    host = own_host(server)
    token = server.form_token()
    refused: list[dict[str, str]] = [
        {},
        {"X-Hyperbaton-Form-Token": "wrong"},
        {"X-Hyperbaton-Form-Token": token + "x"},
        {"X-Hyperbaton-Form-Token": token, "Origin": "http://evil.example"},
        {"X-Hyperbaton-Form-Token": token, "Origin": "null"},
        {"X-Hyperbaton-Form-Token": token, "Sec-Fetch-Site": "cross-site"},
        {"X-Hyperbaton-Form-Token": token, "Sec-Fetch-Site": "same-site"},
        {"Authorization": f"Bearer {token}"},
    ]
    for headers in refused:
        status, content, _ = ask(server, method, path, {"Host": host, **headers}, b"{}")
        assert status == 403, (headers, content)
    headers = {"Host": host, "X-Hyperbaton-Form-Token": token, "Origin": f"http://{host}"}
    assert ask(server, method, path, headers, b"{}")[0] != 403


def test_other_sites_are_never_allowed_to_read(server: RunningServer) -> None:
    headers = {"Host": own_host(server), "Origin": "http://evil.example"}
    preflight = {**headers, "Access-Control-Request-Method": "POST"}
    for method, sent in (("GET", headers), ("OPTIONS", preflight)):
        _, _, answer = ask(server, method, "/api/jobs", sent)
        assert not [name for name in answer if name.startswith("access-control-")]


def test_headers_of_every_answer(server: RunningServer) -> None:
    host = own_host(server)
    for path in ("/", "/static/page.js", "/api/info", "/nothing", "/static/nothing"):
        _, _, headers = ask(server, "GET", path, {"Host": host})
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"https?:|\*", policy)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


def test_page_has_no_inline_script_and_no_other_origin(server: RunningServer) -> None:
    page = server.raw_request("GET", "/")[1].decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", page)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)


def test_reports_have_an_origin_of_their_own(server: RunningServer) -> None:
    file = server.upload("a.txt", b"a b\n")["id"]
    request = {"systems": [{"file": file}], "references": [{"file": file}], "metrics": ["wer"]}
    job = server.finish(server.post("/api/jobs", request)[1]["id"])
    _, _, headers = server.raw_request("GET", f"/jobs/{job['id']}/report.html")
    policy = headers["content-security-policy"]
    assert policy.startswith("sandbox ")
    assert "allow-same-origin" not in policy


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/index.html",
        "/jobs/",
        "/jobs/../../etc/passwd",
        "/api/jobs/..%2f..%2fetc/files/passwd",
        "/etc/passwd",
        "//etc/passwd",
    ],
)
def test_no_listing_and_no_other_file(server: RunningServer, path: str) -> None:
    status, content, _ = ask(server, "GET", path, {"Host": own_host(server)})
    assert status == 404
    assert b"root:" not in content
    assert b"import" not in content


def test_files_of_jobs_are_only_the_known_ones(server: RunningServer) -> None:
    file = server.upload("a.txt", b"a b\n")["id"]
    request = {"systems": [{"file": file}], "references": [{"file": file}], "metrics": ["wer"]}
    job = server.finish(server.post("/api/jobs", request)[1]["id"])["id"]
    for name in ("job.json", "inputs", "..", "%2e%2e%2fjob.json", ".hyperbaton-serve.lock"):
        assert server.request("GET", f"/api/jobs/{job}/files/{name}")[0] == 404


def test_upload_that_is_too_large(server: RunningServer) -> None:
    host = own_host(server)
    headers = {"Host": host, "X-Hyperbaton-Form-Token": server.form_token()}
    status, content, _ = ask(server, "POST", "/api/files?name=a.txt", headers, b"x" * 1_000_001)
    assert status == 413
    assert b"larger than 1 MB" in content
    # Without a length in the header, the upload is stopped as it arrives.
    parts = urlsplit(server.base)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=HANGING)
    chunks = (b"x" * 100_000 for _ in range(30))
    try:
        connection.request("POST", "/api/files?name=a.txt", chunks, headers, encode_chunked=True)
        assert connection.getresponse().status == 413
    except (BrokenPipeError, ConnectionResetError):
        pass  # the server has answered and closed before everything was sent
    connection.close()
    assert server.request("GET", "/api/info")[0] == 200


def test_space_for_uploads_is_bounded(server: RunningServer) -> None:
    token = server.form_token()
    statuses = []
    kept = []
    for _ in range(10):
        status, answer = server.request(
            "POST", "/api/files?name=a.txt", b"x" * 990_000, {"X-Hyperbaton-Form-Token": token}
        )
        statuses.append(status)
        kept += [answer["id"]] if status == 201 else []
    assert statuses[:7] == [201] * 7
    assert statuses[-1] == 507
    for identifier in kept:
        assert server.post(f"/api/files/{identifier}", method="DELETE")[0] == 204
    server.upload("a.txt", b"x" * 990_000)


def test_long_requests(server: RunningServer) -> None:
    body = b'{"hypothesis": "' + b"x" * 1_000_000 + b'"}'
    assert server.post("/api/explain", body)[0] == 413


def test_access_token(guarded: RunningServer) -> None:
    host = own_host(guarded)
    assert guarded.url.endswith(f"/?token={TOKEN}")
    for path in ("/", "/static/page.js", "/api/info", "/?token=wrong", "/api/info?token=" + TOKEN):
        status, content, _ = ask(guarded, "GET", path, {"Host": host})
        assert status == 401, path
        assert b"form_token" not in content
    bearer = {"Host": host, "Authorization": f"Bearer {TOKEN}"}
    assert ask(guarded, "GET", "/api/info", bearer)[0] == 200
    status, _, _ = ask(guarded, "POST", "/api/permutation", bearer, b'{"permutation": "2 1"}')
    assert status == 200  # a script needs no form token
    assert ask(guarded, "GET", "/", {"Host": host, "Authorization": "Bearer wrong"})[0] == 401
    assert ask(guarded, "GET", "/", {"Host": host, "Cookie": "x=[;hyperbaton-1=a"})[0] == 401


def test_access_by_cookie(guarded: RunningServer) -> None:
    host = own_host(guarded)
    status, _, headers = ask(guarded, "GET", f"/?token={TOKEN}", {"Host": host})
    assert (status, headers["location"]) == (303, "/")  # the token leaves the address
    cookie = headers["set-cookie"]
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    with_cookie = {"Host": host, "Cookie": cookie.partition(";")[0]}
    assert ask(guarded, "GET", "/api/info", with_cookie)[0] == 200
    odd = {**with_cookie, "Cookie": 'prefs={"a":1}; ' + with_cookie["Cookie"]}
    assert ask(guarded, "GET", "/api/info", odd)[0] == 200  # of another program on this machine
    assert TOKEN not in cookie
    # A cookie is sent by the browser, whoever asks: writing still needs the form token.
    assert ask(guarded, "POST", "/api/permutation", with_cookie, b"{}")[0] == 403


def test_open_servers_have_a_token() -> None:
    assert choose_token(None, "127.0.0.1") is None
    assert choose_token(None, "::1") is None
    made = choose_token(None, "0.0.0.0")
    assert made is not None
    assert len(made) >= 24
    assert made != choose_token(None, "0.0.0.0")


def test_an_open_server_says_why_it_has_a_token() -> None:
    with running_server("--host", "0.0.0.0") as server:
        port = urlsplit(server.url).port
        server.url = f"http://127.0.0.1:{port}/"  # never any address but this machine's
        assert ask(server, "GET", "/", {"Host": f"127.0.0.1:{port}"})[0] == 401
        assert ask(server, "GET", "/", {"Host": f"evil.example:{port}"})[0] == 421
    assert "Other machines can reach this address" in "".join(server.messages)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--token", "short"], "--token must have at least 12 ASCII characters"),
        (["--token", "spaces in the token"], "--token may only have letters, digits"),
        (["--host", "no such host!"], "there is no address"),
        (["--host", "203.0.113.7"], "cannot listen on 203.0.113.7"),
        (["--job-minutes", "0"], "--job-minutes must be above 0"),
        (["--keep", "/dev/null/x"], "cannot write to /dev/null/x"),
        (["--threads", "0"], "threads must be at least 1"),
    ],
)
def test_bad_options(capsys: pytest.CaptureFixture[str], options: list[str], message: str) -> None:
    assert main(["serve", "--no-browser", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def file_options() -> list[str]:
    """Return every metric with each option that may name a file, in several spellings."""
    specs = []
    for name in names():
        metric_class = find_class(name)
        for key in ("precedence", "parser"):
            specs += [f"{name}:{key}=/etc/hostname", f"{name.upper()}:{key.upper()}=/etc/hostname"]
            if "order" in metric_class.options_for(name, {}):
                specs.append(f"{name}:order=soft-order,{key}=/etc/hostname")
    return specs


def test_options_that_name_files_are_refused(server: RunningServer) -> None:
    token = {"X-Hyperbaton-Form-Token": server.form_token()}
    file = server.upload("a.txt", b"a b\n")["id"]
    texts = {"systems": [{"file": file}], "references": [{"file": file}]}
    specs = file_options()
    assert "hyper:precedence=/etc/hostname" in specs
    for spec in specs:
        pair = {"hypothesis": "a b", "reference": "b a", "metrics": [spec]}
        for path, request in (("/api/explain", pair), ("/api/jobs", {**texts, "metrics": [spec]})):
            status, answer = server.request("POST", path, request, token)
            assert status == 400, (spec, answer)


def test_number_of_metrics_is_bounded(server: RunningServer) -> None:
    metrics = [f"pef:beta=0.{k}" for k in range(1, 200)]
    pair = {"hypothesis": "a b", "reference": "b a"}
    status, answer = server.post("/api/explain", {**pair, "metrics": metrics})
    assert (status, answer["error"]) == (400, "there are more than 100 metrics")
    status, answer = server.post("/api/explain", {**pair, "metrics": ["x" * 1000]})
    assert status == 400
    assert len(answer["error"]) < 200


@pytest.mark.load
def test_slow_headers(server: RunningServer) -> None:
    """A connection that does not send its header is closed; one with a slow body is not."""
    parts = urlsplit(server.base)
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        slow.settimeout(HANGING)
        assert slow.recv(1000) == b""


def test_port_in_use(server: RunningServer, capsys: pytest.CaptureFixture[str]) -> None:
    port = urlsplit(server.base).port
    assert main(["serve", "--no-browser", "--port", str(port)]) == 2
    assert f"cannot listen on port {port} of 127.0.0.1" in capsys.readouterr().err
