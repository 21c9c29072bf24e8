"""Network policies and classes of ingress."""

from typing import Final

from plumbline.apiserver.defaults.rules import chain, each, for_objects, record
from plumbline.base.json import JsonObject

_PORTS: Final = each(record(fields={"ports": each(record(absent={"protocol": "TCP"}))}))


@for_objects
def _directions(spec: JsonObject) -> JsonObject:
    if spec.get("policyTypes"):
        return spec
    return {**spec, "policyTypes": ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]}


NETWORK_POLICY: Final = record(
    fields={"spec": chain(_directions, record(fields={"ingress": _PORTS, "egress": _PORTS}))}
)
INGRESS_CLASS: Final = record(fields={"spec": record(fields={"parameters": record(absent={"scope": "Cluster"})})})
