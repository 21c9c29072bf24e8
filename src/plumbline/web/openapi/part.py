"""`/openapi.json`, the same at Argo CD's `/swagger.json`, and `/docs/api`: a page of it for people, without a script."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from html import escape
from itertools import groupby
from typing import Final

from plumbline.base.json import JsonObject, encode
from plumbline.web.openapi.document import document
from plumbline.web.operations import Operation
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Part, Route

PATH: Final = "/openapi.json"
ARGOS: Final = "/swagger.json"
PAGE: Final = "/docs/api"
ARGOS_PAGE: Final = "/swagger-ui"
_GET: Final = frozenset({"GET", "HEAD"})
_AGAIN: Final = ("Cache-Control", "no-cache")
_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "code{font-family:ui-monospace,monospace}table{border-collapse:collapse;width:100%}"
    "td{padding:.25rem .75rem .25rem 0;vertical-align:top;border-top:1px solid #8884}td:first-child{width:5rem}"
)
_ALLOWED: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    "Content-Security-Policy",
    f"default-src 'none'; style-src 'sha256-{_ALLOWED}'; frame-ancestors 'none'",
)


class OpenApi:
    """A part of the web port that describes the others, and itself. It is put together when somebody first asks."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self.routes = (
            Route(PATH, _GET, self._described, (_told(PATH, "This description"),)),
            Route(ARGOS, _GET, self._described, (_told(ARGOS, "The same, where Argo CD has its own"),)),
            Route(PAGE, _GET, self._shown, (_told(PAGE, "The same, for people", "text/html"),)),
            Route(
                ARGOS_PAGE, _GET, self._shown, (_told(ARGOS_PAGE, "The same page, where Argo CD has one", "text/html"),)
            ),
        )

    async def run(self) -> None:
        """Nothing to do but answer."""

    async def _described(self, request: Request) -> Response:
        return _unless_known(request, self._json, "application/json")

    async def _shown(self, request: Request) -> Response:
        return _unless_known(request, self._page, "text/html; charset=utf-8", _POLICY)

    @cached_property
    def document(self) -> JsonObject:
        return document(route for part in (*self._parts, self) for route in part.routes)

    @cached_property
    def _json(self) -> bytes:
        return encode(self.document)

    @cached_property
    def _page(self) -> bytes:
        return page(self.document).encode()


def _told(path: str, summary: str, media: str = "application/json") -> Operation:
    return Operation(method="GET", path=path, summary=summary, tag="api", media=media, anonymous=True)


def _unless_known(request: Request, body: bytes, content_type: str, *headers: tuple[str, str]) -> Response:
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    said = (("ETag", etag), _AGAIN, *headers)
    if request.header("if-none-match") == etag:
        return Response(304, headers=said)
    return Response(200, body, content_type, said)


def page(described: JsonObject) -> str:
    sections = (
        f'<h2 id="{escape(tag)}">{escape(tag)}</h2><table>{"".join(_row(*row[1:]) for row in some)}</table>'
        for tag, some in groupby(_rows(described), key=lambda row: row[0])
    )
    info = described["info"]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(info["title"])}: API</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(info['title'])}: API</h1><p>{escape(info['description'])}</p>"
        f'<p>For programs: <a href="../openapi.json">openapi.json</a></p>{"".join(sections)}</body></html>'
    )


def _rows(described: JsonObject) -> Iterable[tuple[str, str, str, str]]:
    return sorted(
        (operation["tags"][0], path, method.upper(), _said(operation))
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    )


def _said(operation: JsonObject) -> str:
    """What it does, and what may be said in its query."""
    query = [each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"]
    known = f" ({', '.join(query)})" if query else ""
    return operation.get("summary", "") + known


def _row(path: str, method: str, said: str) -> str:
    return f"<tr><td>{escape(method)}</td><td><code>{escape(path)}</code><br>{escape(said)}</td></tr>"
