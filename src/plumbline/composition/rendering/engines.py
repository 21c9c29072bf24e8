"""The two ways in which upstream renders: a loop of the CLI's own, and since v2.3 one look of the real reconciler."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import EvaluationFailed
from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.conditions import AVAILABLE, SUCCESS, SYSTEM, Condition, creating, first_of, with_conditions
from plumbline.composition.functions.answers import copied
from plumbline.composition.machinery import with_machinery
from plumbline.composition.pipeline import Event
from plumbline.composition.pipeline.values import COMPOSE
from plumbline.composition.rendering.metadata import composed, uid_of
from plumbline.composition.rendering.running import Ran, ran
from plumbline.composition.rendering.values import API_VERSION, MOMENT, Engine, Inputs, Rendered, fields
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.spelling import dns_subdomain_faults, path_segment_faults

_RESPONSIVE: Final = Condition("Responsive", "True", "WatchCircuitClosed")
_SEVERITIES: Final = {
    "Normal": "SEVERITY_NORMAL",
    "Warning": "SEVERITY_WARNING",
    "Unspecified": "SEVERITY_UNSPECIFIED",
}
_RBAC: Final = "rbac.authorization.k8s.io"


async def render(inputs: Inputs, engine: Engine) -> Rendered:
    """Render what was checked before. Raises EvaluationFailed, with upstream's words, where a function refuses."""
    return await (_newly(inputs) if engine == "new" else _in_a_loop(inputs, engine))


async def _in_a_loop(inputs: Inputs, engine: Engine) -> Rendered:
    end = await ran(inputs, engine, inputs.composite)
    bodies = _composed(inputs.composite, end, engine)
    wanted: JsonObject = copied(end.desired.composite.resource)
    metadata = {**fields(wanted, "metadata"), "name": inputs.metadata.get("name", "")}
    if engine == "old" and inputs.metadata.get("namespace"):
        metadata["namespace"] = inputs.metadata["namespace"]
    said = end.desired.composite.ready if engine == "old" else "Unspecified"
    status = dict(fields(wanted, "status"))
    conditions = (_ready(end, said), *_custom(end))
    status["conditions"] = with_conditions(status.get("conditions"), conditions, MOMENT)
    results = tuple(
        {
            "apiVersion": API_VERSION,
            "kind": "Result",
            "step": step,
            "severity": _SEVERITIES[result.severity],
            "message": result.message,
        }
        for step, result in end.results
    )
    return Rendered(
        _identified(inputs, {**wanted, "metadata": metadata, "status": status}), bodies, results, end.context
    )


async def _newly(inputs: Inputs) -> Rendered:
    composite = _as_functions_see_it(inputs)
    chosen = fields(inputs.composition, "metadata").get("name", "")
    events = [Event(type="Normal", reason="SelectComposition", message=f"Successfully selected composition: {chosen}")]
    if fields(inputs.composite, "spec", *(() if inputs.legacy else ("crossplane",)), "compositionRef") == {
        "name": chosen
    }:
        events.clear()
    end = await ran(inputs, "new", composite)
    events += end.events
    events += _overridden(composite, end)
    bodies = _composed(composite, end, "new")
    for each in bodies:
        _check_name(each)
    unready = _unready(end)
    waiting = (f"Composed resource {quoted(name)} is not yet ready" for name in unready)
    events += [Event(type="Normal", reason=COMPOSE, message=each) for each in waiting]
    wanted: JsonObject = copied(end.desired.composite.resource)
    status = dict(fields(wanted, "status"))
    known = fields(composite, "status").get("conditions")
    pending = [dict(each) for each in known if isinstance(each, dict)] if isinstance(known, list) else []
    conditions = (*_custom(end), SUCCESS, _ready(end, end.desired.composite.ready))
    status["conditions"] = _stamped(with_conditions(pending, conditions, MOMENT))
    if inputs.legacy and (claimed := _claimed(end)):
        status["claimConditionTypes"] = claimed
    metadata = {key: inputs.metadata[key] for key in ("name", "namespace") if inputs.metadata.get(key)}
    made = {**({"spec": wanted["spec"]} if "spec" in wanted else {}), "metadata": metadata, "status": status}
    local = bool(inputs.metadata.get("namespace"))
    made = with_machinery(made, {"resourceRefs": _references(bodies, local=local)}, legacy=inputs.legacy)
    return Rendered(_identified(inputs, made), bodies, tuple(map(_told, events)), end.context)


