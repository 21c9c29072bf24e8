"""Certificates as Argo CD's API says them."""

import base64
import binascii
from typing import Annotated

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.source.certificates import Certificate


class Item(msgspec.Struct, rename="camel"):
    server_name: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    cert_type: str = ""
    cert_sub_type: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    cert_data: str | None = None
    """In base64."""

    @property
    def certificate(self) -> Certificate:
        try:
            content = base64.b64decode(self.cert_data or "", validate=True).decode("ascii")
        except (binascii.Error, ValueError):
            what = f"the certificate of {self.server_name[:100]} is not read"
            raise InvalidInput(what, why="certData is no text in base64") from None
        return Certificate(self.server_name, self.cert_type, self.cert_sub_type, content)


class Items(msgspec.Struct):
    items: Annotated[list[Item], msgspec.Meta(max_length=256)] | None = None


def shaped(found: list[Certificate]) -> JsonObject:
    return {"metadata": {}, "items": [each.as_json() for each in found]}
