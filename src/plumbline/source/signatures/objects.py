"""The objects that carry signatures, taken apart as git does it: what is signed, with what, by whom."""

import hashlib
import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

Scheme: TypeAlias = Literal["openpgp", "ssh", "x509"]

_MARKS: Final[tuple[tuple[bytes, Scheme], ...]] = (
    (b"-----BEGIN PGP SIGNATURE-----", "openpgp"),
    (b"-----BEGIN PGP MESSAGE-----", "openpgp"),
    (b"-----BEGIN SSH SIGNATURE-----", "ssh"),
    (b"-----BEGIN SIGNED MESSAGE-----", "x509"),
)
_SIGNATURE_HEADERS: Final = frozenset({b"gpgsig", b"gpgsig-sha256"})
_SHA1_DIGITS: Final = 40
_IDENTITY: Final = re.compile(rb"(.*>) (-?[0-9]{1,18}) [+-][0-9]{4}", re.DOTALL)
_SEAL: Final = re.compile(rb"argocd-gpg-seal:", re.IGNORECASE)


class Raw(Protocol):
    """An object of a repository, as its hash is made over it."""

    @property
    def kind(self) -> str: ...

    @property
    def content(self) -> bytes: ...


class RawObject(NamedTuple):
    """The same, in memory."""

    kind: str
    content: bytes


class Signed(NamedTuple):
    kind: str
    payload: bytes
    """What the signature is made over: the object without it."""
    signatures: tuple[bytes, ...]
    """More than one in a commit is no way to sign; each would be the good one for somebody."""
    author: str
    committed: int
    """Seconds since 1970, as the object claims."""
    parents: tuple[str, ...]
    target: str
    """What a tag is a tag of, where that is a commit."""
    name: str
    """What a tag calls itself; empty for a commit."""
    sealed: bool
    """Whether the message says that what came before was looked at."""

    @property
    def scheme(self) -> Scheme | None:
        """How it is signed; None where that is not known."""
        first = self.signatures[0] if self.signatures else b""
        return next((scheme for mark, scheme in _MARKS if first.startswith(mark)), None)


def parsed(sha: str, raw: Raw) -> Signed:
    """A commit or an annotated tag. Total: what is missing in a broken object is empty."""
    head, blank, body = raw.content.partition(b"\n\n")
    headers = list(_headers(head))
    payload = b"".join(line for name, _, line in headers if name not in _SIGNATURE_HEADERS) + blank[1:] + body
    signatures: tuple[bytes, ...]
    if raw.kind == "tag":
        at = _trailing(payload)
        signatures = (payload[at:],) if at < len(payload) else ()
        payload = payload[:at]
    else:
        wanted = b"gpgsig" if len(sha) == _SHA1_DIGITS else b"gpgsig-sha256"
        signatures = tuple(value for name, value, _ in headers if name == wanted)
    return Signed(
        raw.kind,
        payload,
        signatures,
        *_identity(headers, raw.kind),
        tuple(value.decode("ascii", "replace") for name, value, _ in headers if name == b"parent"),
        _target(headers) if raw.kind == "tag" else "",
        _name(headers) if raw.kind == "tag" else "",
        bool(_SEAL.search(body)),
    )


def genuine(sha: str, raw: Raw) -> bool:
    """Whether these are the bytes that the hash stands for."""
    content = b"%s %d\0%s" % (raw.kind.encode(), len(raw.content), raw.content)
    algorithm = "sha1" if len(sha) == _SHA1_DIGITS else "sha256"
    # Git names objects so; whether that is enough is not for us to say.
    return hashlib.new(algorithm, content, usedforsecurity=False).hexdigest() == sha.lower()


def _headers(head: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Name, value with its continuation lines joined, and the lines as they stand, each with its end."""
    name = value = whole = b""
    for line in head.split(b"\n"):
        if line.startswith(b" ") and whole:
            value += b"\n" + line[1:]
            whole += line + b"\n"
            continue
        if whole:
            yield name, value, whole
        name, _, value = line.partition(b" ")
        whole = line + b"\n"
    yield name, value, whole


def _trailing(content: bytes) -> int:
    """Where the signature of a tag begins: at the last line that begins like one."""
    at, length = 0, len(content)
    found = length
    while at < length:
        if content.startswith(tuple(mark for mark, _ in _MARKS), at):
            found = at
        end = content.find(b"\n", at)
        at = length if end < 0 else end + 1
    return found


def _identity(headers: list[tuple[bytes, bytes, bytes]], kind: str) -> tuple[str, int]:
    values = {name: value for name, value, _ in reversed(headers)}
    author = _IDENTITY.fullmatch(values.get(b"tagger" if kind == "tag" else b"author", b""))
    committer = _IDENTITY.fullmatch(values.get(b"tagger" if kind == "tag" else b"committer", b""))
    return (
        author[1].decode("utf-8", "replace") if author else "",
        int(committer[2]) if committer else 0,
    )


def _target(headers: list[tuple[bytes, bytes, bytes]]) -> str:
    values = {name: value for name, value, _ in reversed(headers)}
    return values.get(b"object", b"").decode("ascii", "replace") if values.get(b"type") == b"commit" else ""


def _name(headers: list[tuple[bytes, bytes, bytes]]) -> str:
    values = {name: value for name, value, _ in reversed(headers)}
    return values.get(b"tag", b"").partition(b"\n")[0].decode("utf-8", "replace")
