"""A certificate or host key, and which of them are meant."""

import base64
from typing import Final

import msgspec

from plumbline.base.glob import path_glob_matches
from plumbline.base.json import JsonObject

SSH: Final = "ssh"
HTTPS: Final = "https"
_TYPES: Final = {"": (SSH, HTTPS), "*": (SSH, HTTPS), SSH: (SSH,), HTTPS: (HTTPS,), "tls": (HTTPS,)}
_ANY: Final = frozenset({"", "*"})


class Certificate(msgspec.Struct, frozen=True):
    server: str
    type: str
    subtype: str = ""
    """Kind of the key."""
    content: str = ""
    """What follows the kind in a line of known hosts, or PEM."""
    about: str = ""
    """Fingerprint of a host key, or whom a certificate is for."""

    def as_json(self) -> JsonObject:
        """As Argo CD says it."""
        return {
            "serverName": self.server,
            "certType": self.type,
            "certSubType": self.subtype,
            "certData": base64.b64encode(self.content.encode()).decode() or None,
            "certInfo": self.about,
        }


class Selector(msgspec.Struct, frozen=True):
    pattern: str = ""
    """Hosts, where only `*` and `?` stand for others: brackets belong to ports."""
    type: str = ""
    subtype: str = ""

    def wants(self, type_: str) -> bool:
        return type_ in _TYPES.get(self.type, ())

    def fits(self, server: str) -> bool:
        literal = self.pattern.replace("[", r"\[").replace("]", r"\]")
        return not self.pattern or path_glob_matches(literal, server)

    def fits_key(self, server: str, subtype: str) -> bool:
        return self.fits(server) and (self.subtype in _ANY or self.subtype == subtype)
