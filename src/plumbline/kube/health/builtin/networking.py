"""Service and Ingress, which wait for the address that a load balancer gives."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.builtin.versions import only
from plumbline.kube.health.reading import items, part, parts
from plumbline.kube.health.rules import Rule
from plumbline.kube.health.status import Health, Status

_WELL = Health(Status.HEALTHY)
_WAITING = Health(Status.PROGRESSING)


def service(obj: JsonObject) -> Health:
    if part(obj, "spec").get("type") != "LoadBalancer":
        return _WELL
    return _WELL if parts(part(part(obj, "status"), "loadBalancer"), "ingress") else _WAITING


def ingress(obj: JsonObject) -> Health:
    return _WELL if items(obj, "status", "loadBalancer", "ingress") else _WAITING


RULES: Mapping[str, Rule] = {
    "/Service": (only("v1", called="Service", step=service),),
    "networking.k8s.io/Ingress": (ingress,),
    "extensions/Ingress": (ingress,),
}
