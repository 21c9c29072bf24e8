"""The way every request takes: who is it, may they, what do they want, and in which words it is answered."""

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from plumbline.access.identity import Identity
from plumbline.apiserver import statuses
from plumbline.apiserver.authentication.impersonation import Impersonation, wanted_identity
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.decoding.warnings import warning_headers
from plumbline.apiserver.rbac.attributes import Attributes, forbidden
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.requests.durations import seconds
from plumbline.apiserver.requests.negotiation import prefers_yaml
from plumbline.apiserver.requests.routes import Route, route
from plumbline.apiserver.rooms.metrics import Tally
from plumbline.apiserver.rooms.room import Room
from plumbline.base.documents import dump_yaml
from plumbline.base.errors import BadSelector, PlumblineError, RequestRefused, StorageFailed
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.log import logger
from plumbline.kube.selectors.fields import FieldSelector

_log = logger(__name__)

DEADLINE_S: Final = 60.0
"""Until a request is answered, or its stream begins."""
_FAR_AWAY: Final = (("Cache-Control", "no-cache, private"),)
_LONG: Final = frozenset({"attach", "exec", "log", "portforward", "proxy"})
_LISTING: Final = frozenset({"list", "watch"})
_TEXT: Final = "text/plain; charset=utf-8"
_YAML: Final = "application/yaml"
_UNFORESEEN: Final = "unexpected error; the log of the control plane has the details"


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
            answered = refusal(refused, call)
        except TimeoutError:
            answered = refusal(statuses.too_late(), call)
        except StorageFailed as failed:
            answered = refusal(statuses.internal(str(failed)), call)
        except PlumblineError as unexpected:
            _log.exception("request failed", method=call.method, path=call.path, error=unexpected.code)
            answered = refusal(statuses.internal(unexpected.what), call)
        except Exception:  # noqa: BLE001 - one request that fails must not end the others, nor show a stack trace
            _log.exception("request failed", method=call.method, path=call.path)
            answered = refusal(statuses.internal(_UNFORESEEN), call)
        self._tally.count(wanted, answered.status)
        return _with_headers(answered, call, self._ids)

    async def _answer(self, call: Call, wanted: Route) -> Answer:
        deadline_s = None if _is_long(wanted) else _deadline_s(call)
        identity = self._caller(call, wanted)
        self._authorize(_asked(wanted, call), identity)
        async with asyncio.timeout(deadline_s):
            for room in self._rooms:
                answered = await room.answer(wanted, call, identity)
                if answered is not None:
                    return answered
        return Answer(404, b"404 page not found\n", content_type=_TEXT)

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


def _asked(wanted: Route, call: Call) -> Route:
    """Whoever may see one object may list it, if they ask for no other."""
    if wanted.verb not in _LISTING or wanted.name or "fieldSelector" not in call.query:
        return wanted
    try:
        name = FieldSelector.parse(call.parameter("fieldSelector")).required_value("metadata.name")
    except BadSelector:
        return wanted
    return msgspec.structs.replace(wanted, name=name) if name else wanted


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


def refusal(refused: RequestRefused, call: Call) -> Answer:
    status = refused.status
    headers: tuple[tuple[str, str], ...] = ()
    retry_s = status.get("details", {}).get("retryAfterSeconds")
    if retry_s:
        headers = (("Retry-After", str(retry_s)),)
    code = int(status["code"])
    if prefers_yaml(call):
        return Answer(code, dump_yaml(status).encode(), content_type=_YAML, headers=headers)
    return Answer(code, encode(status) + b"\n", headers=headers)


def _is_watch(call: Call) -> bool:
    if "watch" not in call.query:
        return False
    values = call.parameters.get("watch")
    return bool(values) and values is not None and values[0].lower() not in ("false", "0")


def _is_long(wanted: Route) -> bool:
    """Whether it lasts as long as somebody listens."""
    return wanted.verb == "watch" or wanted.subresource in _LONG


def _deadline_s(call: Call) -> float:
    """As the caller says, within the server's own."""
    asked = call.parameter("timeout") if "timeout" in call.query else ""
    if not asked:
        return DEADLINE_S
    try:
        asked_s = seconds(asked)
    except ValueError as bad:
        raise statuses.bad_request(f"invalid timeout specified in the request URL - {bad}") from None
    return min(asked_s, DEADLINE_S) if asked_s > 0 else DEADLINE_S


def _with_headers(answered: Answer, call: Call, ids: Ids) -> Answer:
    headers = [("Audit-Id", ids.uid())]
    if not any(name == "Cache-Control" for name, _ in answered.headers):
        headers.extend(_FAR_AWAY)
    headers.extend(("Warning", warning) for warning in warning_headers(call.warnings))
    answered.headers = (*headers, *answered.headers)
    return answered
