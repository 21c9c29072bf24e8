"""Paths and addresses."""

import posixpath
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from plumbline.gotemplate.values import Failed, Function, Value, function, kind_of

_PATH: Final = "/:$&+,;=@!'()*~"


def _clean(path: str) -> str:
    if not path:
        return "."
    cleaned = posixpath.normpath(path)
    return "/" + cleaned.lstrip("/") if path.startswith("/") else cleaned


def _base(path: str) -> str:
    if not path:
        return "."
    return path.rstrip("/").rpartition("/")[2] or "/"


def _dir(path: str) -> str:
    return _clean(path[: path.rfind("/") + 1])


def _ext(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name else ""


def _parsed(url: str) -> Value:
    try:
        found = urlsplit(url)
        user, at, host = found.netloc.rpartition("@")
        hostname = host.partition("]")[0][1:] if host.startswith("[") else host.partition(":")[0]
    except ValueError as fault:
        raise Failed(f'unable to parse url: parse "{url}": {fault}') from fault
    opaque = bool(found.scheme) and not found.netloc and not found.path.startswith("/")
    return {
        "scheme": found.scheme,
        "host": host,
        "hostname": hostname,
        "path": "" if opaque else unquote(found.path),
        "query": found.query,
        "opaque": found.path if opaque else "",
        "fragment": unquote(found.fragment),
        "userinfo": user if at else "",
    }


def _joined(parts: Mapping[str, Value]) -> str:
    said: dict[str, str] = {}
    for key in ("scheme", "host", "path", "query", "opaque", "fragment", "userinfo"):
        value = parts.get(key, "")
        if not isinstance(value, str):
            raise Failed(f"unable to parse {key} key, must be of type string, but {kind_of(value)} found")
        said[key] = value
    url = f"{said['scheme']}:" if said["scheme"] else ""
    if said["opaque"]:
        url += said["opaque"]
    else:
        path = quote(said["path"], safe=_PATH)
        user = f"{said['userinfo']}@" if said["userinfo"] else ""
        if said["scheme"] or said["host"] or user:
            url += f"//{user}{said['host']}" if said["host"] or user or path.startswith("//") else ""
            path = f"/{path}" if path and not path.startswith("/") and said["host"] else path
        url += path
    url += f"?{said['query']}" if said["query"] else ""
    return url + (f"#{quote(said['fragment'], safe=_PATH)}" if said["fragment"] else "")


def _absolute(path: str) -> bool:
    return path.startswith("/")


FUNCTIONS: Final[Mapping[str, Function]] = {
    "base": function("string", _base),
    "clean": function("string", _clean),
    "dir": function("string", _dir),
    "ext": function("string", _ext),
    "isAbs": function("string", _absolute),
    "osBase": function("string", _base),
    "osClean": function("string", _clean),
    "osDir": function("string", _dir),
    "osExt": function("string", _ext),
    "osIsAbs": function("string", _absolute),
    "urlJoin": function("map", _joined),
    "urlParse": function("string", _parsed),
}
