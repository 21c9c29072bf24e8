"""ClusterExternalSecrets: the same ExternalSecret in every namespace that fits, and in no other."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput, NotFound, PlumblineError
from plumbline.base.json import JsonObject, decode
from plumbline.gate.hands import Behalf, Hands
from plumbline.gate.intents import Destruction, Loss
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.outcomes import Done, Stop, Wait
from plumbline.kernel.queue import Priority
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Run, Seen
from plumbline.kinds.externalsecrets import CLUSTER_EXTERNAL_SECRET, EXTERNAL_SECRET
from plumbline.kinds.externalsecrets.clusterexternalsecret import ClusterExternalSecretSpec, ClusterExternalSecretStatus
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import Object
from plumbline.kube.selectors import LabelSelector
from plumbline.secrets.external import status
from plumbline.secrets.external.metrics import StoreMetrics

_WRITING: Final = Writing(field_manager="external-secrets")
_FORCE_SYNC: Final = "external-secrets.io/force-sync"
_NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
_EVERY_S: Final = 3600.0
_AGAIN_S: Final = 30.0
_FAILED: Final = "one or more namespaces failed"
_TAKEN: Final = "external secret already exists in namespace"
_OBSERVING: Final = "this installation only observes it"

Look = Run[ClusterExternalSecretSpec, ClusterExternalSecretStatus]


class SpreadParts(NamedTuple):
    client: Client
    hands: Hands
    namespaces: Informer
    externals: Informer


class _At(NamedTuple):
    provisioned: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()


class ClusterExternalSecretReconciler(Reconciler[ClusterExternalSecretSpec, ClusterExternalSecretStatus]):
    name = "clusterexternalsecret"
    kind = CLUSTER_EXTERNAL_SECRET
    finalizer = "externalsecrets.external-secrets.io/clusterexternalsecret-cleanup"
    holds_itself = True
    """Upstream puts it on. Here owner references do what it is for, and whoever moves over gets rid of it."""

    def __init__(self, parts: SpreadParts) -> None:
        self._client, self._hands, self._namespaces, self._externals = parts
        self._said: dict[Key, JsonObject] = {}
        """Specs that were written, to which the server may have added something by itself."""
        self.steps = (self.spread, self.settled)
        self.teardown = (self.let_go,)

    async def spread(self, run: Look, _: object) -> _At | Stop:
        name = _name(run)
        try:
            wanted = sorted(entry.meta.name for entry in self._fitting(run.spec))
        except InvalidInput as error:
            return Wait("Failed", f"unable to convert labelselector: {error}", _EVERY_S)
        failed: dict[str, str] = {}
        for entry in self._owned(run):
            if entry.meta.name != name or entry.meta.namespace not in wanted:
                await self._tried(failed, entry.meta.namespace, self._deleted(run, entry))
        provisioned = [each for each in wanted if await self._tried(failed, each, self._provided(run, each, name))]
        return _At(tuple(provisioned), tuple(sorted(failed.items())))

    async def settled(self, run: Look, at: _At) -> Stop:
        if at.failed:
            return Wait("Failed", _FAILED, _AGAIN_S)
        return Done(run.spec.refresh_time.seconds if run.spec.refresh_time else _EVERY_S)

    async def let_go(self, run: Look, _: object) -> Stop:
        """What is its own goes, also where no garbage is collected; and what upstream left on namespaces."""
        for entry in self._owned(run):
            await self._deleted(run, entry)
        mark = f"externalsecrets.external-secrets.io/ces-{run.object['metadata']['name']}"
        for entry in self._namespaces.cache:
            if mark in entry.meta.finalizers:
                kept = [each for each in entry.meta.finalizers if each != mark]
                target = Target(_NAMESPACES, "", entry.meta.name)
                live = decode(await self._client.get(target))
                change: JsonObject = {"metadata": {"finalizers": kept}}
                await self._hands.patch(target, live, change, _WRITING, Behalf.of("secret", run.object))
        return Done()

    def change(
        self, seen: Seen[ClusterExternalSecretSpec, ClusterExternalSecretStatus], executed: Executed, now: str
    ) -> Change:
        del now
        outcome, at = executed.reported.outcome, executed.state
        if seen.run is None or not isinstance(at, _At):
            return _written(seen.object, getattr(outcome, "message", ""), {})
        fields: dict[str, Any] = {
            "externalSecretName": _name(seen.run),
            "provisionedNamespaces": list(at.provisioned),
            "failedNamespaces": [{"namespace": each, "reason": why} for each, why in at.failed],
        }
        return _written(seen.object, _FAILED if at.failed else "", fields, _said(at.failed))

    def _fitting(self, spec: ClusterExternalSecretSpec) -> Iterator[Cached]:
        """Namespaces that stay. Raises InvalidInput."""
        said = (*((spec.namespace_selector,) if spec.namespace_selector else ()), *spec.namespace_selectors)
        selectors = [LabelSelector.from_object(msgspec.to_builtins(each)) for each in said]
        for entry in self._namespaces.cache:
            fits = entry.meta.name in spec.namespaces or any(each.matches(entry.meta.labels) for each in selectors)
            if fits and not entry.meta.deletion_timestamp:
                yield entry

    def _owned(self, run: Look) -> list[Cached]:
        return [entry for entry in self._externals.cache if _is_owned(entry, run)]

    async def _tried(self, failed: dict[str, str], namespace: str, work: Any) -> bool:
        try:
            await work
        except Conflict:
            raise
        except PlumblineError as error:
            failed[namespace] = str(error)
            return False
        return True

    async def _provided(self, run: Look, namespace: str, name: str) -> None:
        behalf = Behalf.of("secret", run.object)
        target = Target(EXTERNAL_SECRET.resource, namespace, name)
        entry = self._externals.cache.get((namespace, name))
        if entry is None:
            body = _made(run, namespace, name)
            try:
                reply = await self._hands.create(target.collection, body, _WRITING, behalf, f"Spread {name}")
            except AlreadyExists as outrun:
                raise Conflict(str(outrun)) from outrun
        elif not _is_owned(entry, run):
            raise AlreadyExists(_TAKEN)
        else:
            live, body = entry.object(), _made(run, namespace, name)
            if self._said.get(entry.meta.key) == body["spec"] and _within(body["spec"], live.get("spec")):
                body = {**body, "spec": live["spec"]}
            after = _renewed(live, body)
            if after == live:
                return
            reply = await self._hands.replace(target, after, _WRITING, behalf, f"Bring {name} up to date")
            self._said[entry.meta.key] = body["spec"]
        if reply is None:
            raise AlreadyExists(_OBSERVING)
        self._externals.learn(reply)

    async def _deleted(self, run: Look, entry: Cached) -> None:
        live = entry.object()
        target = Target(EXTERNAL_SECRET.resource, *entry.meta.key)
        lost = Destruction("deletion", (Loss("/".join(entry.meta.key)),), requested=True)
        try:
            await self._hands.delete(target, live, Behalf.of("secret", run.object), lost, "Background")
        except NotFound:
            return


def _written(obj: JsonObject, wrong: str, fields: dict[str, Any], told: str = "") -> Change:
    """Upstream's condition has neither a reason nor a time, and its definition would drop them."""
    before = status.status_of(obj)
    was = status.ready_of(before)
    ready = {"type": status.READY, "status": "False" if wrong else "True", **({"message": wrong} if wrong else {})}
    new = any(was.get(key) != ready.get(key) for key in ("status", "message"))
    events = (Event("Failed", told or wrong, warning=True),) if new and wrong else ()
    return status.written(obj, {**before, **fields, "conditions": [ready]}, *events)


