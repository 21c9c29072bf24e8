"""Rolls a Deployment's template out over ReplicaSets."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.controllers.owners import controller
from plumbline.apiserver.controllers.workloads import kinds
from plumbline.apiserver.controllers.workloads.claiming import Claim, claimed
from plumbline.apiserver.controllers.workloads.conditions import condition_of
from plumbline.apiserver.controllers.workloads.deployments import progress
from plumbline.apiserver.controllers.workloads.deployments.newsets import new_set, next_revision, updated_set
from plumbline.apiserver.controllers.workloads.deployments.reading import (
    REVISION,
    Rollout,
    active,
    bare_template,
    rolling,
    rollout_of,
    total,
    wanted_of,
)
from plumbline.apiserver.controllers.workloads.deployments.rollback import is_asked_back, plan_rollback
from plumbline.apiserver.controllers.workloads.deployments.sizing import (
    Scale,
    is_scaled,
    plan_cleaning,
    plan_growth,
    plan_scaling,
    plan_shrinking,
    resized,
)
from plumbline.apiserver.controllers.workloads.podcontrol import namespace_is_going
from plumbline.apiserver.controllers.workloads.podviews import pod_of
from plumbline.apiserver.controllers.workloads.watching import owner_of, selector_of
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind
from plumbline.kube.object import Object

_COMPONENT: Final = "deployment-controller"

Plan: TypeAlias = Callable[[Rollout], list[Scale]]


class DeploymentController:
    """Each look does the next thing that may be done, and then tells how things are."""

    name = _COMPONENT

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {
            kinds.DEPLOYMENT: itself,
            kinds.REPLICA_SET: owner_of(self._cluster, kinds.DEPLOYMENT),
            kinds.POD: self._of_gone_pod,
        }

    async def reconcile(self, key: Key) -> float | None:
        found = self._cluster.at(key)
        if found is None:
            return None
        deployment = Object(found)
        selector = selector_of(deployment.spec.get("selector"))
        sets = await claimed(self._cluster, Claim(deployment, kinds.REPLICA_SET, selector))
        rollout = rollout_of(deployment, (Object(entry.object()) for entry in sets))
        if is_asked_back(deployment) and not deployment.deletion_timestamp and not deployment.spec.get("paused"):
            await self._roll_back(rollout)
            return None
        after = await self._step(rollout)
        await self._write(deployment, after)
        return progress.next_look_s(after, self._cluster.clock.now())

    async def _step(self, rollout: Rollout) -> Object:
        """Do the next thing; gives the Deployment as it is then."""
        now, deployment = self._cluster.clock.now(), rollout.deployment
        if deployment.deletion_timestamp:
            rollout = await self._prepared(rollout)
            return rollout.deployment.with_status(progress.plan_status(rollout, now))
        rollout = rollout._replace(deployment=progress.with_pause(deployment, now))
        if deployment.spec.get("paused") or is_scaled(rollout):
            rollout = await self._scaled(await self._prepared(rollout), plan_scaling)
            if deployment.spec.get("paused"):
                await self._clean(rollout)
            return rollout.deployment.with_status(progress.plan_status(rollout, now))
        rollout = await (self._roll(rollout) if rolling(deployment) else self._recreate(rollout))
        return rollout.deployment.with_status(progress.plan_rollout_status(rollout, now))

    async def _roll(self, rollout: Rollout) -> Rollout:
        rollout = await self._prepared(rollout, create=True)
        moved = await self._scaled(rollout, lambda at: plan_growth(at) or plan_shrinking(at))
        if moved is rollout:
            await self._clean_if_complete(rollout)
        return moved

    async def _recreate(self, rollout: Rollout) -> Rollout:
        """Nothing new before the last of the old is gone."""
        rollout = await self._prepared(rollout)
        stopped = await self._scaled(rollout, lambda at: [Scale(each, 0) for each in active(at.old)])
        if stopped is not rollout or self._old_ones_run(rollout):
            return stopped
        rollout = await self._prepared(rollout, create=True)
        rollout = await self._scaled(rollout, plan_growth)
        await self._clean_if_complete(rollout)
        return rollout

    async def _roll_back(self, rollout: Rollout) -> None:
        rollout = await self._prepared(rollout, create=True)
        plan = plan_rollback(rollout)
        await self._cluster.edit(rollout.deployment.raw, lambda _: plan.deployment)
        await self._tell(rollout.deployment, plan.reason, plan.message, warning=plan.warning)

    async def _prepared(self, rollout: Rollout, *, create: bool = False) -> Rollout:
        """With the new set as the Deployment wants it, if it is there or may be created."""
        new, deployment = rollout.new, rollout.deployment
        if new is None:
            return await self._with_new_set(rollout) if create else rollout
        updated = updated_set(rollout, new)
        if updated is not None:
            new = Object(await self._cluster.edit(new.raw, lambda _: updated))
        deployment = deployment.with_annotation(REVISION, new.annotations.get(REVISION, ""))
        if condition_of(deployment.status.get("conditions") or (), progress.PROGRESSING) is None:
            message = f"Found new replica set {quoted(new.name)}"
            now = self._cluster.clock.now()
            deployment = progress.with_progress(deployment, "True", progress.FOUND, message, now)
        return rollout._replace(deployment=deployment, new=new)

    async def _with_new_set(self, rollout: Rollout) -> Rollout:
        wanted = new_set(rollout)
        deployment = rollout.deployment
        noted = deployment.with_annotation(REVISION, str(next_revision(rollout.old)))
        try:
            new = Object(await self._cluster.create(wanted))
        except RequestRefused as refused:
            there = await self._after_refusal(deployment, wanted, refused)
            return rollout._replace(deployment=noted, new=there)
        if wanted_of(new):
            message = f"Scaled up replica set {new.name} from 0 to {wanted_of(new)}"
            await self._tell(deployment, "ScalingReplicaSet", message)
        message = f"Created new replica set {quoted(new.name)}"
        now = self._cluster.clock.now()
        noted = progress.with_progress(noted, "True", progress.CREATED, message, now)
        return rollout._replace(deployment=noted, new=new)

    async def _after_refusal(self, deployment: Object, wanted: JsonObject, refused: RequestRefused) -> Object:
        """The set that is there already, if it is the one; otherwise tells what is wrong and refuses likewise."""
        name = wanted["metadata"]["name"]
        if refused.status.get("reason") == "AlreadyExists":
            there = Object(self._cluster.get(kinds.REPLICA_SET, deployment.namespace, name) or {})
            own = there.controller is not None and there.controller.uid == deployment.uid
            if own and bare_template(there) == bare_template(deployment):
                return there
            collisions = int(deployment.status.get("collisionCount") or 0) + 1
            await self._cluster.set_status(deployment.raw, {**deployment.status, "collisionCount": collisions})
        elif not namespace_is_going(refused):
            message = f"Failed to create new replica set {quoted(name)}: {refused.what}"
            now = self._cluster.clock.now()
            after = progress.with_progress(deployment, "False", progress.NOT_CREATED, message, now)
            await self._write(deployment, after)
            await self._tell(deployment, progress.NOT_CREATED, message, warning=True)
        raise refused

    async def _scaled(self, rollout: Rollout, plan: Plan) -> Rollout:
        """The same rollout where there is nothing to scale."""
        scales = plan(rollout)
        deployment, written = rollout.deployment, {}
        for scale in scales:
            written[scale.owned.uid] = Object(await self._resize(deployment, scale))
        if not scales:
            return rollout
        new = written.get(rollout.new.uid, rollout.new) if rollout.new else None
        return rollout._replace(new=new, old=tuple(written.get(each.uid, each) for each in rollout.old))

    async def _resize(self, deployment: Object, scale: Scale) -> JsonObject:
        owned, size = scale
        written = await self._cluster.edit(owned.raw, lambda live: resized(deployment, Object(live), size))
        if scale.changes_size:
            before = wanted_of(owned)
            word = "up" if before < size else "down"
            message = f"Scaled {word} replica set {owned.name} from {before} to {size}"
            await self._tell(deployment, "ScalingReplicaSet", message)
        return written

    async def _clean_if_complete(self, rollout: Rollout) -> None:
        if progress.is_complete(rollout.deployment, rollout.deployment.status):
            await self._clean(rollout)

    async def _clean(self, rollout: Rollout) -> None:
        for spent in plan_cleaning(rollout):
            await self._cluster.delete(spent.raw)

    def _old_ones_run(self, rollout: Rollout) -> bool:
        pods = (
            pod_of(entry) for owned in rollout.old for entry in self._cluster.dependent_entries(owned.uid, kinds.POD)
        )
        return total(rollout.old, "replicas") > 0 or any(not pod.terminal for pod in pods)

    async def _write(self, before: Object, after: Object) -> None:
        """Status and annotations, over the version that was looked at."""
        if before.status != after.status or before.annotations != after.annotations:
            await self._cluster.edit(before.raw, lambda _: after.raw, subresource="status")

    async def _tell(self, deployment: Object, reason: str, message: str, *, warning: bool = False) -> None:
        await self._cluster.record(deployment.raw, reason, message, warning=warning, component=_COMPONENT)

    def _of_gone_pod(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        """Those who wait for the last old pod hear when one is gone."""
        owner = controller(entry)
        if owner is None or owner.kind != kinds.REPLICA_SET.kind or self._cluster.holds(entry.key):
            return ()
        owned = Object(self._cluster.get(kinds.REPLICA_SET, entry.key.namespace, owner.name) or {})
        if owned.controller is None or owned.controller.kind != kinds.DEPLOYMENT.kind:
            return ()
        return (self._cluster.key(kinds.DEPLOYMENT, entry.key.namespace, owned.controller.name),)
