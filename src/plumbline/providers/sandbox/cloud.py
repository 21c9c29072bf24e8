"""The cloud as one function from a request to an answer: who asks, what may go wrong, the rules, moto, states."""

from collections import Counter
from contextlib import ExitStack
from typing import Final

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.providers.sandbox import backend
from plumbline.providers.sandbox.calls import Answer, Call, Refusal, Request, reads
from plumbline.providers.sandbox.facts import Account
from plumbline.providers.sandbox.faults import Fault, Faults, refusal
from plumbline.providers.sandbox.journal import Entry, Journal, kept
from plumbline.providers.sandbox.options import Options
from plumbline.providers.sandbox.pace import Pace
from plumbline.providers.sandbox.refusals import refused
from plumbline.providers.sandbox.resolving import Resolved, account, resolved
from plumbline.providers.sandbox.rules import objection
from plumbline.providers.sandbox.states.progress import Progress
from plumbline.providers.sandbox.states.settings import remember
from plumbline.providers.sandbox.states.veils import Veils, narrowed
from plumbline.providers.sandbox.throttling import Buckets, throttled

_FULL: Final = Refusal(
    "ServiceUnavailable",
    "The sandbox keeps no more for its next start: POST /_sandbox/reset, or start it with a larger journal_bytes.",
    503,
)
_INVALID_KEY: Final = "The security token included in the request is invalid."
_INVALID_KEYS: Final = {
    "ec2": Refusal("AuthFailure", "AWS was not able to validate the provided access credentials", 401),
    "s3": Refusal("InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.", 403),
}
# Those of their first use make what the account has from the beginning (networks, for instance), with ids of their own.
_WITH_NETWORKS: Final = frozenset({"ec2", "eks", "elasticache", "elbv2", "rds"})


class Reply(msgspec.Struct, frozen=True):
    answer: Answer
    delay_s: float = 0.0
    lost: bool = False
    """The connection breaks instead."""


class Cloud:
    def __init__(self, clock: Clock, ids: Ids, options: Options, journal: Journal | None = None) -> None:
        self.options = options
        self.pace = Pace(clock, options.clock_factor)
        self.faults = Faults()
        self.requests: Counter[str] = Counter()
        """How often each operation was asked for, as `rds.CreateDBInstance`."""
        self._ids = ids
        self._journal = journal
        self._buckets = Buckets(self.pace)
        self._progress = Progress(self.pace, lambda: self.options)
        self._veils = Veils(self.pace)
        self._regions: set[tuple[str, str]] = set()

    def configure(self, options: Options) -> None:
        self.options = options
        self.pace.set_factor(options.clock_factor)

    def restore(self) -> int:
        """Replay what the journal has, in no time; returns how many requests that were."""
        if self._journal is None:
            return 0
        wanted, self.options = self.options, Options(state_s=0)
        count = 0
        for entry in self._journal.entries():
            match resolved(entry.request):
                case Resolved() as found:
                    found = self._signed_by(found)
                    self._performed(found, found.call, entry.seed)
                    count += 1
        self.options = wanted
        return count

    def reset(self) -> None:
        """An empty cloud, as if nothing had ever been; options and faults stay."""
        backend.forget()
        self._progress.clear()
        self._veils.clear()
        self._regions.clear()
        self.requests.clear()
        if self._journal is not None:
            self._journal.clear()

    def settle(self) -> None:
        self._progress.settle()

    def reply(self, request: Request) -> Reply:
        found = resolved(request)
        if isinstance(found, Refusal):
            unknown = Call(service="", operation="", params={}, protocol="query")
            return Reply(refused(unknown, found, None, self._ids.uid()))
        found = self._signed_by(found)
        call = found.call
        self.requests[f"{call.service}.{call.operation or 'unknown'}"] += 1
        fault = self.faults.met(call)
        if fault is not None and fault.effect == "lost-request":
            return Reply(self._said(found, refusal(fault)), fault.delay_s, lost=True)
        answer = self._answered(found, request, fault)
        if fault is None:
            return Reply(answer)
        return Reply(answer, fault.delay_s, lost=fault.effect == "lost-reply")

    def _signed_by(self, found: Resolved) -> Resolved:
        call = msgspec.structs.replace(found.call, account=account(found.call.key_id))
        return msgspec.structs.replace(found, call=call)

    def _answered(self, found: Resolved, request: Request, fault: Fault | None) -> Answer:
        refusal = self._refused_at_the_door(found.call, fault)
        if refusal is not None:
            return self._said(found, refusal)
        self._progress.settle()
        call = found.call
        world = Account(call, self._progress, self.options.queue_name_wait_s)
        refusal = objection(call, found.operation, world)
        if refusal is None and self._journal is not None and self._journal.full and kept(call):
            refusal = _FULL
        if refusal is not None:
            return self._said(found, refusal)
        seed = self._ids.uid()
        answer = self._performed(found, call, seed)
        if answer.accepted and kept(call):
            if self._journal is not None:
                self._journal.append(Entry(seed, request))
            if self.options.consistency_s:
                self._veils.hide(call, self.options.consistency_s)
        return answer

    def _refused_at_the_door(self, call: Call, fault: Fault | None) -> Refusal | None:
        if {call.key_id, "*"} & self.options.refused_keys:
            in_json = call.protocol in {"json", "rest-json"}
            code, status = ("UnrecognizedClientException", 400) if in_json else ("InvalidClientTokenId", 403)
            return _INVALID_KEYS.get(call.service) or Refusal(code, _INVALID_KEY, status)
        if fault is not None and fault.effect == "throttle":
            return throttled(call)
        if fault is not None and fault.effect == "error":
            return refusal(fault)
        if self.options.throttled and not self._buckets.taken(call):
            return throttled(call)
        return None

    def _performed(self, found: Resolved, call: Call, seed: str) -> Answer:
        self._prepare_networks(call)
        native = found.native
        if call.operation == "ReceiveMessage":
            native = _without_wait(native)
        with ExitStack() as stack:
            if reads(call.operation):
                stack.enter_context(self._veils.drawn(call))
                stack.enter_context(narrowed(call))
            deleted = self._progress.before(call)
            answer = backend.performed(call, native, "" if reads(call.operation) else seed)
        if isinstance(answer, Refusal):
            return self._said(found, answer)
        if answer.accepted:
            remember(call)
        return self._progress.after(call, answer, deleted)

    def _prepare_networks(self, call: Call) -> None:
        place = (call.account, call.region)
        if call.service in _WITH_NETWORKS and place not in self._regions:
            self._regions.add(place)
            backend.seed("/".join(place))
            backend.backend("ec2", *place)

    def _said(self, found: Resolved, refusal: Refusal) -> Answer:
        return refused(found.call, refusal, found.model, self._ids.uid())


def _without_wait(native: object) -> object:
    """Waiting for messages would keep everybody else waiting, too: an empty queue is answered at once."""
    from moto.core.request import Request as Native  # noqa: PLC0415 - an extra

    if not isinstance(native, Native) or not (native.content_type or "").startswith("application/x-amz-json"):
        return native
    body = encode({**decode(native.get_data()), "WaitTimeSeconds": 0})
    headers = {**dict(native.headers), "Content-Length": str(len(body))}
    return Native.from_primitives(native.method, native.raw_url, headers, body)
