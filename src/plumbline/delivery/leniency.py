"""Applying what is not to be validated: `Validate=false` lets fields through that the server does not know.

A client-side apply leaves them to a server that drops them in silence. One that is asked to apply by itself refuses the
whole object, whatever it is told about validation, so that they are taken off once it has named them.
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import decode, encode
from plumbline.kube.apply.undeclared import without_undeclared
from plumbline.kube.schema.shape import Shape

T = TypeVar("T")

_ROUNDS: Final = 16
"""A server names one field of each record at a time. Who has more of them than that means another kind."""


async def let_through(send: Callable[[bytes], Awaitable[T]], body: bytes, shape: Shape) -> T:
    """What *send* makes of *body*, which is sent again without the fields that the server refuses to know."""
    for _ in range(_ROUNDS):
        try:
            return await send(body)
        except SchemaViolation as refused:
            whole = decode(body)
            kept = without_undeclared(whole, shape, refused.why or refused.what)
            if kept is whole:
                raise
            body = encode(kept)
    return await send(body)
