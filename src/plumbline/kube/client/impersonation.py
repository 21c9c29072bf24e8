"""Acting as somebody else: the headers that ask for it."""

import re

from plumbline.base.errors import InvalidInput
from plumbline.kube.client.parts import Impersonation
from plumbline.kube.client.transport import Headers

_odd_key_character = re.compile(r"[^A-Za-z0-9!#$&'*+.^_`|~-]")


def headers(who: Impersonation | None) -> Headers:
    """Raises InvalidInput for what no header can carry, and for groups of nobody: the server would ignore them."""
    if who is None:
        return ()
    if not who.user:
        raise InvalidInput("Nobody to impersonate", why="groups, uid and extra need a user")
    asked = [("Impersonate-User", who.user)]
    asked += (("Impersonate-Group", group) for group in who.groups)
    if who.uid:
        asked.append(("Impersonate-Uid", who.uid))
    for key, values in who.extra.items():
        escaped = _odd_key_character.sub(_percent, key.lower())
        asked += ((f"Impersonate-Extra-{escaped}", value) for value in values)
    for name, value in asked:
        if not value.isprintable():
            raise InvalidInput(f"{name} cannot be sent", why="it has control characters")
    return tuple(asked)


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())
