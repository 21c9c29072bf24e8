"""Who holds a lock, as the Lease says. What a Lease says comes from anybody, and is told as somebody else's words. Pure."""

from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import GarbledReply, StateLocked
from plumbline.base.json import JsonObject, encode
from plumbline.journal.parties import printable
from plumbline.kernel.leases import micro_time
from plumbline.kube.names import Ref
from plumbline.terraform.state.place import Place
from plumbline.terraform.state.writing import Pin

LOCK_ANNOTATION: Final = "app.terraform.io/lock-info"
RUN_ANNOTATION: Final = "plumbline.dev/run"
"""The run whose lock it is. A tool that takes the lock later leaves it, but then it is not the holder's id any more."""
_WORDS: Final = 200
_LONGEST: Final = 8192


class RunInfo(msgspec.Struct, frozen=True):
    """What others are told about a run that holds a lock."""

    id: str
    """A UUID, as every lock has one; the same for as long as it is the same run, whoever looks after it."""
    operation: str
    """As the tools call theirs: OperationTypePlan, OperationTypeApply."""
    said: str
    """Which run it is, and of which object."""
    behalf: Ref | None = None
    version: str = ""
    """Of the tool."""


class Terms(msgspec.Struct, frozen=True):
    beat_s: float = 5.0
    fence_s: float = 20.0
    """A run stops after this long without a beat that came through."""
    dead_s: float = 30.0
    """Others take it for dead after this long without one. The difference is the margin for clocks and pauses."""


class Death(NamedTuple):
    run: str
    how: str
    """What proves it, for people and the journal."""
    version: str = ""
    """Of the lock when it was judged: had the run moved since, it would not be dead. Empty for other proofs."""


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    pin: Pin
    ours: bool = False
    beat: str = ""
    operation: str = ""
    who: str = ""
    said: str = ""
    version: str = ""
    created: str = ""
    death: Death | None = None

    @property
    def sentence(self) -> str:
        """Who, since when, and for what."""
        since = f" since {self.created}" if self.created else ""
        doing = f" for {self.operation}" if self.operation else ""
        told = f" ({self.said})" if self.said else ""
        return f"{self.who or 'somebody'} holds it{since}{doing} under {self.id}{told}"


class LockInfo(msgspec.Struct, rename="pascal"):
    """The JSON that every terraform and OpenTofu reads and shows."""

    id: str = msgspec.field(name="ID", default="")
    operation: str = ""
    info: str = ""
    who: str = ""
    version: str = ""
    created: str = ""
    path: str = ""


class _Meta(msgspec.Struct, rename="camel"):
    uid: str = ""
    resource_version: str = ""
    annotations: dict[str, str] = {}


class _Spec(msgspec.Struct, rename="camel"):
    holder_identity: str | None = None
    renew_time: str | None = None


class Seen(msgspec.Struct):
    """A Lease."""

    metadata: _Meta
    spec: _Spec = msgspec.field(default_factory=_Spec)

    @property
    def pin(self) -> Pin:
        return Pin(self.metadata.uid, self.metadata.resource_version)

    @property
    def holder(self) -> str:
        return self.spec.holder_identity or ""


_decode_lease: Final = msgspec.json.Decoder(Seen).decode
_decode_lock: Final = msgspec.json.Decoder(LockInfo).decode


def seen(body: bytes) -> Seen:
    try:
        return _decode_lease(body)
    except msgspec.DecodeError as broken:
        raise GarbledReply("The API server's Lease is none") from broken


def holder_of(lease: Seen) -> Holder:
    told = _told(lease.metadata.annotations.get(LOCK_ANNOTATION, ""))
    return Holder(
        id=printable(lease.holder, _WORDS),
        pin=lease.pin,
        ours=lease.metadata.annotations.get(RUN_ANNOTATION) == lease.holder,
        beat=lease.spec.renew_time or "",
        operation=printable(told.operation, _WORDS),
        who=printable(told.who, _WORDS),
        said=printable(told.info, _WORDS),
        version=printable(told.version, _WORDS),
        created=printable(told.created, _WORDS),
    )


def _told(text: str) -> LockInfo:
    """Whatever can be made of it: a lock holds even where nobody can read who took it."""
    try:
        return _decode_lock(text) if text and len(text) <= _LONGEST else LockInfo()
    except (msgspec.DecodeError, UnicodeDecodeError):
        return LockInfo()


def taken(place: Place, run: RunInfo, who: str, now: datetime, terms: Terms) -> JsonObject:
    """What is written to take the lock. Of the spec, the tools look at the holder alone; the rest is our heartbeat."""
    lock = LockInfo(
        id=run.id,
        operation=run.operation,
        info=run.said,
        who=who,
        version=run.version,
        created=rfc3339(now),
        path=str(place),
    )
    return {
        "metadata": {
            "labels": place.labels,
            "annotations": {LOCK_ANNOTATION: encode(lock).decode(), RUN_ANNOTATION: run.id},
        },
        "spec": {
            "holderIdentity": run.id,
            "acquireTime": micro_time(now),
            "renewTime": micro_time(now),
            "leaseDurationSeconds": int(terms.dead_s),
        },
    }


FREED: Final[JsonObject] = {
    "metadata": {"annotations": {LOCK_ANNOTATION: None, RUN_ANNOTATION: None}},
    "spec": {"holderIdentity": None, "acquireTime": None, "renewTime": None, "leaseDurationSeconds": None},
}
"""The merge patch that releases: like upstream it keeps the Lease."""


def locked(place: Place, holder: Holder) -> StateLocked:
    """Who holds it, whether they live, and what may be done."""
    if holder.death is not None:
        hint = f"That run is dead: {holder.death.how}. Its lock is released before the next run."
    elif holder.ours:
        hint = "Nothing to do: it is a run of ours at work, and the next one begins when it ends."
    else:
        hint = (
            "Wait until it ends. If you know that it is dead, set spec.tfstate.forceUnlock to yes"
            f" and spec.tfstate.lockIdentifier to {holder.id}."
        )
    return StateLocked(
        f"The state {place} is locked", why=holder.sentence, hint=hint, lock_id=holder.id, dead=holder.death is not None
    )


class Sightings:
    """When each lock was last seen to beat, by our own clock: those of other machines are not believed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: dict[Place, tuple[str, float]] = {}

    def still_for_s(self, place: Place, holder: Holder) -> float:
        """How long *holder* has not moved, as far as we have watched it."""
        beat = f"{holder.pin.uid}/{holder.id}/{holder.beat}"
        known = self._seen.get(place)
        now_s = self._clock.monotonic()
        if known is None or known[0] != beat:
            self._seen[place] = (beat, now_s)
            return 0.0
        return now_s - known[1]

    def forget(self, place: Place) -> None:
        self._seen.pop(place, None)
