"""Whom a certificate is for, spelled as Go spells it: `CN=git.example.org,O=Example,C=DE`."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_ORDER: Final = ("2.5.4.6", "2.5.4.8", "2.5.4.7", "2.5.4.9", "2.5.4.17", "2.5.4.10", "2.5.4.11", "2.5.4.3", "2.5.4.5")
_SINGLE: Final = frozenset({"2.5.4.3", "2.5.4.5"})
_NAMES: Final = {
    "2.5.4.6": "C",
    "2.5.4.8": "ST",
    "2.5.4.7": "L",
    "2.5.4.9": "STREET",
    "2.5.4.17": "POSTALCODE",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "2.5.4.3": "CN",
    "2.5.4.5": "SERIALNUMBER",
}
_ESCAPED: Final = frozenset(',+"\\<>;')
_PRINTABLE: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 '()+,-./:=?")
_PRINTABLE_TAG: Final = 0x13
_UTF8_TAG: Final = 0x0C
_SHORT: Final = 0x80


def subject(certificate: "Certificate") -> str:
    """Attributes that Go has no name for come last; several of one kind stand together, whatever is between them."""
    known: dict[str, list[str]] = {}
    others: list[str] = []
    for each in certificate.subject:
        oid = each.oid.dotted_string
        value = each.value if isinstance(each.value, str) else each.value.decode("utf-8", "replace")
        if oid not in _NAMES:
            others.append(f"{oid}=#{_encoded(value).hex()}")
        elif oid in _SINGLE:
            known[oid] = [value]
        else:
            known.setdefault(oid, []).append(value)
    named = ["+".join(f"{_NAMES[oid]}={_escaped(value)}" for value in known[oid]) for oid in _ORDER if oid in known]
    return ",".join(reversed([*others, *named]))


def _escaped(value: str) -> str:
    last = len(value) - 1
    return "".join(
        f"\\{c}" if c in _ESCAPED or (c == " " and at in (0, last)) or (c == "#" and at == 0) else c
        for at, c in enumerate(value)
    )


def _encoded(value: str) -> bytes:
    """In DER, as the narrowest of the two kinds of text that Go writes."""
    raw = value.encode()
    tag = _PRINTABLE_TAG if _PRINTABLE.issuperset(value) else _UTF8_TAG
    if len(raw) < _SHORT:
        return bytes((tag, len(raw))) + raw
    length = len(raw).to_bytes((len(raw).bit_length() + 7) // 8)
    return bytes((tag, _SHORT | len(length))) + length + raw