def _name(run: Look) -> str:
    return run.spec.external_secret_name or str(run.object["metadata"]["name"])


def _is_owned(entry: Cached, run: Look) -> bool:
    mine = run.object["metadata"]["name"]
    return any(
        each.controller and each.kind == CLUSTER_EXTERNAL_SECRET.kind and each.name == mine
        for each in entry.meta.owner_references
    )


def _made(run: Look, namespace: str, name: str) -> JsonObject:
    view, said = Object(run.object), run.spec.external_secret_metadata
    annotations = {key: value for key, value in said.annotations.items() if key != _FORCE_SYNC}
    if _FORCE_SYNC in view.annotations:
        annotations[_FORCE_SYNC] = view.annotations[_FORCE_SYNC]
    owner = {"apiVersion": view.api_version, "kind": view.kind, "name": view.name, "uid": view.uid}
    metadata: JsonObject = {
        "name": name,
        "namespace": namespace,
        "labels": dict(said.labels),
        "annotations": annotations,
    }
    metadata["ownerReferences"] = [{**owner, "controller": True, "blockOwnerDeletion": True}]
    return {
        "apiVersion": f"{EXTERNAL_SECRET.group}/{EXTERNAL_SECRET.versions[0].name}",
        "kind": EXTERNAL_SECRET.kind,
        "metadata": {key: value for key, value in metadata.items() if value},
        "spec": run.object["spec"]["externalSecretSpec"],
    }


