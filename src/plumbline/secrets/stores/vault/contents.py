"""What Vault answered, as the secret that it is. Pure."""

from http import HTTPStatus
from typing import Final

from plumbline.base.errors import GarbledReply, InvalidInput, NotFound, PlumblineError
from plumbline.base.json import JsonObject, encode_sorted
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.properties import entries_of, property_of
from plumbline.secrets.stores.vault.replies import SUCCESSES, fault, mount_missing, wrong_version
from plumbline.secrets.stores.vault.wire import Reply

_AS_GO_WRITES: Final = (
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


def secret_in(reply: Reply, key: str, *, versioned: bool) -> JsonObject:
    """Raises NotFound where Vault says that there is none, or none any more."""
    what = f"{key} cannot be read from Vault"
    if reply.status not in SUCCESSES:
        raise absent(reply, what)
    if not versioned:
        return reply.content
    held = reply.content.get("data")
    if held is None and "data" in reply.content:
        raise NotFound(what, why="this version of it was deleted")
    if not isinstance(held, dict):
        raise InvalidInput(
            what, why="the answer is not that of a key engine of version 2", hint="Set version of the store to v1."
        )
    return held


def metadata_in(reply: Reply, key: str) -> dict[str, str]:
    """What people noted about a secret."""
    if reply.status not in SUCCESSES:
        raise absent(reply, f"What is noted about {key} cannot be read from Vault")
    noted = reply.content.get("custom_metadata")
    return {name: str(value) for name, value in noted.items()} if isinstance(noted, dict) else {}


def keys_in(reply: Reply, folder: str) -> tuple[str, ...]:
    """Names in a folder; those of further folders end with a slash. Raises NotFound where there is no such folder."""
    what = f"{folder} cannot be listed in Vault"
    if reply.status not in SUCCESSES:
        raise absent(reply, what)
    listed = reply.content.get("keys")
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise GarbledReply(what, why="the answer has no keys", hint="Check path and version of the store.")
    return tuple(listed)


def absent(reply: Reply, what: str) -> PlumblineError:
    """For every status but success. NotFound only if it is Vault that says so, about something that it would keep."""
    if reply.status != HTTPStatus.NOT_FOUND:
        return fault(reply, what)
    if mount_missing(reply):
        return InvalidInput(what, why="nothing is mounted there", hint="Set path of the store to the mount's.")
    if wrong_version(reply):
        return InvalidInput(what, why="the key engine there has version 2", hint="Set version of the store to v2.")
    # A 404 of something in between says nothing about the secret, and who believes it may delete what depends on it.
    if reply.body.keys().isdisjoint({"errors", "data", "warnings"}):
        return GarbledReply(
            what, why="a 404 came, but not from Vault", hint="Check server, and what is in front of it."
        )
    deleted = "metadata" in reply.content
    return NotFound(what, why="this version of it was deleted" if deleted else "there is no such secret or version")


def document(secret: JsonObject) -> Plaintext:
    """As Go's `encoding/json` writes it, letter by letter: whoever comes from there finds nothing changed."""
    text = encode_sorted(secret)
    for sign, escaped in _AS_GO_WRITES:
        text = text.replace(sign, escaped)
    return Plaintext(text)


def part(whole: Plaintext, name: str, key: str) -> Plaintext:
    """The entry of that very name, as Vault has it; else what the path of gjson leads to."""
    found = entries_of(whole).get(name) or property_of(whole, name)
    if found is None:
        raise NotFound(f"{key} in Vault has no {name}", why="it has other properties")
    return found
