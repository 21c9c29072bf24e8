"""Whether a store can be used: tried when it changes, when what it signs in with changes, and every few minutes."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from plumbline.base.errors import PlumblineError, Throttled, Transient, Unresolved
from plumbline.base.json import JsonObject
from plumbline.kernel.cache import Key
from plumbline.kernel.outcomes import Done, Stop, Wait
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Run, Seen
from plumbline.kernel.world import World
from plumbline.kinds.externalsecrets.secretstore import SecretStoreSpec, SecretStoreStatus, provider_name
from plumbline.kinds.kind import Kind
from plumbline.kube.object import Object
from plumbline.secrets.external import status
from plumbline.secrets.external.fetching import deadline, opened
from plumbline.secrets.external.known import KnownStore, Opener
from plumbline.secrets.external.memory import Memory
from plumbline.secrets.external.retrying import patience
from plumbline.secrets.external.status import Told

EVERY_S: Final = 300.0
VALID: Final = Told("True", "Valid", "store validated")
UNKNOWN: Final = Told("True", "ValidationUnknown", "could not determine validation status")
_READ_ONLY: Final = frozenset({"fake"})
"""Providers whose stores are only read here; PushSecrets write to the others."""


class Checked(NamedTuple):
    """The store as it was found; *told* of one that another controller looks after is None."""

    told: Told | None


class StoreParts(NamedTuple):
    world: World
    open: Opener
    memory: Memory
    ours: Callable[[str], bool]
    """Whether stores of that controller class are looked after here."""


class StoreReconciler(Reconciler[SecretStoreSpec, SecretStoreStatus]):
    def __init__(self, kind: Kind[SecretStoreSpec, SecretStoreStatus], parts: StoreParts) -> None:
        self.kind = kind
        self.name = kind.kind.lower()
        self._parts = parts
        self.steps = (self.unless_foreign, self.checked, self.until_next)

    async def unless_foreign(self, run: Run[SecretStoreSpec, SecretStoreStatus], _: object) -> Checked | Stop:
        return Checked(None) if self._parts.ours(run.spec.controller) else Done()

    async def checked(self, run: Run[SecretStoreSpec, SecretStoreStatus], _: Checked) -> Checked | Stop:
        obj = Object(run.object)
        known = KnownStore(self.kind.kind, obj.namespace, obj.name, obj.uid, run.spec, run.object)
        key, what = (obj.namespace, obj.name), "unable to create client"
        try:
            patience(run.spec.retry_settings)
            with run.waiting():
                store = await opened(self._parts.open, known, obj.namespace)
                what = "unable to validate store"
                try:
                    async with deadline(known):
                        sure = await store.check()
                finally:
                    await store.close()
        except PlumblineError as error:
            if not (isinstance(error, Unresolved) and not error.sought[2]):
                return self._failed(key, what, error)
            sure = False  # it signs in with what is in the namespace of whoever asks
        self._parts.memory.forgive(key)
        return Checked(VALID if sure else UNKNOWN)

    def _failed(self, key: Key, what: str, error: PlumblineError) -> Wait:
        reason = "ValidationFailed" if isinstance(error, Transient) else "InvalidProviderConfig"
        at_least_s = error.after_s if isinstance(error, Throttled) else 0.0
        return Wait(reason, f"{what}: {error}", self._parts.memory.retry_s(key, at_least_s))

    async def until_next(self, run: Run[SecretStoreSpec, SecretStoreStatus], _: Checked) -> Stop:
        return Done(self._parts.world.ids.jitter(run.spec.refresh_interval.seconds or EVERY_S))

    def change(self, seen: Seen[SecretStoreSpec, SecretStoreStatus], executed: Executed, now: str) -> Change:
        told = self._told(seen, executed)
        if told is None:
            return Change({})
        fields: dict[str, Any] = {"capabilities": _capabilities(seen.object)} if told.status == "True" else {}
        after, new = status.changed(seen.object, told, fields, now)
        events = (Event(told.reason, told.message, warning=told != VALID),) if new else ()
        return status.written(seen.object, after, *events)

    def _told(self, seen: Seen[SecretStoreSpec, SecretStoreStatus], executed: Executed) -> Told | None:
        outcome = executed.reported.outcome
        if seen.run is None:
            # What cannot be read may be another's, whose version of the kind says more than ours.
            mine = self._parts.ours(str(Object(seen.object).spec.get("controller") or ""))
            return Told("False", "InvalidStoreConfiguration", getattr(outcome, "message", "")) if mine else None
        if isinstance(outcome, Done):
            return executed.state.told if isinstance(executed.state, Checked) else None
        return Told("False", outcome.reason, outcome.message)


def _capabilities(store: JsonObject) -> str:
    return "ReadOnly" if provider_name(store) in _READ_ONLY else "ReadWrite"
