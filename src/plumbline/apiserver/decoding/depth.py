"""How deep an object may be. Go reads ten thousand levels; what works on objects here recurses, and reads fewer."""

from typing import Final

from plumbline.base.errors import LimitExceeded
from plumbline.base.json import Json
from plumbline.base.limits import REQUESTS

DEEPEST: Final = REQUESTS.depth
_CONTAINERS: Final = frozenset({dict, list})


def too_deep() -> LimitExceeded:
    return LimitExceeded("The request body is not read", why=f"it is deeper than {DEEPEST} levels")


def refuse_depth(body: bytes, value: Json) -> None:
    """Raise if the object or list *value*, decoded from *body*, has too many levels. Most have fewer brackets."""
    if body.count(b"{") + body.count(b"[") <= DEEPEST:
        return
    level = [value]
    for _ in range(DEEPEST):
        inside = (
            each for container in level for each in (container.values() if type(container) is dict else container)
        )
        level = [each for each in inside if type(each) in _CONTAINERS]
        if not level:
            return
    raise too_deep()
