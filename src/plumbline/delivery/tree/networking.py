"""Where objects lead: what they send traffic to, and addresses at which people reach them. Pure.

Addresses come from manifests, so that none is shown which a browser would run instead of open: http and https only.
"""

from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import urlsplit

from plumbline.base.json import Json, JsonObject
from plumbline.delivery.tree.reading import below, number, records, text, texts

LINK: Final = "link.argocd.argoproj.io/"
WITHOUT_LINKS: Final = "argocd.argoproj.io/ignore-default-links"
_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_GATEWAYS: Final = "gateway.networking.k8s.io"
_PORTS: Final = {"http": 80, "https": 443}
_ROUTES: Final = frozenset({"HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute"})


def harmless(url: str) -> bool:
    """Whether *url* is one that may be a link."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in _PORTS and url.isprintable() and url[: len(parts.scheme)].isalpha()


def links(obj: JsonObject) -> list[str]:
    """What annotations name, as `URL` or as `title|URL`."""
    said = texts(obj, "metadata", "annotations")
    found = (value for key, value in sorted(said.items()) if key.startswith(LINK))
    return [each for each in found if harmless(each.partition("|")[2] if "|" in each else each)]


def networking(group: str, kind: str, obj: JsonObject) -> JsonObject:
    """What `networkingInfo` says of an object that is no pod; empty for nothing."""
    urls = links(obj)
    found: JsonObject = {}
    if (group, kind) == ("", "Service"):
        balanced = text(obj, "spec", "type") == "LoadBalancer"
        found = {"targetLabels": texts(obj, "spec", "selector"), "ingress": _ingress(obj) if balanced else []}
    elif kind == "Ingress" and group in {"extensions", "networking.k8s.io"}:
        found = {"targetRefs": _refs(_backends(obj)), "ingress": _ingress(obj)}
        urls += _wanted(obj, _ingress_urls(obj))
    elif (group, kind) == (_GATEWAYS, "Gateway"):
        found = {"ingress": _addresses(obj)}
        urls += _wanted(obj, _gateway_urls(obj))
    elif group == _GATEWAYS and kind in _ROUTES:
        found = {"targetRefs": _refs(_route_targets(obj))}
    elif (group, kind) == ("networking.istio.io", "VirtualService"):
        found = {"targetRefs": _refs(_istio_targets(obj))}
    elif (group, kind) == ("networking.istio.io", "ServiceEntry") and below(obj, "spec", "workloadSelector"):
        found = {"targetLabels": texts(obj, "spec", "workloadSelector", "labels"), "targetRefs": [{"kind": "Pod"}]}
    return {name: value for name, value in {**found, "externalURLs": urls}.items() if value}


def _wanted(obj: JsonObject, urls: Iterable[str]) -> list[str]:
    if texts(obj, "metadata", "annotations").get(WITHOUT_LINKS) in _TRUE:
        return []
    return sorted({each for each in urls if harmless(each)})


def _refs(found: Iterable[tuple[str, str, str, str]]) -> list[JsonObject]:
    parts = ("group", "kind", "namespace", "name")
    return [
        {part: value for part, value in zip(parts, each, strict=True) if value}
        for each in sorted(set(found))
        if each[-1]
    ]


def _ingress(obj: JsonObject) -> list[JsonObject]:
    found = []
    for each in records(obj, "status", "loadBalancer", "ingress"):
        if each.get("hostname"):
            found.append({"hostname": str(each["hostname"])})
        elif each.get("ip"):
            found.append({"ip": str(each["ip"])})
    return found


def _backends(obj: JsonObject) -> Iterator[tuple[str, str, str, str]]:
    namespace = text(obj, "metadata", "namespace")
    spec = below(obj, "spec")
    paths = (path for rule in records(spec, "rules") for path in records(rule, "http", "paths"))
    backends = [below(spec, "backend"), below(spec, "defaultBackend"), *(below(path, "backend") for path in paths)]
    for each in backends:
        yield "", "Service", namespace, text(each, "service", "name") or text(each, "serviceName")


def _ingress_urls(obj: JsonObject) -> Iterator[str]:
    published = next((each.get("hostname") or each.get("ip") for each in _ingress(obj)), "")
    for rule in records(obj, "spec", "rules"):
        host = text(rule, "host") or published
        for path in records(rule, "http", "paths"):
            if host:
                yield f"{_scheme(obj, host)}://{host}{text(path, 'path').removesuffix('*')}"


def _scheme(obj: JsonObject, host: str) -> str:
    for each in records(obj, "spec", "tls"):
        hosts = each.get("hosts")
        if each.get("secretName") or (isinstance(hosts, list) and host in hosts):
            return "https"
    return "http"


def _addresses(gateway: JsonObject) -> list[JsonObject]:
    names = {"Hostname": "hostname", "IPAddress": "ip", "": "ip"}
    found = [(names.get(text(each, "type")), text(each, "value")) for each in records(gateway, "status", "addresses")]
    return [{name: value} for name, value in found if name and value]


def _gateway_urls(gateway: JsonObject) -> Iterator[str]:
    published = [next(iter(each.values())) for each in _addresses(gateway)]
    for listener in records(gateway, "spec", "listeners"):
        scheme = "https" if text(listener, "protocol") in {"HTTPS", "TLS"} else "http"
        port = number(listener, "port")
        shown = "" if port == _PORTS[scheme] else f":{port}"
        host = text(listener, "hostname")
        for each in [host] if host not in {"", "*"} else published:
            yield f"{scheme}://{each}{shown}"


def _route_targets(route: JsonObject) -> Iterator[tuple[str, str, str, str]]:
    own = text(route, "metadata", "namespace")
    for each in records(route, "spec", "parentRefs"):
        yield _target(each, own, _GATEWAYS, "Gateway")
    for rule in records(route, "spec", "rules"):
        for each in records(rule, "backendRefs"):
            yield _target(each, own, "", "Service")


def _target(ref: Json, own: str, group: str, kind: str) -> tuple[str, str, str, str]:
    return text(ref, "group") or group, text(ref, "kind") or kind, text(ref, "namespace") or own, text(ref, "name")


def _istio_targets(service: JsonObject) -> Iterator[tuple[str, str, str, str]]:
    own = text(service, "metadata", "namespace")
    for rule in records(service, "spec", "http"):
        for route in records(rule, "route"):
            name, _, rest = text(route, "destination", "host").partition(".")
            yield "", "Service", rest.partition(".")[0] or own, name
