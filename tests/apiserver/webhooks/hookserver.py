"""A webhook on loopback over TLS that answers as its path says and remembers what it was asked."""

import base64
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from plumbline.apiserver.authentication.issuing import Holder, Issued, issue, new_authority
from plumbline.base.json import Json, JsonObject, decode, encode

HOSTS = ("127.0.0.1", "localhost", "hook.default.svc")


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        return decode(self.body)

    @property
    def request(self) -> JsonObject:
        return self.json["request"]


@dataclass(frozen=True)
class Said:
    """What goes back: a JSON value, or bytes as they are. `None` closes the connection without a word."""

    body: Json | bytes | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    closes: bool = False
    """The connection is closed afterwards, without a word of warning."""


Behaviour = Callable[[Asked], Said]


class HookServer:
    """`behaviours` are by the first segment of the path; an unknown one is answered with 404."""

    def __init__(self, authority: Issued, port: int, behaviours: Mapping[str, Behaviour]) -> None:
        self.authority = authority
        self.port = port
        self.behaviours = dict(behaviours)
        self.asked: list[Asked] = []
        self.released = threading.Event()
        """Behaviours that hang wait for this."""

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def ca_bundle(self) -> str:
        return base64.b64encode(self.authority.certificate_pem).decode()

    def at(self, path: str) -> list[Asked]:
        return [each for each in self.asked if each.path == path]

    def client_config(self, path: str) -> JsonObject:
        return {"url": f"{self.url}{path}", "caBundle": self.ca_bundle}


@contextmanager
def hook_server(behaviours: Mapping[str, Behaviour] | None = None) -> Iterator[HookServer]:
    now = datetime.now(UTC)
    authority = new_authority(now)
    leaf = issue(authority, Holder("hook", hosts=HOSTS), now)
    listener = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
    listener.daemon_threads = True
    server = HookServer(authority, listener.server_address[1], {**BEHAVIOURS, **(behaviours or {})})
    listener.hooks = server  # type: ignore[attr-defined]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        pem = Path(folder) / "leaf.pem"
        pem.write_bytes(leaf.pem)
        context.load_cert_chain(pem)
    listener.socket = context.wrap_socket(listener.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        listener.shutdown()
        listener.server_close()
        thread.join()


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self) -> None:
        hooks: HookServer = self.server.hooks  # type: ignore[attr-defined]
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        if len(body) < int(self.headers.get("Content-Length") or 0):
            self.close_connection = True
            return
        asked = Asked(self.command, path, query, headers, body)
        hooks.asked.append(asked)
        behaviour = hooks.behaviours.get(path.split("/")[1], _unknown)
        said = behaviour(asked) if behaviour is not HANG else self._hang(hooks)
        if said.body is None:
            self.close_connection = True
            return
        payload = said.body if isinstance(said.body, bytes) else encode(said.body)
        self.send_response(said.status)
        for name, value in {"Content-Type": "application/json", **said.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)
        self.close_connection = self.close_connection or said.closes

    def __getattr__(self, name: str) -> Any:
        """Every method is answered alike."""
        if name.startswith("do_"):
            return self.do_POST
        raise AttributeError(name)

    @staticmethod
    def _hang(hooks: HookServer) -> Said:
        hooks.released.wait(30)
        return Said(None)

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (OSError, ssl.SSLError):
            self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Nothing: what was asked is remembered."""


def review(asked: Asked, **response: Any) -> Said:
    """A well-formed answer to *asked*."""
    answer = {"uid": asked.request["uid"], "allowed": True, **response}
    return Said({"apiVersion": asked.json["apiVersion"], "kind": "AdmissionReview", "response": answer})


def patch(asked: Asked, operations: Json, **response: Any) -> Said:
    encoded = base64.b64encode(encode(operations)).decode()
    return review(asked, patch=encoded, patchType="JSONPatch", **response)


def HANG(_: Asked) -> Said:  # noqa: N802 - a behaviour that is known by its name
    raise AssertionError("never called")


def _unknown(_: Asked) -> Said:
    return Said(b"no such hook", 404, {"Content-Type": "text/plain"})


BEHAVIOURS: Mapping[str, Behaviour] = {
    "allow": review,
    "deny": lambda asked: review(asked, allowed=False),
    "hang": HANG,
    "close": lambda _: Said(None),
}
