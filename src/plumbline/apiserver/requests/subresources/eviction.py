"""Eviction: a deletion of a pod that disruption budgets may postpone."""

from copy import copy
from typing import Final

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call, answer_object
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.objects.admission import Attributes, NoAdmission, Operation
from plumbline.apiserver.objects.context import Context, missing
from plumbline.apiserver.objects.deletion import DeleteOptions, delete
from plumbline.apiserver.objects.metadata import in_namespace, metadata_of, without_system_fields
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.objects.updating import update
from plumbline.apiserver.requests.bodies import read_kind
from plumbline.apiserver.requests.dispatch import Serve
from plumbline.apiserver.requests.options import WriteOptions, delete_options, write_options
from plumbline.apiserver.requests.routes import Route
from plumbline.apiserver.requests.subresources.budgets import Budgets, still_processed
from plumbline.apiserver.requests.subresources.podstatus import with_condition
from plumbline.apiserver.requests.subresources.tracking import tracked
from plumbline.base.clock import rfc3339
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kube.gotext import printed
from plumbline.kube.names import GroupVersionKind

KIND: Final = GroupVersionKind("policy", "v1", "Eviction")
_OLDER: Final = "policy/v1beta1"
_EVICTED: Final = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
_CONFLICT: Final = 409
_ATTEMPTS: Final = 20
_PAUSE_S: Final = 0.5
_OVER: Final = frozenset({"Succeeded", "Failed"})
_TARGET: Final = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "EvictionByEvictionAPI",
    "message": "Eviction API: evicting",
}
_BREAKING: Final = "ignoreStoreReadErrorWithClusterBreakingPotential"


def serve_eviction(cluster: Cluster) -> Serve:
    budgets = Budgets(cluster)

    async def serve(context: Context, scope: Scope, call: Call, _: Route) -> Answer:
        options = write_options(call, "CreateOptions")
        scope = msgspec.structs.replace(scope, dry_run=options.dry_run, manager=options.manager)
        eviction = await _admitted(context, scope, call, options)
        wanted, dry_run = _wanted(eviction, options)
        scope = msgspec.structs.replace(scope, dry_run=dry_run, subresource="")
        await _Eviction(context, scope, wanted, budgets).carry_out()
        return answer_object(_EVICTED, 201)

    return serve


async def _admitted(context: Context, scope: Scope, call: Call, options: WriteOptions) -> JsonObject:
    eviction: JsonObject = {"metadata": {}, **read_kind(_in_present_version(call), KIND, options.strictness)}
    eviction = tracked(in_namespace(without_system_fields(eviction), scope), KIND, context, scope)
    attributes = Attributes(scope, Operation.CREATE, eviction, options=options.given)
    eviction = await context.admission.mutated(attributes)
    if metadata_of(eviction).get("name") != scope.name:
        raise statuses.bad_request("name in URL does not match name in Eviction object")
    if _given(eviction).get(_BREAKING):
        why = "can not be set for pod eviction, try after removing the option"
        raise statuses.invalid(KIND.group_kind, scope.name, [invalid(f"deleteOptions.{_BREAKING}", True, why)])
    await context.admission.check(msgspec.structs.replace(attributes, obj=eviction))
    return eviction


def _in_present_version(call: Call) -> Call:
    """Evictions of the older version are taken too: they have the same fields."""
    if _OLDER.encode() not in call.body:
        return call
    try:
        given = decode(call.body)
    except (ValueError, RecursionError):
        return call
    if not isinstance(given, dict) or given.get("apiVersion") != _OLDER:
        return call
    renamed = copy(call)
    renamed.body = encode({**given, "apiVersion": KIND.api_version})
    return renamed


def _given(eviction: JsonObject) -> JsonObject:
    given: JsonObject | None = eviction.get("deleteOptions")
    return given or {}


def _wanted(eviction: JsonObject, options: WriteOptions) -> tuple[DeleteOptions, bool]:
    given, asked = _given(eviction), options.given.get("dryRun") or []
    inside = given.get("dryRun") or []
    if asked and inside and asked != inside:
        why = f"Non-matching dry-run options in request and content: {printed(asked)} and {printed(inside)}"
        raise statuses.plain_failure(500, why)
    return delete_options({**given, "dryRun": inside or asked})


