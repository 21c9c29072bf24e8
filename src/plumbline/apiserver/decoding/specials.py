"""Types that read themselves from JSON, each with words of its own.

They see the text of their value and nothing around it.
"""

from collections.abc import Callable
from typing import Final

from plumbline.apiserver.decoding.gotime import RFC3339, RFC3339_MICRO, time_fault
from plumbline.apiserver.decoding.outcome import Refusal, TypeFault, sort_of
from plumbline.apiserver.decoding.tree import Node, text
from plumbline.apiserver.decoding.types import INT32, TEXT, Type
from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json
from plumbline.kube.quantity import Quantity

_TRIMMED: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""What Go takes for space."""
_NOT_A_NUMBER: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def time(node: Node, layout: str = RFC3339) -> str:
    if not isinstance(node, bytes) or node[0] != ord('"'):
        raise TypeFault(sort_of(node), TEXT)
    written = text(node)
    if fault := time_fault(written, layout):
        raise Refusal(fault)
    return written


def micro_time(node: Node) -> str:
    return time(node, RFC3339_MICRO)


def quantity(node: Node) -> str:
    """As it is written: this type does not look at escapes."""
    if not isinstance(node, bytes):
        raise Refusal(_NOT_A_NUMBER)
    written = (node[1:-1] if node[0] == ord('"') else node).decode(errors="replace").strip(_TRIMMED)
    try:
        Quantity.parse(written)
    except BadQuantity as bad:
        raise Refusal(bad.why) from None
    return written


def int_or_string(node: Node) -> Json:
    if not isinstance(node, bytes) or node[0] in b"tf":
        raise TypeFault(sort_of(node), INT32)
    if node[0] == ord('"'):
        return text(node)
    return whole(node, INT32.low, INT32.high, INT32)


def whole(literal: bytes, low: int, high: int, type_: Type) -> int:
    """The number that *literal* is, if it is one without fraction and exponent and in range."""
    written = literal.decode()
    if len(literal) <= _LONGEST and written.lstrip("-").isdigit():
        number = int(written)
        if low <= number <= high:
            return number
    raise TypeFault(f"number {written}", type_)


_LONGEST: Final = 20
READERS: Final[dict[str, Callable[[Node], Json]]] = {
    "api/resource.Quantity": quantity,
    "meta/v1.MicroTime": micro_time,
    "meta/v1.Time": time,
    "util/intstr.IntOrString": int_or_string,
}
