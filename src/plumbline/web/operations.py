"""What a part says of its routes, for the description of the API: declared beside the route, read by `web.openapi`."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Where: TypeAlias = Literal["path", "query", "header"]

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    summary: str = ""
    kind: Any = str
    """Whatever msgspec reads: `int`, `bool`, a Literal, an Annotated with bounds."""
    where: Where = "query"
    required: bool = False
    many: bool = False
    """Whether it may come more than once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One thing to ask for: a method and a path, in which `{name}` stands for what is put there."""

    method: str
    path: str
    summary: str = ""
    tag: str = ""
    """Under which heading it is listed; the room that answers, where none is said."""
    parameters: tuple[Parameter, ...] = ()
    """Those of the path need not be said, unless there is something to say about them."""
    takes: Any = None
    """The type of the body: a Struct, or whatever msgspec has a schema for. None for no body."""
    gives: Any = None
    """The type of the answer. None for an answer whose shape is not promised."""
    status: int = 200
    media: str = JSON
    """Of the answer."""
    anonymous: bool = False
    """Whether it is answered to somebody who has not said who they are."""
    refusals: tuple[int, ...] = field(default=())
    """Statuses that it has beside those that every operation has."""
