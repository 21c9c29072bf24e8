"""The way every request takes: who is it, may they, what do they want, and in which words it is answered."""

from collections.abc import Sequence
from typing import Final, Protocol

from plumbline.access.identity import Identity
from plumbline.apiserver import statuses
from plumbline.apiserver.authentication.impersonation import Impersonation, wanted_identity
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.rbac.attributes import Attributes, forbidden
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.requests.routes import Route, route
from plumbline.apiserver.rooms.metrics import Tally
from plumbline.apiserver.rooms.room import Room
from plumbline.base.errors import PlumblineError, RequestRefused, StorageFailed
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.log import logger

_log = logger(__name__)

NOT_FOUND: Final = Answer(404, b"404 page not found\n", content_type="text/plain; charset=utf-8")
_FAR_AWAY: Final = (("Cache-Control", "no-cache, private"),)


class Identify(Protocol):
    def __call__(self, *, certificate: bytes, authorization: str) -> Identity:
        """Who calls; raises RequestRefused with 401 where credentials are wrong."""


class Door:
    def __init__(
        self, rooms: Sequence[Room], authorizer: Authorizer, ids: Ids, tally: Tally, identify: Identify | None = None
    ) -> None:
        """Without *identify*, only callers are let in whose identity is known without credentials."""
        self._rooms = tuple(rooms)
        self._authorizer = authorizer
        self._impersonation = Impersonation(authorizer.decide)
        self._ids = ids
        self._tally = tally
        self._identify = identify or _nobody

    async def answer(self, call: Call) -> Answer:
        """Always an answer; what nobody foresaw is a 500 without a word about the inside."""
        wanted = route(call.method, call.path, watch=_is_watch(call))
        try:
            answered = await self._answer(call, wanted)
        except RequestRefused as refused:
            answered = refusal(refused)
        except StorageFailed as failed:
            answered = refusal(statuses.internal(str(failed)))
        except PlumblineError as unexpected:
            _log.exception("request failed", method=call.method, path=call.path, error=unexpected.code)
            answered = refusal(statuses.internal(unexpected.what))
        except Exception:  # noqa: BLE001 - one request that fails must not end the others, nor show a stack trace
            _log.exception("request failed", method=call.method, path=call.path)
            answered = refusal(statuses.internal("unexpected error; the log of the control plane has the details"))
        self._tally.count(wanted, answered.status)
        if answered is NOT_FOUND:
            return answered
        return _with_headers(answered, call, self._ids)

    async def _answer(self, call: Call, wanted: Route) -> Answer:
        identity = self._caller(call, wanted)
        self._authorize(wanted, identity)
        for room in self._rooms:
            answered = await room.answer(wanted, call, identity)
            if answered is not None:
                return answered
        return NOT_FOUND

    def _caller(self, call: Call, wanted: Route) -> Identity:
        headers = call.headers
        identity = call.identity or self._identify(
            certificate=call.client_certificate, authorization=headers.get("authorization", "")
        )
        if not call.repeated_headers:
            return identity
        other = wanted_identity(call.repeated_headers)
        return self._impersonation.impersonated(other, attributes_of(wanted, identity)) if other else identity

    def _authorize(self, wanted: Route, identity: Identity) -> None:
        if identity.master:
            return
        attributes = attributes_of(wanted, identity)
        decision = self._authorizer.decide(attributes)
        if not decision.allowed:
            raise forbidden(attributes, decision.reason)


def _nobody(*, certificate: bytes, authorization: str) -> Identity:  # noqa: ARG001 - whatever they bring
    raise statuses.unauthorized()


def attributes_of(wanted: Route, identity: Identity) -> Attributes:
    if not wanted.is_resource:
        return Attributes(identity, wanted.verb, path=wanted.path)
    return Attributes(
        identity,
        wanted.verb,
        wanted.group,
        wanted.version,
        wanted.resource,
        wanted.subresource,
        wanted.namespace,
        wanted.name,
    )


def refusal(refused: RequestRefused) -> Answer:
    status = refused.status
    headers: tuple[tuple[str, str], ...] = ()
    retry_s = status.get("details", {}).get("retryAfterSeconds")
    if retry_s:
        headers = (("Retry-After", str(retry_s)),)
    return Answer(int(status["code"]), encode(status) + b"\n", headers=headers)


def _is_watch(call: Call) -> bool:
    if "watch" not in call.query:
        return False
    values = call.parameters.get("watch")
    return bool(values) and values[0] not in ("false", "0") if values else False


def _with_headers(answered: Answer, call: Call, ids: Ids) -> Answer:
    headers = [("Audit-Id", ids.uid())]
    if not any(name == "Cache-Control" for name, _ in answered.headers):
        headers.extend(_FAR_AWAY)
    headers.extend(("Warning", f"299 - {_quoted(warning)}") for warning in call.warnings)
    answered.headers = (*headers, *answered.headers)
    return answered


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
