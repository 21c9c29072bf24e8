"""Which words in a kustomization Kustomize takes for something to fetch."""

import re
from typing import Final

_FETCHED: Final = ("http://", "https://")
_SCHEMES: Final = ("ssh://", "file://", *_FETCHED)
_FORCED: Final = "git::"
_USER: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*@")
_GITHUB: Final = ("github.com/", "github.com:")
_SEGMENTS: Final = 2


def fetched(text: str) -> bool:
    """Whether it is loaded over HTTP whatever lies in the tree."""
    return text.lower().startswith(_FETCHED)


def remote(text: str) -> bool:
    """Whether *text*, which is not the name of a file here, is the address of a repository."""
    address = text.partition("?")[0]
    if address.lower().startswith(_FORCED):
        address = address[len(_FORCED) :]
    if address.lower().startswith(_SCHEMES):
        return True
    user = _USER.match(address)
    address = address[user.end() :] if user else address
    if text.startswith("/") or (user is None and not address.lower().startswith(_GITHUB)):
        return False
    return _names_repository(_path(address))


def _path(address: str) -> str:
    """What follows the host, which ends at a slash or, as for scp, at a colon before one."""
    slash, colon = address.find("/"), address.find(":")
    end = colon if slash < 0 or 0 < colon < slash else slash
    return address[end + 1 :] if end >= 0 else ""


def _names_repository(path: str) -> bool:
    if "_git/" in path:
        return True
    if "//" in path:
        return not path.startswith("//")
    return ".git" in path or len(path.split("/")) >= _SEGMENTS