class _Eviction:
    """One pod's, in one request. What is written is the API server's own doing: admission has been asked already."""

    def __init__(self, context: Context, scope: Scope, wanted: DeleteOptions, budgets: Budgets) -> None:
        self._context = msgspec.structs.replace(context, admission=NoAdmission())
        self._scope = scope
        self._wanted = wanted
        self._budgets = budgets

    async def carry_out(self) -> None:
        attempts = _ATTEMPTS
        pod = self._pod()
        while _exempt(pod):
            attempts -= 1
            try:
                await self._delete(pod, pinned=_may_recover(pod))
            except RequestRefused as refused:
                if self._wanted.resource_version or refused.status["code"] != _CONFLICT or not attempts:
                    raise
            else:
                return
            await self._context.clock.sleep(_PAUSE_S)
            pod = self._pod()
        await self._within_budget(pod)

    async def _within_budget(self, pod: JsonObject) -> None:
        budget = self._budgets.of(pod)
        unhealthy = budget is not None and self._budgets.spares(budget, pod)
        if budget is not None and not unhealthy:
            await self._budgets.spend(budget, self._scope.name, dry_run=self._scope.dry_run)
        try:
            await self._delete(pod, pinned=unhealthy)
        except RequestRefused as refused:
            if budget is None or not unhealthy or self._wanted.resource_version or refused.status["code"] != _CONFLICT:
                raise
            raise still_processed(budget) from None

    def _pod(self) -> JsonObject:
        entry = self._context.store.head(self._scope.key())
        if entry is None:
            raise missing(self._scope)
        return entry.object()

    async def _delete(self, pod: JsonObject, *, pinned: bool) -> None:
        """With *pinned*, only if the pod is still as it was looked at."""
        wanted = self._wanted
        if pinned and wanted.resource_version is None:
            wanted = msgspec.structs.replace(wanted, resource_version=metadata_of(pod).get("resourceVersion"))
        if not self._scope.dry_run:
            marked = await self._mark(wanted)
            if wanted.resource_version is not None:
                version = metadata_of(marked).get("resourceVersion")
                wanted = msgspec.structs.replace(wanted, resource_version=version)
        await delete(self._context, self._scope, wanted, {})

    async def _mark(self, wanted: DeleteOptions) -> JsonObject:
        """Say on the pod why it goes."""
        now = rfc3339(self._context.clock.now())

        def change(live: JsonObject | None) -> JsonObject:
            there = live or {}
            _check_preconditions(self._scope.name, wanted, metadata_of(there))
            return {**there, "status": with_condition(there.get("status") or {}, _TARGET, now)}

        scope = msgspec.structs.replace(self._scope, subresource="status")
        marked, _ = await update(self._context, scope, change, {})
        return marked


def _check_preconditions(name: str, wanted: DeleteOptions, there: JsonObject) -> None:
    if wanted.uid and wanted.uid != there.get("uid"):
        why = f"the UID in the precondition ({wanted.uid}) does not match the UID in record ({there.get('uid')})"
        raise statuses.conflict("", "Pod", name, f"{why}. The object might have been deleted and then recreated")
    version = there.get("resourceVersion")
    if wanted.resource_version and wanted.resource_version != version:
        why = f"the ResourceVersion in the precondition ({wanted.resource_version}) does not match the ResourceVersion"
        raise statuses.conflict("", "Pod", name, f"{why} in record ({version}). The object might have been modified")


def _exempt(pod: JsonObject) -> bool:
    """Whether nothing is disrupted: it never ran, has ended, or is going already."""
    phase = (pod.get("status") or {}).get("phase")
    return phase in _OVER or phase == "Pending" or bool(metadata_of(pod).get("deletionTimestamp"))


def _may_recover(pod: JsonObject) -> bool:
    phase = (pod.get("status") or {}).get("phase")
    return phase not in _OVER and not metadata_of(pod).get("deletionTimestamp")
