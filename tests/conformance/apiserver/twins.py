"""The same requests to the real API server and to ours, and what they disagree about."""

import asyncio
import http.client
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote, urlencode, urlsplit

from tests.conformance.differential.normaliser import Difference, compare
from tests.conformance.real import RealCluster

from plumbline.apiserver.calls import Call
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
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
            return self.body.decode()
        try:
            return decode(self.body)
        except ValueError:
            return [decode(line) for line in self.body.splitlines() if line.strip()]


Past = Sequence[Reply]
"""The replies to earlier steps of the same script, from the same server."""


@dataclass(frozen=True)
class Step:
    """One request. Path, query and body may be made from earlier replies; `{ns}` in paths is the script's namespace."""

    method: str
    path: str | Callable[[Past], str]
    body: Json | Callable[[Past], Json] = None
    query: Mapping[str, str] | Callable[[Past], Mapping[str, str]] = field(default_factory=dict)
    type: str = "application/json"
    accept: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    compared: bool = True
    """False for a step that only prepares."""


class Server(Protocol):
    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply: ...


class RealServer:
    def __init__(self, cluster: RealCluster) -> None:
        self._cluster = cluster

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        where = urlsplit(self._cluster.url)
        connection = http.client.HTTPSConnection(
            where.hostname or "", where.port, context=self._cluster.tls, timeout=20
        )
        try:
            connection.request(method, target, body or None, dict(headers))
            answer = connection.getresponse()
            found: dict[str, tuple[str, ...]] = {}
            for name, value in answer.getheaders():
                found[name.lower()] = (*found.get(name.lower(), ()), value)
            return Reply(answer.status, found, answer.read())
        finally:
            connection.close()


class OurServer:
    """A plane of its own, in this process, without controllers or sockets."""

    def __init__(self, make: Callable[[], Plane] = lambda: Plane(SystemClock(), Ids())) -> None:
        self._runner = asyncio.Runner()
        self.plane = self._runner.run(self._made(make))
        self._running = self.plane.running()
        self._runner.run(self._enter())

    @staticmethod
    async def _made(make: Callable[[], Plane]) -> Plane:
        return make()

    async def _enter(self) -> None:
        from plumbline.apiserver.bootstrap import bootstrap  # noqa: PLC0415

        await bootstrap(self.plane.store, self.plane.cluster)

    def close(self) -> None:
        self._runner.close()

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        return self._runner.run(self._ask(method, target, headers, body))

    async def _ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        path, _, query = target.partition("?")
        named = {name.lower(): value for name, value in headers.items()}
        call = Call(method, path, query, named, body, identity=ADMIN)
        answer = await self.plane.answer(call)
        pieces = [piece async for piece in answer.stream] if answer.stream is not None else [answer.body]
        found: dict[str, tuple[str, ...]] = {"content-type": (answer.content_type,)}
        for name, value in answer.headers:
            found[name.lower()] = (*found.get(name.lower(), ()), value)
        return Reply(answer.status, found, b"".join(pieces))


def run(server: Server, script: Sequence[Step], namespace: str) -> list[Reply]:
    replies: list[Reply] = []
    for step in script:
        path = step.path(replies) if callable(step.path) else step.path
        query = step.query(replies) if callable(step.query) else step.query
        body = step.body(replies) if callable(step.body) else step.body
        target = quote(path.replace("{ns}", namespace), safe="/:%")
        if query:
            target += "?" + urlencode(
                {name: value.replace("{ns}", namespace) for name, value in query.items()}, doseq=True
            )
        payload = b"" if body is None else body if isinstance(body, bytes) else encode(body)
        payload = payload.replace(b"{ns}", namespace.encode())
        headers = {"Accept": step.accept, "User-Agent": AGENT, **step.headers}
        if payload:
            headers.setdefault("Content-Type", step.type)
        replies.append(server.ask(step.method, target, headers, payload))
    return replies


_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_VERSIONS = frozenset({"resourceVersion", "continue"})
_RECORDED = re.compile(r"in record \(\d+\)")
_AGE = re.compile(r"(?:\d+[smhd])+|<unknown>|<invalid>")


def normal(value: Json, namespace: str, key: str = "") -> Json:
    """Without what only one server can know: uids, times, revisions, the namespace's name."""
    if isinstance(value, dict):
        return {name: normal(each, namespace, name) for name, each in value.items()}
    if isinstance(value, list):
        return [normal(each, namespace, key) for each in value]
    if not isinstance(value, str):
        return value
    if key in _VERSIONS and value:
        return "(version)"
    text = _TIME.sub("(time)", _UID.sub("(uid)", value.replace(namespace, "(ns)")))
    text = _RECORDED.sub("in record (version)", text)
    return "(age)" if key == "cells" and _AGE.fullmatch(text) else text


HEADERS = ("content-type", "warning", "retry-after")


def disagreements(
    script: Sequence[Step], theirs: Sequence[Reply], ours: Sequence[Reply], spaces: tuple[str, str]
) -> list[str]:
    """Step by step: status, the headers that clients look at, and the body."""
    found: list[str] = []
    for number, (step, real, mine) in enumerate(zip(script, theirs, ours, strict=True)):
        if not step.compared:
            continue
        label = f"step {number} {step.method} {step.path if isinstance(step.path, str) else '(made)'}"
        if real.status != mine.status:
            found.append(
                f"{label}: ours {mine.status}, server's {real.status}: {real.body[:500]!r} / {mine.body[:300]!r}"
            )
            continue
        found.extend(
            f"{label} {name}: ours {mine.headers.get(name)}, server's {real.headers.get(name)}"
            for name in HEADERS
            if normal(list(mine.headers.get(name, ())), spaces[1])
            != normal(list(real.headers.get(name, ())), spaces[0])
        )
        wrong: list[Difference] = []
        compare("", normal(mine.content, spaces[1]), normal(real.content, spaces[0]), wrong)
        found.extend(f"{label} {each}" for each in wrong)
    return found
