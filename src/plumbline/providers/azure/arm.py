"""One request to Azure's Resource Manager: the answer as JSON with where to look on, the refusal as one of our errors."""

from typing import Final, Protocol
from urllib.parse import quote, unquote, urlencode, urlsplit

import msgspec

from plumbline.base.json import JsonObject, encode
from plumbline.kube.client.transport import Request, Transport
from plumbline.providers.azure.refusals import refusal, seconds
from plumbline.providers.rest.connections import answer_of

_DEADLINE_S: Final = 60.0
_REPLY_BYTES: Final = 8 << 20
_SUCCESS: Final = range(200, 300)
_ACCEPTED: Final = 202


class Account(Protocol):
    """Somebody who may call Azure: a subscription, and a connection that carries its credentials."""

    subscription: str
    restarts: bool
    """Whether servers are restarted for settings that need it."""

    @property
    def transport(self) -> Transport: ...


class Call(msgspec.Struct, frozen=True, kw_only=True):
    verb: str
    path: str
    """An id, or a path below one."""
    version: str = ""
    query: str = ""
    """Instead of a version, as Azure has given it."""
    body: JsonObject | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    body: JsonObject
    status: int
    operation: str = ""
    """Where an operation can be looked at, as path and query."""
    by_status: bool = False
    """Whether an operation is over when its address no longer answers with 202."""
    after_s: float = 0.0
    """When to look again, zero where Azure does not say."""


async def ask(account: Account, call: Call) -> Answer:
    """The answer. Raises what Azure's refusal means, and Unreachable or TimedOut where there is none."""
    what = f"{call.verb} {call.path} failed"
    request = Request(
        method=call.verb,
        path=quote(call.path, safe="/()$"),
        query=call.query or urlencode({"api-version": call.version}),
        headers=(("Accept", "application/json"), ("Content-Type", "application/json")),
        body=b"" if call.body is None else encode(call.body),
        deadline_s=_DEADLINE_S,
        reply_limit_bytes=_REPLY_BYTES,
    )
    response = await account.transport.send(request)
    after = response.headers.get("retry-after", "")
    if response.status not in _SUCCESS:
        raise refusal(what, response.status, response.body, retry_after=after)
    told = response.headers.get("azure-asyncoperation", "")
    location = response.headers.get("location", "") if response.status == _ACCEPTED else ""
    return Answer(
        body=answer_of(response.body, what, "Azure"),
        status=response.status,
        operation=_below(told or location),
        by_status=not told,
        after_s=seconds(after),
    )


def _below(address: str) -> str:
    """Path and query alone: whatever host an answer names, the token goes to the Resource Manager and nowhere else."""
    parts = urlsplit(address)
    return f"{unquote(parts.path)}?{parts.query}" if parts.path.startswith("/") else ""
