"""One call of one method: the path from the facts, the answer as JSON, the refusal as one of our errors."""

from collections.abc import Mapping
from typing import Final, Protocol
from urllib.parse import urlencode

import msgspec

from plumbline.base.json import JsonObject, encode
from plumbline.kube.client.transport import Headers, Request, Transport
from plumbline.providers.gcp.facts import Api
from plumbline.providers.gcp.refusals import refusal
from plumbline.providers.rest.connections import answer_of

_DEADLINE_S: Final = 60.0
_REPLY_BYTES: Final = 8 << 20
_SUCCESS: Final = range(200, 300)


class Account(Protocol):
    """Somebody who may call Google: a project, and connections that carry its credentials."""

    project: str
    headers: Headers

    def transport(self, base: str) -> Transport:
        """The connection to a service, by its address in the facts."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    place: Mapping[str, str]
    """Values for its parameters; those that it does not take are left out."""
    repeated: tuple[tuple[str, str], ...] = ()
    """Parameters that may come more than once."""
    body: JsonObject | None = None
    unready: frozenset[str] = frozenset()


async def ask(account: Account, api: Api, call: Call) -> JsonObject:
    """The answer. Raises what Google's refusal means, and Unreachable or TimedOut where there is none."""
    method = api.methods[call.method]
    what = f"{call.method} in {account.project} failed"
    request = Request(
        method=method.verb,
        path=method.place(call.place),
        query=urlencode([*method.asked(call.place).items(), *call.repeated]),
        headers=(("Accept", "application/json"), ("Content-Type", "application/json"), *account.headers),
        body=b"" if call.body is None else encode(call.body),
        deadline_s=_DEADLINE_S,
        reply_limit_bytes=_REPLY_BYTES,
    )
    response = await account.transport(api.base).send(request)
    if response.status not in _SUCCESS:
        after = response.headers.get("retry-after", "")
        raise refusal(what, response.status, response.body, retry_after=after, unready=call.unready)
    return answer_of(response.body, what, "Google")
