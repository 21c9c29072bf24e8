"""Where people may be sent after a login: to pages of this installation, and nowhere else."""

import posixpath
from collections.abc import Iterable
from urllib.parse import SplitResult, unquote, urlsplit


def page_of(wanted: str, urls: Iterable[str]) -> str | None:
    """*wanted* if it is a page beneath one of *urls*, or a path here; `/` if nothing is wanted; else None.

    Browsers read backslashes as slashes, and leave out what cannot be printed, before they look for a host.
    """
    if not wanted:
        return "/"
    if not wanted.isascii() or not wanted.isprintable() or "\\" in wanted or " " in wanted:
        return None
    if "\\" in unquote(wanted.partition("?")[0]):
        return None
    if wanted.startswith("/"):
        return None if wanted.startswith("//") or _climbs(wanted) else wanted
    where = _split(wanted)
    if where is None or where.scheme not in {"http", "https"} or "@" in where.netloc:
        return None
    return wanted if any(_beneath(where, base) for base in map(_split, urls) if base is not None) else None


def _beneath(where: SplitResult, base: SplitResult) -> bool:
    root = base.path.rstrip("/")
    path = posixpath.normpath(unquote(where.path) or "/")
    same = (where.scheme, where.netloc.lower()) == (base.scheme, base.netloc.lower())
    return same and (path == (root or "/") or path.startswith(f"{root}/"))


def _climbs(path: str) -> bool:
    plain = unquote(path.partition("?")[0].partition("#")[0])
    return "//" in plain or ".." in plain.split("/")


def _split(url: str) -> SplitResult | None:
    try:
        found = urlsplit(url)
        _ = found.port
    except ValueError:
        return None
    return found
