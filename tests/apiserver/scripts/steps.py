"""A script: requests that are sent one after the other, and the replies to them, whichever server answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote, urlencode

from plumbline.base.json import Json, decode, encode

AGENT = "twin/1.0"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, tuple[str, ...]]
    body: bytes

    @property
    def json(self) -> Json:
        return decode(self.body)

    @property
    def content(self) -> Json:
        """The body as it can be compared: decoded where it is JSON."""
        kind = self.headers.get("content-type", ("",))[0]
        if "json" not in kind:
            return self.body.decode(errors="replace")
        try:
            return decode(self.body) if self.body else ""
        except ValueError:
            return [decode(line) for line in self.body.splitlines() if line.strip()]


Past = Sequence[Reply]
"""The replies to earlier steps of the same script, from the same server."""
Query = Mapping[str, str] | str


@dataclass(frozen=True)
class Step:
    """One request. Path, query and body may be made from earlier replies; `{ns}` in them is the script's namespace."""

    method: str
    path: str | Callable[[Past], str]
    body: Json | Callable[[Past], Json] = None
    query: Query | Callable[[Past], Query] = field(default_factory=dict)
    """A text is sent as it stands."""
    type: str = "application/json"
    accept: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    compared: bool = True
    """False for a step that only prepares."""
    raw: bool = False
    """The path is sent as it stands, percent signs and all."""


Script = Sequence[Step]


class Server(Protocol):
    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply: ...


def run(server: Server, script: Script, namespace: str) -> list[Reply]:
    replies: list[Reply] = []
    for step in script:
        payload = _payload(step, replies, namespace)
        headers = {"Accept": step.accept, "User-Agent": AGENT, **step.headers}
        if payload:
            headers.setdefault("Content-Type", step.type)
        replies.append(server.ask(step.method, _target(step, replies, namespace), headers, payload))
    return replies


def _target(step: Step, past: Past, namespace: str) -> str:
    path = (step.path(past) if callable(step.path) else step.path).replace("{ns}", namespace)
    target = path if step.raw else quote(path, safe="/:%")
    query = step.query(past) if callable(step.query) else step.query
    if isinstance(query, str):
        return f"{target}?{query.replace('{ns}', namespace)}"
    if not query:
        return target
    return f"{target}?{urlencode({name: value.replace('{ns}', namespace) for name, value in query.items()})}"


def _payload(step: Step, past: Past, namespace: str) -> bytes:
    body = step.body(past) if callable(step.body) else step.body
    if body is None:
        return b""
    payload = body if isinstance(body, bytes) else encode(body)
    return payload.replace(b"{ns}", namespace.encode())
