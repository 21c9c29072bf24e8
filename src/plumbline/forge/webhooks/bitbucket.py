"""Bitbucket, in the cloud and as a server of one's own. Neither says which files changed, nor what HEAD is."""

from collections.abc import Iterable
from typing import Any, Final

from plumbline.forge.webhooks.decoding import Part, decoded
from plumbline.forge.webhooks.push import LONGEST_REF, Delivery, Ignored, Push, addresses
from plumbline.forge.webhooks.signatures import Secrets, check_hex, check_token

HOOK: Final = "x-hook-uuid"
EVENT: Final = "x-event-key"
_MOST_CHANGES: Final = 100
_KINDS: Final = {"branch": "refs/heads/", "named_branch": "refs/heads/", "tag": "refs/tags/"}


class _Link(Part):
    href: str | None = None


class _Links(Part):
    html: _Link | None = None


class _Repository(Part):
    links: _Links | None = None


class _Target(Part):
    hash: str | None = None


class _Side(Part):
    type: str | None = None
    name: str | None = None
    target: _Target | None = None


class _Change(Part):
    new: _Side | None = None
    old: _Side | None = None


class _Changes(Part):
    changes: list[_Change | None] | None = None


class _CloudPush(Part):
    push: _Changes | None = None
    repository: _Repository | None = None


class _Ref(Part):
    id: str | None = None


class _ServerChange(Part, rename="camel"):
    ref: _Ref | None = None
    from_hash: str | None = None
    to_hash: str | None = None


class _ServerRepository(Part):
    links: dict[str, Any] | None = None
    """As anybody may have sent it: a list of links under `clone`, if all is well."""


class _ServerPush(Part):
    repository: _ServerRepository | None = None
    changes: list[_ServerChange | None] | None = None


def read_cloud(delivery: Delivery, secrets: Secrets) -> tuple[Push, ...] | Ignored:
    check_token(delivery.header(HOOK), secrets.bitbucket_uuid, "X-Hook-UUID")
    event = delivery.header(EVENT)
    if event != "repo:push":
        return Ignored(f"nothing depends on {event[:100]!r} events of Bitbucket")
    said = decoded(delivery, _CloudPush)
    html = ((said.repository or _Repository()).links or _Links()).html or _Link()
    changes = [change for change in (said.push or _Changes()).changes or () if change]
    return _pushes(addresses([html.href]), map(_cloud_move, changes[:_MOST_CHANGES]))


def read_server(delivery: Delivery, secrets: Secrets) -> tuple[Push, ...] | Ignored:
    event = delivery.header(EVENT)
    if event == "diagnostics:ping":
        return Ignored("a ping")
    check_hex(delivery, secrets.bitbucket_server, "x-hub-signature")
    if event != "repo:refs_changed":
        return Ignored(f"nothing depends on {event[:100]!r} events of Bitbucket")
    said = decoded(delivery, _ServerPush)
    changes = [change for change in said.changes or () if change]
    moves = ((_id(change.ref), change.from_hash or "", change.to_hash or "") for change in changes[:_MOST_CHANGES])
    return _pushes(addresses(_clone_links(said.repository)), moves)


def _cloud_move(change: _Change) -> tuple[str, str, str]:
    """A branch that is gone has no new side, and one that came no old one."""
    new, old = change.new or _Side(), change.old or _Side()
    named = new if new.name else old
    before, after = (side.target or _Target() for side in (old, new))
    ref = f"{_KINDS.get(named.type or '', 'refs/heads/')}{named.name}" if named.name else ""
    return ref, before.hash or "", after.hash or ""


def _pushes(urls: tuple[str, ...], moves: Iterable[tuple[str, str, str]]) -> tuple[Push, ...] | Ignored:
    if not urls:
        return Ignored("it names no repository")
    named = {ref: Push(urls, ref, before, after) for ref, before, after in moves if ref and len(ref) <= LONGEST_REF}
    return tuple(named.values()) or Ignored("it names no ref")


def _id(ref: _Ref | None) -> str:
    return (ref.id or "") if ref else ""


def _clone_links(repository: _ServerRepository | None) -> Iterable[str]:
    links = repository.links if repository else None
    clone = links.get("clone") if links else None
    for link in clone if isinstance(clone, list) else ():
        if isinstance(link, dict) and link.get("name") in {"http", "ssh"} and isinstance(link.get("href"), str):
            yield link["href"]
