"""What is kept, listed and changed, as values. Pure."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import AlreadyExists, InvalidInput, LimitExceeded
from plumbline.source.certificates import hostkeys, pem
from plumbline.source.certificates.hostkeys import HostKey
from plumbline.source.certificates.values import HTTPS, SSH, Certificate, Selector
from plumbline.source.signatures.trusted import fingerprint

MOST_BYTES: Final = 1_000_000
"""Of one ConfigMap; Kubernetes keeps little more."""
_PART: Final = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_SERVER: Final = re.compile(rf"(?=.{{1,253}}$){_PART}(?:\.{_PART})*\.?", re.ASCII)
_UPSERT: Final = "Use --upsert to replace it."


class Kept(msgspec.Struct, frozen=True):
    known_hosts: str = ""
    authorities: dict[str, str] = {}
    """PEM by server."""


class Edited(NamedTuple):
    kept: Kept
    items: list[Certificate]
    """What was added, or removed."""


def listed(kept: Kept, selector: Selector) -> list[Certificate]:
    found: list[Certificate] = []
    if selector.wants(SSH):
        keys = [key for key in map(hostkeys.read, kept.known_hosts.splitlines()) if key is not None]
        found += [
            Certificate(key.host, SSH, key.subtype, about=hostkeys.fingerprint(key))
            for key in keys
            if selector.fits_key(key.host, key.subtype)
        ]
    if selector.wants(HTTPS):
        for server, text in sorted(kept.authorities.items()):
            if selector.fits(server):
                found += [Certificate(server, HTTPS, read.algorithm, about=read.subject) for read in _reads(text)]
    return found


def added(kept: Kept, certificates: Iterable[Certificate], *, upsert: bool) -> Edited:
    """All of them, or none. Raises InvalidInput, and AlreadyExists where another is there and *upsert* was not said."""
    items: list[Certificate] = []
    for each in certificates:
        match each.type:
            case "ssh":
                kept, new = _with_host_key(kept, each, upsert=upsert)
            case "https":
                kept, new = _with_authorities(kept, each, upsert=upsert)
            case _:
                why = f"unknown certificate type: {each.type[:50]}"
                raise InvalidInput("a certificate is not taken", why=why, hint="It is ssh or https.")
        items += new
    _bounded(kept)
    return Edited(kept, items)


def removed(kept: Kept, selector: Selector) -> Edited:
    """Lines that nobody can read stay; a server's certificates go together, whether or not they can be read."""
    items: list[Certificate] = []
    lines: list[str] = []
    for line in kept.known_hosts.splitlines():
        key = hostkeys.read(line) if selector.wants(SSH) else None
        if key is None or not selector.fits_key(key.host, key.subtype):
            lines.append(line)
        else:
            items.append(Certificate(key.host, SSH, key.subtype, key.content))
    known_hosts = _text(lines) if items else kept.known_hosts
    authorities = dict(kept.authorities)
    for server, text in sorted(kept.authorities.items()):
        if selector.wants(HTTPS) and selector.fits(server):
            del authorities[server]
            items += [Certificate(server, HTTPS, content=block) for block in _blocks(text) or [text]]
    return Edited(Kept(known_hosts, authorities), items)


def _with_host_key(kept: Kept, new: Certificate, *, upsert: bool) -> Edited:
    key = HostKey(new.server, new.subtype, new.content.strip())
    raw = hostkeys.blob(key, f"the key of {new.server[:100]}")
    lines = kept.known_hosts.splitlines()
    for at, line in enumerate(lines):
        there = hostkeys.read(line)
        if there is None or (there.host, there.subtype) != (key.host, key.subtype):
            continue
        if there.content == key.content:
            return Edited(kept, [])
        if not upsert:
            what = f"key for '{key.host}' (subtype: '{key.subtype}') already exists, and upsert was not specified"
            raise AlreadyExists(what, hint=_UPSERT)
        lines[at] = str(key)
        break
    else:
        lines.append(str(key))
    about = fingerprint(raw).removeprefix("SHA256:")
    return Edited(msgspec.structs.replace(kept, known_hosts=_text(lines)), [msgspec.structs.replace(new, about=about)])


def _with_authorities(kept: Kept, new: Certificate, *, upsert: bool) -> Edited:
    if not _SERVER.fullmatch(new.server):
        what = f"invalid hostname in request: {new.server[:100]}"
        raise InvalidInput(what, why="it is the name or IPv4 address of a host, without a port", hint="Such as: git.example.org.")  # fmt: skip
    there = kept.authorities.get(new.server)
    if there == new.content:
        return Edited(kept, [])
    if there is not None and not upsert:
        what = f"TLS certificate for server '{new.server}' already exists, and upsert was not specified"
        raise AlreadyExists(what, hint=_UPSERT)
    blocks = pem.blocks(new.content)
    if not blocks:
        raise InvalidInput("no valid PEM data received", hint="Give a file with a line -----BEGIN CERTIFICATE-----.")
    for block in blocks:
        pem.loaded(block)
    authorities = {**kept.authorities, new.server: new.content}
    items = [Certificate(new.server, HTTPS, content=block) for block in blocks]
    return Edited(msgspec.structs.replace(kept, authorities=authorities), items)


def _reads(text: str) -> list[pem.Read]:
    return [pem.read(block) for block in _blocks(text)]


def _blocks(text: str) -> list[str]:
    try:
        return pem.blocks(text)
    except LimitExceeded:
        return []


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _bounded(kept: Kept) -> None:
    sizes = (len(kept.known_hosts), sum(len(server) + len(text) for server, text in kept.authorities.items()))
    if max(sizes) > MOST_BYTES:
        why = f"what is kept would have more than {MOST_BYTES} bytes"
        raise LimitExceeded("nothing is added", why=why, hint="Remove what is not used any more: plumb cert rm HOST.")