def _renewed(live: JsonObject, wanted: JsonObject) -> JsonObject:
    """*live* as it has to be."""
    before = live["metadata"]
    metadata = {**before, "ownerReferences": wanted["metadata"]["ownerReferences"]}
    for part in ("labels", "annotations"):
        said = wanted["metadata"].get(part) or {}
        metadata = {key: value for key, value in metadata.items() if key != part} | ({part: said} if said else {})
    return {**live, "metadata": metadata, "spec": wanted["spec"]}


def _within(wanted: Any, live: Any) -> bool:
    """Whether *live* says all of *wanted*, in the same lists."""
    if isinstance(wanted, dict) and isinstance(live, dict):
        return all(key in live and _within(value, live[key]) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(live, list):
        return len(wanted) == len(live) and all(map(_within, wanted, live))
    return bool(wanted == live)


def _said(failed: tuple[tuple[str, str], ...]) -> str:
    return "; ".join(f"{namespace}: {why}" for namespace, why in failed[:5])


class SpreadRoutes:
    """Which ClusterExternalSecrets have to look again when something changes."""

    def __init__(self, spreads: Informer, controller: Controller, metrics: StoreMetrics) -> None:
        self._spreads, self._controller, self._metrics = spreads, controller, metrics
        spreads.subscribe(self._spread_changed)

    def follow(self, namespaces: Informer, externals: Informer) -> None:
        namespaces.subscribe(self._namespace_changed)
        externals.subscribe(self._external_changed)

    def _spread_changed(self, before: Cached | None, after: Cached | None) -> None:
        if after is not None:
            said = status.ready_of(status.status_of(after.object())).get("status", "")
            self._metrics.conditions.told(after.meta.key, "Ready", str(said))
        elif before is not None:
            self._metrics.forget(before.meta.key)

    def _namespace_changed(self, before: Cached | None, after: Cached | None) -> None:
        was, now = (each.meta if each is not None else None for each in (before, after))
        told = [(each.labels, each.deletion_timestamp) if each is not None else None for each in (was, now)]
        if told[0] != told[1]:
            for entry in self._spreads.cache:
                self._controller.wake(entry.meta.key, Priority.DRIFT)

    def _external_changed(self, before: Cached | None, after: Cached | None) -> None:
        for present in (before, after):
            for each in present.meta.owner_references if present is not None else ():
                if (
                    each.controller
                    and each.kind == CLUSTER_EXTERNAL_SECRET.kind
                    and self._spreads.cache.get(("", each.name))
                ):
                    self._controller.wake(("", each.name), Priority.DRIFT)
