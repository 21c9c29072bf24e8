"""Amounts of resources: the server counts them in thousandths at the finest, and rounds up."""

from functools import lru_cache
from typing import Final

from plumbline.apiserver.defaults.rules import each_value, record
from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json
from plumbline.kube.quantity import Quantity

_MILLI: Final = -3
_CACHED_LENGTH: Final = 64


def rounded(amount: Json) -> Json:
    """*amount* in thousandths at the finest; what is no quantity stays as it is."""
    if type(amount) is not str:
        return amount
    spelled = _cached(amount) if len(amount) <= _CACHED_LENGTH else _rounded(amount)
    return amount if spelled == amount else spelled


def _rounded(text: str) -> str:
    try:
        quantity = Quantity.parse(text)
    except BadQuantity:
        return text
    if quantity.exponent < _MILLI:
        quantity = Quantity(quantity.rounded_up(_MILLI), _MILLI, quantity.format)
    return str(quantity)


_cached = lru_cache(maxsize=4096)(_rounded)

AMOUNTS: Final = each_value(rounded)
"""A list of resources: names with amounts."""

REQUIREMENTS: Final = record(fields={"limits": AMOUNTS, "requests": AMOUNTS})
"""Limits and requests, of a container, a pod or a claim."""
