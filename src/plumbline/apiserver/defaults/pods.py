"""Pods, and templates of pods wherever a kind has one.

A template gets less than a pod: what depends on the pod as a whole (requests from limits, ports of the host's network,
service links) is decided when the pod is made.
"""

from typing import Final

from plumbline.apiserver.defaults.containers import CONTAINERS
from plumbline.apiserver.defaults.podresources import with_requests
from plumbline.apiserver.defaults.quantities import AMOUNTS, REQUIREMENTS
from plumbline.apiserver.defaults.rules import Rule, chain, child_of, each, for_objects, record, without
from plumbline.apiserver.defaults.volumes import VOLUMES
from plumbline.base.json import Json, JsonObject

_INIT_CONTAINER_ANNOTATIONS: Final = tuple(
    f"pod.{stage}.kubernetes.io/init-{what}"
    for stage in ("alpha", "beta")
    for what in ("containers", "container-statuses")
)


@for_objects
def _modern_metadata(metadata: JsonObject) -> JsonObject:
    """Without annotations by which ancient nodes would run init containers once more."""
    annotations = child_of(metadata, "annotations")
    kept = without(annotations, *_INIT_CONTAINER_ANNOTATIONS)
    if kept is annotations:
        return metadata
    return {**metadata, "annotations": kept} if kept else without(metadata, "annotations")


@for_objects
def _one_account(spec: JsonObject) -> JsonObject:
    """The account under both of its names, the newer one deciding."""
    account, alias = spec.get("serviceAccountName"), spec.get("serviceAccount")
    if account == alias or not (account or alias):
        return spec
    return {**spec, "serviceAccountName": account or alias, "serviceAccount": account or alias}


_POD_SPEC: Final = chain(
    record(
        zero={"dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler"},
        absent={"terminationGracePeriodSeconds": 30},
        made={"securityContext": dict},
        fields={
            "volumes": VOLUMES,
            "initContainers": CONTAINERS,
            "containers": CONTAINERS,
            "ephemeralContainers": CONTAINERS,
            "overhead": AMOUNTS,
            "resources": REQUIREMENTS,
        },
    ),
    _one_account,
)

POD_TEMPLATE: Final = record(fields={"metadata": _modern_metadata, "spec": _POD_SPEC})
"""The template of a pod."""


@for_objects
def _host_port(port: JsonObject) -> JsonObject:
    wanted = port.get("containerPort")
    return port if port.get("hostPort") or not wanted else {**port, "hostPort": wanted}


_ON_HOST_NETWORK: Final = each(record(fields={"ports": each(_host_port)}))
_WITH_HOST_PORTS: Final = record(fields={"containers": _ON_HOST_NETWORK, "initContainers": _ON_HOST_NETWORK})


@for_objects
def _whole_pod(spec: JsonObject) -> JsonObject:
    held = with_requests(spec)
    if held.get("hostNetwork"):
        held = _WITH_HOST_PORTS(held)
    grace_s = held.get("terminationGracePeriodSeconds")
    changes: JsonObject = {}
    if isinstance(grace_s, int) and grace_s < 0:
        changes["terminationGracePeriodSeconds"] = 1
    if held.get("enableServiceLinks") is None:
        changes["enableServiceLinks"] = True
    return {**held, **changes} if changes else held


def _one_address(status: Json) -> Json:
    """Addresses in both of their fields: the list's first is the single one, which decides where they differ."""
    if type(status) is not dict:
        return status
    address, addresses = status.get("podIP"), status.get("podIPs")
    listed = addresses[0].get("ip") if type(addresses) is list and addresses and type(addresses[0]) is dict else None
    if address:
        return status if address == listed else {**status, "podIPs": [{"ip": address}]}
    return {**status, "podIP": listed} if listed else status


_CONTAINER_STATUSES: Final = each(record(fields={"allocatedResources": AMOUNTS, "resources": REQUIREMENTS}))
_STATUS: Final = record(
    fields={
        "initContainerStatuses": _CONTAINER_STATUSES,
        "containerStatuses": _CONTAINER_STATUSES,
        "ephemeralContainerStatuses": _CONTAINER_STATUSES,
        "allocatedResources": AMOUNTS,
        "resources": REQUIREMENTS,
    }
)

POD: Final[Rule] = record(
    fields={
        "metadata": _modern_metadata,
        "spec": chain(_whole_pod, _POD_SPEC),
        "status": chain(_STATUS, _one_address),
    }
)
POD_TEMPLATE_KIND: Final[Rule] = record(fields={"template": POD_TEMPLATE})
"""The kind that is nothing but a template."""
