"""The Gateway API, and gateways with kinds of their own."""

from collections.abc import Iterable, Mapping

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.kube.health.reading import at, conditions, items, mapping, objects, printed, text
from plumbline.kube.health.rules import Rule, by_field, degraded, healthy, progressing, unknown
from plumbline.kube.health.status import Health, Status


def _observed(obj: JsonObject, condition: JsonObject) -> bool:
    """Whether a condition is about the present spec, as far as it says."""
    generation, observed = at(obj, "metadata", "generation"), condition.get("observedGeneration")
    return generation is None or observed is None or observed == generation


def _trouble(found: Iterable[JsonObject], noun: str, prefix: str) -> Health | None:
    """What holds a gateway, listener or route up; *found* are its conditions."""
    known = list(found)
    for kind in ("ResolvedRefs", "Accepted"):
        for each in known:
            if each.get("type") == kind and each.get("status") == "False":
                return Health(Status.DEGRADED, prefix + (text(each, "message") or f"Failed condition: {kind}"))
    for each in known:
        if each.get("type") == "Programmed" and each.get("status") != "True":
            said = text(each, "message") or f"{noun} is still being programmed"
            return Health(Status.PROGRESSING, prefix + said)
    return None


def _gateway(obj: JsonObject) -> Health:
    trouble = _trouble(conditions(obj), "Gateway", "")
    if trouble:
        return trouble
    for listener in objects(obj, "status", "listeners"):
        trouble = _trouble(objects(listener, "conditions"), "Listener", "Listener: ")
        if trouble:
            return trouble
    if at(obj, "status", "conditions") is None and not items(obj, "status", "listeners"):
        return Health(Status.PROGRESSING, "Waiting for Gateway status")
    return Health(Status.HEALTHY, "Gateway is healthy")


def _gateway_class(obj: JsonObject) -> Health:
    waiting = "Waiting for GatewayClass status"
    for condition in conditions(obj):
        if condition.get("type") != "Accepted" or not _observed(obj, condition):
            continue
        said = text(condition, "message")
        if condition.get("status") == "True":
            return Health(Status.HEALTHY, said or "GatewayClass is accepted")
        if condition.get("status") == "False":
            return Health(Status.DEGRADED, said or "GatewayClass is not accepted")
        return Health(Status.PROGRESSING, said or waiting)
    return Health(Status.PROGRESSING, waiting)


class Route(msgspec.Struct, frozen=True):
    """A route is as well as it is with each of its parents; what a parent said of an older spec does not count."""

    kind: str

    def __call__(self, obj: JsonObject) -> Health:
        current = False
        for parent in objects(obj, "status", "parents"):
            found = list(objects(parent, "conditions"))
            if not found or not all(_observed(obj, condition) for condition in found):
                continue
            current = True
            trouble = _trouble(found, "Route", f"Parent {text(parent, 'parentRef', 'name')}: ")
            if trouble:
                return trouble
        if current:
            return Health(Status.HEALTHY, f"{self.kind} is healthy")
        return Health(Status.PROGRESSING, f"Waiting for {self.kind} status")


def _policy(obj: JsonObject) -> Health:
    """A policy attached to gateways or services: well when each of its ancestors took it."""
    kind = printed(obj.get("kind"))
    ancestors = [
        (text(ancestor, "ancestorRef", "name"), list(objects(ancestor, "conditions")))
        for ancestor in objects(obj, "status", "ancestors")
    ]
    for name, found in ancestors:
        if not all(_observed(obj, condition) for condition in found):
            return Health(Status.PROGRESSING, f"Waiting for Ancestor {name} to update {kind} status")
    accepted = False
    for name, found in ancestors:
        for condition in found:
            if text(condition, "type") in {"Accepted", "ResolvedRefs"} and condition.get("status") != "True":
                return Health(Status.DEGRADED, f"Ancestor {name}: {text(condition, 'message')}")
            accepted = accepted or condition.get("type") == "Accepted"
    if accepted:
        return Health(Status.HEALTHY, f"{kind} is healthy")
    return Health(Status.PROGRESSING, f"Waiting for {kind} status")


