"""Services and the endpoints behind them. Addresses and ports that are allocated come from elsewhere."""

from typing import Final

from plumbline.apiserver.defaults.rules import Rule, chain, child_of, each, for_objects, record, without
from plumbline.base.json import Json, JsonObject

_STICKY_S: Final = 10800
_BALANCED: Final = "LoadBalancer"
_REACHED_FROM_OUTSIDE: Final = ("NodePort", _BALANCED)
_ROUTED: Final = ("ClusterIP", "NodePort", _BALANCED)


@for_objects
def _target(port: JsonObject) -> JsonObject:
    return port if port.get("targetPort") else {**port, "targetPort": port.get("port")}


@for_objects
def _sticking(spec: JsonObject) -> JsonObject:
    affinity = spec.get("sessionAffinity")
    if affinity == "None":
        return without(spec, "sessionAffinityConfig")
    config = child_of(spec, "sessionAffinityConfig")
    if affinity != "ClientIP" or child_of(config, "clientIP").get("timeoutSeconds") is not None:
        return spec
    return {**spec, "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": _STICKY_S}}}


@for_objects
def _routed(spec: JsonObject) -> JsonObject:
    kind = spec.get("type")
    changes: JsonObject = {}
    outside = kind in _REACHED_FROM_OUTSIDE or (kind == "ClusterIP" and spec.get("externalIPs"))
    if outside and not spec.get("externalTrafficPolicy"):
        changes["externalTrafficPolicy"] = "Cluster"
    if kind in _ROUTED and spec.get("internalTrafficPolicy") is None:
        changes["internalTrafficPolicy"] = "Cluster"
    if kind == _BALANCED and spec.get("allocateLoadBalancerNodePorts") is None:
        changes["allocateLoadBalancerNodePorts"] = True
    return {**spec, **changes} if changes else spec


_TCP: Final = record(zero={"protocol": "TCP"})
_SPEC: Final = chain(
    record(zero={"sessionAffinity": "None", "type": "ClusterIP"}, fields={"ports": each(chain(_TCP, _target))}),
    _sticking,
    _routed,
)


@for_objects
def _mode(ingress: JsonObject) -> JsonObject:
    return {**ingress, "ipMode": "VIP"} if ingress.get("ip") and ingress.get("ipMode") is None else ingress


_BALANCED_STATUS: Final = record(
    fields={"status": record(fields={"loadBalancer": record(fields={"ingress": each(_mode)})})}
)


_SERVICE: Final = record(fields={"spec": _SPEC})


def _service(obj: Json) -> Json:
    held = _SERVICE(obj)
    return _BALANCED_STATUS(held) if type(held) is dict and child_of(held, "spec").get("type") == _BALANCED else held


SERVICE: Final[Rule] = _service
ENDPOINTS: Final = record(fields={"subsets": each(record(fields={"ports": each(_TCP)}))})
ENDPOINT_SLICE: Final = record(fields={"ports": each(record(absent={"name": "", "protocol": "TCP"}))})
