"""The pages that people see: the built files of `ui/`, served from memory's table of them and from nowhere else.

A path is looked up in what the build left behind, so that none leads out of it. Whatever is no file of the build and no
path of the API is a place inside of the interface, and gets its one page.
"""

import asyncio
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.ids import Ids
from plumbline.web.building import Build, File, built
from plumbline.web.refusals import problem
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Route

NONCE: Final = "__NONCE__"
"""Where the page has it, it is another word each time, and styles that bear it are allowed."""

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""All: a path that nobody answers is not found, whatever is to be done there."""
_READING: Final = frozenset({"GET", "HEAD"})
_OTHERS: Final = ("api/", "auth/", "git/", "artifacts/")
"""Beneath these a path is no place inside of the interface, even if nobody answers it."""
_ENCODINGS: Final = ("br", "gzip")
_KEPT: Final = "public, max-age=31536000, immutable"
_ASKED_AGAIN: Final = "no-cache"
_WORKER_POLICY: Final = "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'"
_BASE: Final = re.compile(rb'<base href="[^"]*"')
_BASES: Final = re.compile(r"/([A-Za-z0-9._~-]+/)*")
_NONCE_LETTERS: Final = 24

_UNBUILT: Final = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Plumbline</title></head>
<body><h1>The web interface is not built</h1>
<p>Run <code>make ui</code> where Plumbline was checked out, then load this page again.</p>
<p>The API and the command line work without it: try <code>plumb app list</code>.</p></body></html>
"""


class Assets:
    """A part of the web port. It notices when the interface is built anew."""

    def __init__(
        self, folder: Path | None = None, *, base: str = "/", ids: Ids | None = None, aside: Aside = in_a_thread
    ) -> None:
        """*base* is the path that the interface has in browsers, if a proxy puts it beneath one."""
        if not _BASES.fullmatch(base):
            raise ValueError("a base is a path that begins and ends with a slash")
        self._folder = folder or Path(str(files("plumbline.web"))) / "static"
        self._base = base
        self._ids = ids or Ids()
        self._aside = aside
        self._build: Build | None = None
        self._turn = asyncio.Lock()
        self.routes = (Route("/", _METHODS, self._serve),)

    async def run(self) -> None:
        """Nothing to do but answer."""

    async def _serve(self, request: Request) -> Response:
        path = request.path
        path = path[len(self._base) :] if path.startswith(self._base) else path.lstrip("/")
        if request.method not in _READING or path.startswith(_OTHERS):
            return problem(404, "Not Found")
        build = await self._current()
        file = build.files.get(path) if build is not None else None
        if file is not None:
            return await self._file(file, request)
        if path not in {"", "index.html"} and not _takes_pages(request):
            return problem(404, "Not Found")
        return _unbuilt() if build is None else self._page(build)

    async def _current(self) -> Build | None:
        """What is built now, read again only if the page has changed."""
        async with self._turn:
            self._build = await self._aside(lambda: built(self._folder, self._build))
            return self._build

    async def _file(self, file: File, request: Request) -> Response:
        encoding = _encoding(request.header("accept-encoding"), file.encoded)
        etag = f'"{file.digest}{"-" + encoding if encoding else ""}"'
        headers = [("ETag", etag), ("Cache-Control", _KEPT if file.hashed else _ASKED_AGAIN)]
        if file.encoded:
            headers.append(("Vary", "Accept-Encoding"))
        if _known(request.header("if-none-match"), etag):
            return Response(304, headers=tuple(headers))
        if file.script:
            # A worker lives by the policy of its own script, and has to reach the API.
            headers.append(("Content-Security-Policy", _WORKER_POLICY))
        if encoding:
            headers.append(("Content-Encoding", encoding))
        path = file.encoded[encoding] if encoding else file.path
        try:
            content = await self._aside(path.read_bytes)
        except OSError:
            # It is being built anew at this moment.
            return problem(404, "Not Found")
        return Response(200, content, file.content_type, tuple(headers))

    def _page(self, build: Build) -> Response:
        nonce = self._ids.suffix(_NONCE_LETTERS) if NONCE.encode() in build.page else ""
        page = _BASE.sub(b'<base href="' + self._base.encode() + b'"', build.page, count=1)
        page = page.replace(NONCE.encode(), nonce.encode())
        headers = (("Content-Security-Policy", policy(build, nonce)), ("Cache-Control", "no-store"))
        return Response(200, page, "text/html; charset=utf-8", headers)


def policy(build: Build, nonce: str) -> str:
    """What the page may load: what is built with it, and nothing that somebody wrote into it."""
    scripts = " ".join(("'self'", *(f"'sha256-{digest}'" for digest in build.inline)))
    styles = f"'self' 'nonce-{nonce}'" if nonce else "'self'"
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; "
        "frame-ancestors 'none'"
    )


def _unbuilt() -> Response:
    return Response(503, _UNBUILT, "text/html; charset=utf-8", (("Retry-After", "30"),))


def _takes_pages(request: Request) -> bool:
    """Whether a browser goes there, rather than a program or a part of a page."""
    return any(said.partition(";")[0].strip() == "text/html" for said in request.header("accept").lower().split(","))


def _encoding(accepted: str, there: Mapping[str, Path]) -> str:
    weights: dict[str, float] = {}
    for said in accepted.lower().split(","):
        name, _, parameters = said.partition(";")
        weights[name.strip()] = _weight(parameters)
    usable = [name for name in _ENCODINGS if name in there and weights.get(name, weights.get("*", 0.0)) > 0]
    return usable[0] if usable else ""


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def _known(header: str, etag: str) -> bool:
    return any(said.strip().removeprefix("W/") in {etag, "*"} for said in header.split(",") if said.strip())
