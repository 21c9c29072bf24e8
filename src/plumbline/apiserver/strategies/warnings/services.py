"""Services and where their traffic goes."""

from collections.abc import Iterator, Sequence
from typing import Final

from plumbline.apiserver.strategies.warnings.addresses import cidr_warnings, ip_warnings, listed_ip_warnings
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.base.json import Json, JsonObject

_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_MODE: Final = "service.kubernetes.io/topology-mode"
_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_SLICE_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_SLICE_CONTROLLERS: Final = ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")


def service_warnings(service: JsonObject) -> Sequence[str]:
    return list(_service_warnings(service))


def _service_warnings(service: JsonObject) -> Iterator[str]:
    spec, kind = mapping(service.get("spec")), text(mapping(service.get("spec")).get("type"))
    if _HINTS in mapping(mapping(service.get("metadata")).get("annotations")):
        yield f"annotation {_HINTS} is deprecated, please use {_MODE} instead"
    headless = kind == "ClusterIP" and spec.get("clusterIP") == "None"
    if spec.get("clusterIP") not in (None, "", "None"):
        for index, ip in enumerate(texts(spec.get("clusterIPs"))):
            yield from ip_warnings(f"spec.clusterIPs[{index}]", ip)
    if headless:
        yield from _headless_warnings(spec)
    external = texts(spec.get("externalIPs"))
    for index, ip in enumerate(external):
        yield from ip_warnings(f"spec.externalIPs[{index}]", ip)
    if external and not headless and kind != "ExternalName":
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    yield from ip_warnings("spec.loadBalancerIP", spec.get("loadBalancerIP"))
    for index, source in enumerate(texts(spec.get("loadBalancerSourceRanges"))):
        yield from cidr_warnings(f"spec.loadBalancerSourceRanges[{index}]", source)
    if kind == "ExternalName" and external:
        yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    if kind != "ExternalName" and spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'


def _headless_warnings(spec: JsonObject) -> Iterator[str]:
    if spec.get("loadBalancerIP"):
        yield "spec.loadBalancerIP is ignored for headless services"
    if spec.get("externalIPs"):
        yield "spec.externalIPs is ignored for headless services"
    if spec.get("sessionAffinity") != "None":
        yield "spec.SessionAffinity is ignored for headless services"


def ingress_status_warnings(new: JsonObject, _: JsonObject) -> Sequence[str]:
    """Of the addresses under which a Service or an Ingress is reached."""
    ingress = mappings(mapping(mapping(new.get("status")).get("loadBalancer")).get("ingress"))
    return [
        warning
        for index, each in enumerate(ingress)
        for warning in ip_warnings(f"status.loadBalancer.ingress[{index}]", each.get("ip"))
    ]


def endpoints_warnings(endpoints: JsonObject) -> Sequence[str]:
    labels = mapping(mapping(endpoints.get("metadata")).get("labels"))
    if labels.get(_MANAGED_BY) == "endpoint-controller":
        return ()
    return [
        warning
        for index, subset in enumerate(mappings(endpoints.get("subsets")))
        for field in ("addresses", "notReadyAddresses")
        for warning in listed_ip_warnings(f"subsets[{index}].{field}", subset.get(field), "ip")
    ]


def slice_warnings(endpoints: JsonObject) -> list[str]:
    labels = mapping(mapping(endpoints.get("metadata")).get("labels"))
    if labels.get(_SLICE_MANAGED_BY) in _SLICE_CONTROLLERS:
        return []
    return [
        warning
        for index, endpoint in enumerate(mappings(endpoints.get("endpoints")))
        for place, address in enumerate(texts(endpoint.get("addresses")))
        for warning in ip_warnings(f"endpoints[{index}].addresses[{place}]", address)
    ]


def network_policy_warnings(policy: JsonObject) -> Sequence[str]:
    spec = mapping(policy.get("spec"))
    return [
        warning
        for direction, peers in (("ingress", "from"), ("egress", "to"))
        for index, rule in enumerate(mappings(spec.get(direction)))
        for place, peer in enumerate(mappings(rule.get(peers)))
        for warning in _block_warnings(f"spec.{direction}[{index}].{peers}[{place}].ipBlock", peer.get("ipBlock"))
    ]


def _block_warnings(field: str, block: Json) -> Iterator[str]:
    if not isinstance(block, dict):
        return
    yield from cidr_warnings(f"{field}.cidr", block.get("cidr"))
    for index, excepted in enumerate(texts(block.get("except"))):
        yield from cidr_warnings(f"{field}.except[{index}]", excepted)
