"""A request and its answer, as every room of the API server sees them; HTTP and in-process callers look alike."""

import re
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final
from urllib.parse import unquote_plus

from plumbline.access.identity import Identity
from plumbline.base.json import JsonObject, encode

JSON: Final = "application/json"
_broken: Final = re.compile("%(?![0-9A-Fa-f]{2})").search


class Call:
    """One request; `path` is decoded, `query` is not.

    `headers` are in lower case, the last of each name; `repeated_headers` are all of those that may come often.
    `identity` is who calls, where that is known without credentials.
    """

    def __init__(  # noqa: PLR0913 - the parts of a request
        self,
        method: str,
        path: str,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        *,
        identity: Identity | None = None,
        client_certificate: bytes = b"",
        repeated_headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers if headers is not None else {}
        self.body = body
        self.identity = identity
        self.client_certificate = client_certificate
        self.repeated_headers = repeated_headers
        self.warnings: list[str] = []

    def __repr__(self) -> str:
        """Without headers and body: both may carry secrets."""
        return f"Call({self.method} {self.path})"

    @cached_property
    def parameters(self) -> Mapping[str, list[str]]:
        return parsed_query(self.query) if self.query else {}

    def parameter(self, name: str) -> str:
        """The first value, as Go reads it; empty where there is none."""
        values = self.parameters.get(name)
        return values[0] if values else ""

    @property
    def user_agent(self) -> str:
        return self.headers.get("user-agent", "")


def impersonation(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those of *headers*, named in lower case, that say who else to be; groups and extra values come one per header."""
    return [(name, value) for name, value in headers if name.startswith("impersonate-")]


def parsed_query(query: str) -> dict[str, list[str]]:
    """As Go reads it: what is broken, or separated in the old way, is as if it were not there."""
    found: dict[str, list[str]] = {}
    for pair in query.split("&"):
        if not pair or ";" in pair or _broken(pair):
            continue
        name, _, value = pair.partition("=")
        found.setdefault(unquote_plus(name), []).append(unquote_plus(value))
    return found


class Answer:
    """A whole body, or a stream of pieces; `close` of the stream is called whatever happens."""

    __slots__ = ("body", "content_type", "headers", "status", "stream")

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        *,
        content_type: str = JSON,
        headers: tuple[tuple[str, str], ...] = (),
        stream: AsyncGenerator[bytes] | None = None,
    ) -> None:
        self.status = status
        self.body = body
        self.content_type = content_type
        self.headers = headers
        self.stream = stream

    def __repr__(self) -> str:
        return f"Answer({self.status}, {len(self.body)} bytes)"


def answer_object(obj: JsonObject, status: int = 200) -> Answer:
    return Answer(status, encode(obj) + b"\n")
