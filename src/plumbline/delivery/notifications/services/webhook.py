"""Webhooks: any request to any host that an installation names."""

import base64
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, PlumblineError, Refused, ServerFault, TimedOut, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.delivery.notifications.messages import Message
from plumbline.delivery.notifications.services.outbound import Call, Outbound, Reply, checked_url, host_of
from plumbline.delivery.notifications.subscriptions import Destination
from plumbline.gotemplate.moments import SECOND, duration
from plumbline.gotemplate.values import Failed

_MOST_RETRIES: Final = 10
_LONGEST_WAIT_S: Final = 60.0
_TOO_MANY: Final = 429
_NOT_IMPLEMENTED: Final = 501
_FAULTS: Final = 500
_SUCCESSES: Final = range(200, 300)
_QUOTED: Final = 200


class _Header(msgspec.Struct):
    name: str
    value: str = ""


class _BasicAuth(msgspec.Struct):
    username: str = ""
    password: str = ""


class _Options(msgspec.Struct, rename="camel"):
    url: str = ""
    headers: tuple[_Header, ...] = ()
    basic_auth: _BasicAuth | None = None
    retry_wait_min: int | str = 0
    retry_wait_max: int | str = 0
    retry_max: int = 0
    insecure_skip_verify: bool = False

    def __repr__(self) -> str:
        return "_Options(***)"


class WebhookService:
    def __init__(self, options: Mapping[str, Any], outbound: Outbound, clock: Clock, ids: Ids) -> None:
        """Raises InvalidInput and msgspec.ValidationError."""
        said = msgspec.convert(options, _Options, strict=False)
        self._url = checked_url(said.url)
        headers = {each.name.title(): Plaintext(each.value) for each in said.headers}
        if said.basic_auth is not None:
            pair = f"{said.basic_auth.username}:{said.basic_auth.password}".encode()
            headers["Authorization"] = Plaintext(b"Basic " + base64.b64encode(pair))
            known.add(Plaintext(said.basic_auth.password))
        for value in headers.values():
            known.add(value)
        self._headers = tuple(headers.items())
        self._first_s, self._longest_s = _seconds(said.retry_wait_min, 1.0), _seconds(said.retry_wait_max, 5.0)
        self._retries = min(said.retry_max or 3, _MOST_RETRIES)
        self._insecure = said.insecure_skip_verify
        self._outbound, self._clock, self._ids = outbound, clock, ids

    async def send(self, message: Message, destination: Destination) -> None:
        asked = message.webhooks.get(destination.service)
        method, url, body = "GET", self._url, message.text
        if asked is not None:
            method, body = asked.method or method, asked.body
            if asked.path:
                url = f"{url.rstrip('/')}/{asked.path.lstrip('/')}"
        call = Call(method, url, body.encode(errors="replace"), self._headers, self._insecure)
        for attempt in range(self._retries + 1):
            fault = await self._attempt(call)
            if fault is None:
                return
            if attempt == self._retries or not isinstance(fault, ServerFault | TimedOut | Unreachable):
                raise fault
            await self._clock.sleep(self._ids.jitter(min(self._first_s * 2**attempt, self._longest_s)))

    async def _attempt(self, call: Call) -> PlumblineError | None:
        try:
            reply = await self._outbound.send(call)
        except (TimedOut, Unreachable) as fault:
            return fault
        return None if reply.status in _SUCCESSES else _fault(call, reply)


def _fault(call: Call, reply: Reply) -> PlumblineError:
    what = f"{host_of(call.url)} did not take the message"
    said = reply.body[:_QUOTED].decode(errors="replace")
    why = f"status {reply.status}: {said}" if said else f"status {reply.status}"
    passing = reply.status == _TOO_MANY or (reply.status >= _FAULTS and reply.status != _NOT_IMPLEMENTED)
    return ServerFault(what, why=why) if passing else Refused(what, why=why)


def _seconds(said: int | str, default_s: float) -> float:
    """Nanoseconds, as upstream reads numbers, or a duration such as 2s."""
    try:
        ns = duration(said) if isinstance(said, str) and said else int(said or 0)
    except Failed as fault:
        raise InvalidInput("the webhook cannot be used", why=str(fault)) from fault
    return min(ns / SECOND, _LONGEST_WAIT_S) if ns > 0 else default_s