def _as_functions_see_it(inputs: Inputs) -> JsonObject:
    """The composite after all that happens to it before its functions are run."""
    metadata = inputs.metadata
    labels = fields(metadata, "labels")
    name = str(metadata.get("name") or "")
    marked = {**metadata, "labels": {**labels, marks.COMPOSITE: labels.get(marks.COMPOSITE) or name}}
    marked |= {"uid": metadata.get("uid") or uid_of(inputs.composite), "resourceVersion": "999"}
    chosen: JsonObject = {"compositionRef": {"name": fields(inputs.composition, "metadata").get("name", "")}}
    if inputs.observed:
        chosen["resourceRefs"] = _references(inputs.observed, local=bool(metadata.get("namespace")), ordered=False)
    status = dict(fields(inputs.composite, "status"))
    conditions = with_conditions(status.get("conditions"), (_RESPONSIVE,), MOMENT)
    if generation := metadata.get("generation"):
        conditions = [
            {**each, "observedGeneration": generation} if each["type"] == _RESPONSIVE.type else each
            for each in conditions
        ]
    seen = {**inputs.composite, "metadata": marked, "status": {**status, "conditions": conditions}}
    return with_machinery(seen, chosen, legacy=inputs.legacy)


def _composed(composite: JsonObject, end: Ran, engine: Engine) -> tuple[JsonObject, ...]:
    desired = sorted(end.desired.resources.items())
    return tuple(composed(composite, name, each, end.observed.get(name), engine) for name, each in desired)


def _check_name(obj: JsonObject) -> None:
    called = str(obj["metadata"].get("name") or "")
    spelled = path_segment_faults if GroupVersionKind.of(obj).group == _RBAC else dns_subdomain_faults
    if spelled(called):
        name = obj["metadata"]["annotations"][marks.RESOURCE_NAME]
        raise EvaluationFailed(
            f"cannot apply composed resource {quoted(name)} because it has an invalid name {quoted(called)}. "
            "Must be a valid RFC 1123 subdomain name."
        )


def _overridden(composite: JsonObject, end: Ran) -> Iterable[Event]:
    own = fields(composite, "metadata").get("namespace")
    for name, each in sorted(end.desired.resources.items()) if own else ():
        observed = end.observed.get(name)
        said = fields(each.resource if observed is None else observed, "metadata").get("namespace")
        if said and said != own:
            message = (
                f"cannot create composed resource {quoted(name)} in namespace {quoted(str(said))}, "
                f"using XR namespace {quoted(str(own))} instead"
            )
            yield Event(type="Warning", reason="NamespaceOverridden", message=message)


def _unready(end: Ran) -> list[str]:
    return sorted({*(name for name, each in end.desired.resources.items() if each.ready != "True"), *end.left_alone})


def _ready(end: Ran, said: str) -> Condition:
    if said == "True":
        return AVAILABLE
    if said == "False":
        return creating()
    unready = _unready(end)
    return creating(f"Unready resources: {first_of(unready)}") if unready else AVAILABLE


def _custom(end: Ran) -> tuple[Condition, ...]:
    found = (each for each in end.conditions if each.type not in SYSTEM)
    return tuple(Condition(each.type, each.status, each.reason, each.message) for each in found)


def _claimed(end: Ran) -> list[str]:
    found = (each.type for each in end.conditions if each.recipient == "CompositeAndClaim" and each.type not in SYSTEM)
    return list(dict.fromkeys(found))


def _stamped(conditions: list[JsonObject]) -> list[JsonObject]:
    return [{**each, "lastTransitionTime": MOMENT} for each in conditions]


def _references(objects: Iterable[JsonObject], *, local: bool, ordered: bool = True) -> list[JsonObject]:
    refs = []
    for each in objects:
        metadata = fields(each, "metadata")
        namespace = "" if local else str(metadata.get("namespace") or "")
        refs.append(marks.reference(GroupVersionKind.of(each), str(metadata.get("name") or ""), namespace))
    if not ordered:
        return refs
    return sorted(refs, key=lambda ref: ref["apiVersion"] + ref["kind"] + ref["name"] + ref.get("namespace", ""))


def _identified(inputs: Inputs, obj: JsonObject) -> JsonObject:
    return {**obj, "apiVersion": inputs.composite.get("apiVersion"), "kind": inputs.composite.get("kind")}


def _told(event: Event) -> JsonObject:
    return {
        "apiVersion": API_VERSION,
        "kind": "Result",
        "severity": event.type,
        "reason": event.reason,
        "message": event.told,
    }
