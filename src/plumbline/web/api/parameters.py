"""Parameters of a query, read strictly: what is no number or switch is refused, not taken for its absence."""

from collections.abc import Collection

from plumbline.base.errors import InvalidInput
from plumbline.web.requests import Request

_TRUE = frozenset({"1", "t", "true"})
_FALSE = frozenset({"0", "f", "false", ""})


def text(request: Request, name: str) -> str:
    return request.query.get(name, "")


def texts(request: Request, *names: str) -> tuple[str, ...]:
    """All values under any of *names*, in their order."""
    return tuple(value for name, value in request.parameters if name in names and value)


def switch(request: Request, name: str, *, default: bool) -> bool:
    said = request.query.get(name)
    if said is None:
        return default
    lowered = said.lower()
    if lowered not in _TRUE | _FALSE:
        raise InvalidInput(f"the parameter {name} cannot be read", why=f"{said!r} is neither true nor false")
    return lowered in _TRUE


def number(request: Request, name: str, default: int, most: int) -> int:
    said = request.query.get(name)
    if said is None:
        return default
    if not (said.isascii() and said.isdecimal() and len(said) <= len(str(most)) and int(said) <= most):
        raise InvalidInput(f"the parameter {name} cannot be read", why=f"{said!r} is no number from 0 to {most}")
    return int(said)


def has(request: Request, names: Collection[str]) -> bool:
    return any(name in names for name, _ in request.parameters)
