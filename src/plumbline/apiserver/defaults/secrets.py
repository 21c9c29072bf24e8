"""Secrets."""

from typing import Final

from plumbline.apiserver.defaults.octets import written
from plumbline.apiserver.defaults.rules import Rule, chain, child_of, for_objects, record, without
from plumbline.base.json import JsonObject


@for_objects
def _in_octets(secret: JsonObject) -> JsonObject:
    """With what was written as text among the bytes, where it wins over bytes of the same name."""
    if "stringData" not in secret:
        return secret
    texts = {
        name: written(text.encode("utf-8", "surrogatepass"))
        for name, text in child_of(secret, "stringData").items()
        if isinstance(text, str)
    }
    rest = without(secret, "stringData")
    return {**rest, "data": {**child_of(secret, "data"), **texts}} if texts else rest


SECRET: Final[Rule] = chain(record(zero={"type": "Opaque"}), _in_octets)
