"""What an answer of Vault means, in words of ours. Its own words are looked into and never repeated. Pure."""

from http import HTTPStatus
from typing import Final

from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    InvalidInput,
    PlumblineError,
    ServerFault,
    Throttled,
    Unauthenticated,
    Unreachable,
)
from plumbline.secrets.stores.vault.wire import Reply

SUCCESSES: Final = range(200, 300)
_MOVED: Final = range(300, 400)
_FAULTS: Final = range(500, 600)
_NOT_NOW: Final = {
    412: "this server of Vault is behind what was written before",
    472: "this server of Vault stands by for a disaster",
    473: "this server of Vault only reads",
}
_PAUSE_S: Final = 10.0


def token_gone(reply: Reply) -> bool:
    """Whether the token is to blame and not what it may do. Servers before 1.12 do not tell."""
    return reply.status == HTTPStatus.FORBIDDEN and "invalid token" in reply.errors


def mount_missing(reply: Reply) -> bool:
    return reply.status == HTTPStatus.NOT_FOUND and "no handler for route" in reply.errors


def wrong_version(reply: Reply) -> bool:
    """Whether it says that paths of version 1 are asked of an engine of version 2."""
    warnings = reply.body.get("warnings")
    return isinstance(warnings, list) and any("Invalid path for a versioned K/V" in str(each) for each in warnings)


def fault(reply: Reply, what: str) -> PlumblineError:
    """For every status but success and 404."""
    why = f"Vault answered {reply.status}"
    match reply.status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN if token_gone(reply):
            return Unauthenticated(what, why="Vault does not know the token", hint="It has ended, or was revoked.")
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return Forbidden(what, why=why, hint="Let a policy of the token read the path; version 2 has data/ in it.")
        case HTTPStatus.BAD_REQUEST | HTTPStatus.METHOD_NOT_ALLOWED:
            return InvalidInput(what, why=why, hint="Check path and version of the store against `vault secrets list`.")
        case HTTPStatus.TOO_MANY_REQUESTS:
            return Throttled(what, after_s=_PAUSE_S if reply.after_s is None else reply.after_s, why=why)
        case status if status in _MOVED:
            return Unreachable(
                what,
                why="Vault sends us to another address, to which no token is shown",
                hint="Point server at the leader, or at what forwards to it.",
            )
        case status if status in _FAULTS or status in _NOT_NOW:
            return ServerFault(what, why="Vault is sealed" if "sealed" in reply.errors else _NOT_NOW.get(status, why))
        case _:
            return GarbledReply(what, why=why, hint="Check that server is the address of Vault.")


def login_fault(reply: Reply) -> PlumblineError:
    what = "Vault does not let us in"
    match reply.status:
        case HTTPStatus.BAD_REQUEST | HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN | HTTPStatus.NOT_FOUND:
            return Unauthenticated(
                what,
                why=f"it answered {reply.status}{_known(reply)}",
                hint="Check role and credential of the store, where the method is mounted, and the namespace of Vault.",
            )
        case _:
            return fault(reply, what)


_PHRASES: Final = {
    "invalid role or secret ID": "role id and secret id do not belong together, or the secret id has ended",
    "invalid username or password": "the name or the password is wrong",
    "invalid role name": "there is no such role",
    "service account": "the role is not for this service account",
    "audience": "the role is not for this audience",
    "failed to match all constraints": "no role is for this certificate",
    "no handler for route": "no such method is mounted there",
}


def _known(reply: Reply) -> str:
    return next((f": {words}" for phrase, words in _PHRASES.items() if phrase in reply.errors), "")
