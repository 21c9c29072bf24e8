"""What is written on a managed resource itself: its external name, what is on record of its creation, resolved references.

Each write is pinned to the version that was looked at, and known at once to everybody who follows the collection.
"""

from typing import Any, Final

from plumbline.base.clock import Clock
from plumbline.base.errors import Conflict, NotFound, Transient
from plumbline.base.json import JsonObject, encode
from plumbline.gate.gate import Gate, Performed
from plumbline.gate.intents import Act, Intent
from plumbline.gate.writes import Applying, Patching
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.reconciler import Run
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource, Ref
from plumbline.managed.references import MANAGER

FIELD_MANAGER: Final = "plumbline-managed"
_US: Final = Actor("controller", "managed")
_PATCHING: Final = Writing(field_manager=FIELD_MANAGER)
_RESOLVING: Final = Writing(field_manager=MANAGER, force=True)
_TRIES: Final = 5
_FIRST_WAIT_S: Final = 0.2


class Notes:
    """Each method returns whether it was written: an installation that only observes writes nothing."""

    def __init__(self, gate: Gate, client: Client, clock: Clock, cluster: str) -> None:
        self._gate = gate
        self._client = client
        self._clock = clock
        self._cluster = cluster

    async def patch(self, resource: GroupVersionResource, run: Run[Any, Any], change: JsonObject) -> bool:
        """A merge patch of the very version that was looked at. Raises Conflict where there is a newer one."""
        target, pins = _target(resource, run.object), _pins(run.object)
        body = encode({**change, "metadata": {**change.get("metadata", {}), **pins}})
        return await self._written(run, Patching(self._client, target, body, "merge", _PATCHING))

    async def insist(self, resource: GroupVersionResource, run: Run[Any, Any], annotations: JsonObject) -> bool:
        """Annotations that must not be lost, whoever else has written meanwhile: what they tell is known nowhere else."""
        target = _target(resource, run.object)
        wait_s = _FIRST_WAIT_S
        for left in reversed(range(_TRIES)):
            pins = _pins(run.object) if left == _TRIES - 1 else {"uid": run.object["metadata"]["uid"]}
            body = encode({"metadata": {"annotations": annotations, **pins}})
            try:
                return await self._written(run, Patching(self._client, target, body, "merge", _PATCHING))
            except NotFound:
                raise
            except Transient as error:
                if left == 0:
                    raise
                if not isinstance(error, Conflict):
                    await self._clock.sleep(wait_s)
                    wait_s *= 2
        return False

    async def apply(self, resource: GroupVersionResource, run: Run[Any, Any], spec: JsonObject) -> bool:
        """The fields of the spec that come of references, as upstream's resolver applies them."""
        obj = run.object
        metadata = {"name": obj["metadata"]["name"], **_pins(obj)}
        if namespace := obj["metadata"].get("namespace"):
            metadata["namespace"] = namespace
        body = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": metadata, "spec": spec}
        return await self._written(run, Applying(self._client, _target(resource, obj), encode(body), _RESOLVING))

    async def _written(self, run: Run[Any, Any], act: Act) -> bool:
        subject = LiveObject.at(self._cluster, Ref.of(run.object))
        intent = Intent(actor=_US, subject=subject, verb="patch", why="Record what was found", minor=True)
        outcome = await self._gate.perform(intent, act)
        if not isinstance(outcome, Performed):
            return False
        run.wrote(outcome.reply)
        return True


def _target(resource: GroupVersionResource, obj: JsonObject) -> Target:
    return Target(resource, obj["metadata"].get("namespace", ""), obj["metadata"]["name"])


def _pins(obj: JsonObject) -> JsonObject:
    return {"uid": obj["metadata"]["uid"], "resourceVersion": obj["metadata"]["resourceVersion"]}
