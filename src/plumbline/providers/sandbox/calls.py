"""What goes in and comes out, as values: an HTTP request, the AWS call that it means, an answer, a refusal."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec


class Request(msgspec.Struct, frozen=True):
    """As it came over the wire. It is also what the journal keeps."""

    method: str
    path: str
    """Still percent-encoded."""
    query: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes


class Answer(msgspec.Struct, frozen=True):
    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300  # noqa: PLR2004 - HTTP's successes


class Refusal(msgspec.Struct, frozen=True):
    """An error as AWS gives it. Without a status it has the one that the service's own model says, or 400."""

    code: str
    message: str
    status: int = 0


class World(Protocol):
    """What exists in the account and region of a call, as far as rules ask for it."""

    def found(self, kind: str, name: str) -> Mapping[str, Any] | None:
        """Facts about one thing (see `facts`), None where there is none of that name."""

    def since_deleted_s(self, kind: str, name: str) -> float | None:
        """How long ago it was deleted; None if it never was, or is there again."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """An operation of a service and its parameters, as botocore's model of the service names them."""

    service: str
    operation: str
    params: Mapping[str, Any]
    region: str = "us-east-1"
    account: str = "123456789012"
    key_id: str = ""
    """Of the access key that it was signed with."""
    protocol: str = "json"

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter, None where it is not given."""
        return self.params.get(name)


READS = ("Describe", "Get", "List", "Head", "BatchGet", "Query", "Scan", "Search", "Lookup", "Simulate", "Validate")


def reads(operation: str) -> bool:
    return operation.startswith(READS)
