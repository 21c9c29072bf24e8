"""What a state says about itself, and what is in it by name. Values of resources are not looked at. Pure."""

from collections.abc import Iterator
from typing import Final

import msgspec

from plumbline.base.errors import BadDocument, TooNew
from plumbline.base.plaintext import Plaintext

_VERSION: Final = 4
_BROKEN: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_ESCAPES: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "\\": r"\\"}
_WIDE: Final = 0x10000


class Instance(msgspec.Struct, frozen=True, kw_only=True):
    """One resource that exists because of this configuration."""

    address: str
    type: str
    tainted: bool = False
    deposed: str = ""
    """The key of an object that has been replaced and is not gone yet."""
    id: Plaintext | None = None
    """The attribute of that name: of some resources it is a secret."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    serial: int
    lineage: str
    tool_version: str = ""
    instances: tuple[Instance, ...] = ()
    outputs: int = 0
    encrypted: bool = False
    """OpenTofu has encrypted it: there is no more to know than serial and lineage."""


class _Attributes(msgspec.Struct):
    id: msgspec.Raw = msgspec.Raw()


class _Object(msgspec.Struct):
    index_key: int | float | str | None = None
    status: str = ""
    deposed: str = ""
    attributes: _Attributes | None = None


class _Resource(msgspec.Struct):
    mode: str
    type: str
    name: str
    module: str = ""
    instances: list[_Object] = []


class _Written(msgspec.Struct):
    serial: int
    lineage: str
    version: int | None = None
    terraform_version: str = ""
    outputs: dict[str, msgspec.Raw] | None = None
    resources: list[_Resource] | None = None
    encrypted_data: msgspec.Raw = msgspec.Raw()
    encryption_version: str = ""


_decode: Final = msgspec.json.Decoder(_Written).decode


def parsed(text: bytes) -> Document:
    """Raises BadDocument for what is no state, and TooNew for one of a later format."""
    try:
        written = _decode(text)
    except _BROKEN as broken:
        raise BadDocument("The state cannot be read", why=str(broken) or "it is nested too deeply") from broken
    if written.encryption_version and bytes(written.encrypted_data):
        return Document(serial=written.serial, lineage=written.lineage, encrypted=True)
    version = written.version or 0
    if version > _VERSION:
        raise TooNew("The state cannot be read", why=f"it has format {version}, and known is {_VERSION}")
    if version != _VERSION:
        raise BadDocument(
            "The state cannot be read",
            why=f"it has format {version}, and known is {_VERSION}",
            hint="Run terraform 0.12 or later on it once, which writes it in the present format.",
        )
    return Document(
        serial=written.serial,
        lineage=written.lineage,
        tool_version=written.terraform_version,
        instances=tuple(each for resource in written.resources or () for each in _instances(resource)),
        outputs=len(written.outputs or ()),
    )


def _instances(resource: _Resource) -> Iterator[Instance]:
    if resource.mode != "managed":
        return
    module = f"{resource.module}." if resource.module else ""
    address = f"{module}{resource.type}.{resource.name}"
    for each in resource.instances:
        yield Instance(
            address=address + _key(each.index_key),
            type=resource.type,
            tainted=each.status == "tainted",
            deposed=each.deposed,
            id=_id(each.attributes),
        )


def _id(attributes: _Attributes | None) -> Plaintext | None:
    raw = bytes(attributes.id) if attributes else b""
    if not raw or raw == b"null":
        return None
    return Plaintext(msgspec.json.decode(raw, type=str) if raw.startswith(b'"') else raw)


def _key(key: float | str | None) -> str:
    match key:
        case None:
            return ""
        case str():
            return f'["{quoted(key)}"]'
        case _:
            return f"[{int(key)}]"


def quoted(key: str) -> str:
    """As terraform writes a key within an address."""
    letters = []
    for at, letter in enumerate(key):
        if letter in "$%" and key[at + 1 : at + 2] == "{":
            letters.append(letter * 2)
        elif letter in _ESCAPES:
            letters.append(_ESCAPES[letter])
        elif letter.isprintable():
            letters.append(letter)
        else:
            code = ord(letter)
            letters.append(f"\\u{code:04x}" if code < _WIDE else f"\\U{code:08x}")
    return "".join(letters)
