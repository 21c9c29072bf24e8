"""Certificates and keys as people read them, in Argo CD's tables. Pure."""

from collections.abc import Sequence
from typing import Final

from plumbline.cli.terminal import argo_table, plain
from plumbline.source.certificates import Certificate
from plumbline.source.signatures.publickeys import PublicKey

_CERTIFICATES: Final = ("HOSTNAME", "TYPE", "SUBTYPE", "INFO")
_KEYS: Final = ("KEYID", "TYPE", "IDENTITY")


def certificates(found: Sequence[Certificate], sort: str) -> str:
    ordered = sorted(found, key=lambda each: each.type if sort == "type" else each.server)
    return argo_table(_CERTIFICATES, [(each.server, each.type, each.subtype, each.about) for each in ordered])


def keys(found: Sequence[PublicKey]) -> str:
    return argo_table(_KEYS, [(each.id, each.subtype.upper(), each.owner) for each in found])


def key(found: PublicKey) -> str:
    told = (
        ("Key ID:", found.id),
        ("Key fingerprint:", found.fingerprint),
        ("Key subtype:", found.subtype.upper()),
        ("Key owner:", found.owner),
    )
    content = "\n".join(map(plain, found.content.split("\n")))
    return "\n".join((*(f"{label:<17}{plain(value)}" for label, value in told), "Key data follows until EOF:", content))