def _airlock(obj: JsonObject) -> Health | None:
    """Only the policies of this group have a status worth reading."""
    return _policy(obj) if printed(obj.get("kind")).endswith("Policy") else None


def _solo(obj: JsonObject) -> Health:
    """Gloo reports per namespace of its controllers; an older one reports at the top."""
    status = mapping(obj, "status")
    for report in (*mapping(status, "statuses").values(), status):
        health = _solo_state(report)
        if health:
            return health
    return Health(Status.PROGRESSING, "Update in progress")


def _solo_state(report: Json) -> Health | None:
    state = printed(at(report, "state"))
    if state in {"Accepted", "1"}:
        return Health(Status.HEALTHY, "The resource has been validated")
    if state in {"Warning", "3", "Rejected", "2"}:
        return Health(Status.DEGRADED, text(report, "reason"))
    if state in {"Pending", "0"}:
        return Health(Status.SUSPENDED, "The resource has not yet been validated")
    return None


def _contour(obj: JsonObject) -> Iterable[JsonObject]:
    """Conditions of the present spec only: an old one would call a broken proxy well."""
    generation = at(obj, "metadata", "generation")
    return (each for each in conditions(obj) if each.get("observedGeneration") == generation)


def _extension_service(obj: JsonObject) -> Health:
    for condition in _contour(obj):
        if condition.get("type") == "Valid" and text(condition, "status") in {"True", "False"}:
            status = Status.HEALTHY if condition["status"] == "True" else Status.DEGRADED
            return Health(status, text(condition, "message"))
    return Health(Status.PROGRESSING, "Waiting for status")


def _http_proxy(obj: JsonObject) -> Health:
    """Proxies that include others wait for each other: those are let through, or nothing would ever deploy."""
    said, including = text(obj, "status", "description"), at(obj, "spec", "includes") is not None
    for condition in _contour(obj):
        if condition.get("type") == "Valid" and condition.get("status") == "True":
            return Health(Status.HEALTHY, said)
        if condition.get("status") == "False" and including:
            return Health(Status.HEALTHY, "HTTPProxy inclusions cannot be health checked")
        if condition.get("type") == "Valid" and condition.get("status") == "False":
            return Health(Status.DEGRADED, said)
    if at(obj, "status", "conditions") is None and at(obj, "status", "currentStatus") is not None:
        return Health(Status.PROGRESSING, said)
    return Health(Status.PROGRESSING, "Waiting for status")


_SOLO: Rule = (_solo,)

RULES: Mapping[str, Rule] = {
    "gateway.networking.k8s.io/BackendTLSPolicy": (_policy,),
    "gateway.networking.k8s.io/GRPCRoute": (Route("GRPCRoute"),),
    "gateway.networking.k8s.io/Gateway": (_gateway,),
    "gateway.networking.k8s.io/GatewayClass": (_gateway_class,),
    "gateway.networking.k8s.io/HTTPRoute": (Route("HTTPRoute"),),
    "microgateway.airlock.com/*": (_airlock,),
    "gateway.solo.io/Gateway": _SOLO,
    "gateway.solo.io/MatchableHttpGateway": _SOLO,
    "gateway.solo.io/RouteOption": _SOLO,
    "gateway.solo.io/RouteTable": _SOLO,
    "gateway.solo.io/VirtualHostOption": _SOLO,
    "gateway.solo.io/VirtualService": _SOLO,
    "gloo.solo.io/Proxy": _SOLO,
    "gloo.solo.io/Settings": _SOLO,
    "gloo.solo.io/Upstream": _SOLO,
    "gloo.solo.io/UpstreamGroup": _SOLO,
    "projectcontour.io/ExtensionService": (_extension_service,),
    "projectcontour.io/HTTPProxy": (_http_proxy,),
    "install.istio.io/IstioOperator": (
        by_field(
            "status.status",
            {
                "0|NONE": unknown("Component is not present."),
                "1|UPDATING": progressing("Component is being updated to a different version."),
                "2|RECONCILING": progressing(
                    "Controller has started but not yet completed reconciliation loop for the component."
                ),
                "3|HEALTHY": healthy("Component is healthy."),
                "4|ERROR": degraded("Component is in an error state."),
            },
        ),
        progressing("Waiting for Istio Control Plane"),
    ),
}
