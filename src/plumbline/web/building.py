"""What the build of the interface left behind, as a table: every file that may be served, and what is to be said of it."""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

PAGE: Final = "index.html"
_SIDECARS: Final = {".br": "br", ".gz": "gzip"}
_LAST: Final = "manifest.json"
"""What the build writes when it is done."""
_PRIVATE: Final = frozenset({PAGE, "assets.json", _LAST})
"""The page has rules of its own; which version it is, is not for everybody."""
_HASHED: Final = re.compile(r"assets/.*-[A-Za-z0-9_-]{8}\.[a-z0-9]+")
_MOST: Final = 5_000
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
"""Not those of the system, which differ from one to the next."""


@dataclass(frozen=True, slots=True)
class File:
    path: Path
    content_type: str
    digest: str
    hashed: bool
    """Whether its name changes with its content, so that it may be kept for ever."""
    encoded: Mapping[str, Path]

    @property
    def script(self) -> bool:
        return self.content_type.startswith("text/javascript")


@dataclass(frozen=True, slots=True)
class Build:
    page: bytes
    mark: tuple[int, ...]
    """By which it is seen whether it is another one."""
    inline: tuple[str, ...]
    """Digests of the scripts that are written in the page, as a policy names them."""
    files: Mapping[str, File] = field(repr=False)


def built(folder: Path, known: Build | None = None) -> Build | None:
    """What is in *folder*, None if there is no page in it; *known* itself if that is still right."""
    page = folder / PAGE
    if not page.is_file():
        return None
    try:
        mark = (*_mark(page), *_mark(folder / _LAST))
        if known is not None and known.mark == mark:
            return known
        content = page.read_bytes()
        return Build(content, mark, tuple(inline_scripts(content)), _listed(folder.resolve()))
    except OSError:
        return None


def _mark(path: Path) -> tuple[int, ...]:
    if not path.is_file():
        return ()
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size


def inline_scripts(page: bytes) -> list[str]:
    parser = _Scripts()
    parser.feed(page.decode("utf-8", "replace"))
    parser.close()
    return [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in parser.found]


def _listed(folder: Path) -> dict[str, File]:
    found = {}
    for path in sorted(folder.rglob("*"))[:_MOST]:
        name = path.relative_to(folder).as_posix()
        # A link may lead anywhere; the build makes none.
        if name in _PRIVATE or path.suffix in _SIDECARS or path.is_symlink() or not path.is_file():
            continue
        if not path.resolve().is_relative_to(folder):
            continue
        found[name] = _file(path, name)
    return found


def _file(path: Path, name: str) -> File:
    beside = ((encoding, path.with_name(path.name + suffix)) for suffix, encoding in _SIDECARS.items())
    return File(
        path,
        _TYPES.get(path.suffix, "application/octet-stream"),
        hashlib.sha256(path.read_bytes()).hexdigest()[:24],
        _HASHED.fullmatch(name) is not None,
        {encoding: sidecar for encoding, sidecar in beside if sidecar.is_file() and not sidecar.is_symlink()},
    )


class _Scripts(HTMLParser):
    """Finds scripts that are written out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script" and all(name != "src" for name, _ in attrs):
            self._inside = True
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data
