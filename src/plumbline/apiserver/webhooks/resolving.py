"""From what a webhook configuration says to the address that is called."""

import posixpath
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from plumbline.apiserver.webhooks.addresses import LocalAddresses, Place
from plumbline.apiserver.webhooks.hooks import ClientConfig, Service
from plumbline.base.errors import WebhookFailed
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

FindService = Callable[[str, str], JsonObject | None]
"""A Service by namespace and name."""


class Target(NamedTuple):
    """`shown` is the address in messages; the connection goes to `url`, which may be another host."""

    shown: str
    url: str
    host: str
    """Of the Host header."""
    name: str
    """What the certificate has to be for."""
    dialled: str
    """Host and port that are connected to."""


def target(client: ClientConfig, addresses: LocalAddresses, find: FindService, query: str) -> Target:
    """Raises WebhookFailed where a service leads nowhere."""
    if client.service is not None:
        return _of_service(client.service, addresses, find, query)
    parts = urlsplit(client.url)
    shown = f"{parts.scheme}://{parts.netloc}{_clean(parts.path)}{query}"
    port = parts.port or (80 if parts.scheme == "http" else 443)
    name = parts.hostname or ""
    return Target(shown, shown, parts.netloc, name, _joined(name, port))


def _of_service(service: Service, addresses: LocalAddresses, find: FindService, query: str) -> Target:
    name = f"{service.name}.{service.namespace}.svc"
    host = f"{name}:{service.port}"
    path = _clean(service.path)
    shown = f"https://{host}{path}{query}"
    try:
        origin = _origin(service, addresses, find)
    except WebhookFailed as nowhere:
        raise WebhookFailed(f"Post {quoted(shown)}: {nowhere.what}") from None
    return Target(shown, f"{origin}{path}{query}", host, name, urlsplit(origin).netloc)


def _origin(service: Service, addresses: LocalAddresses, find: FindService) -> str:
    place = Place("services", service.namespace, service.name, service.port)
    if announced := addresses.url_of(place):
        return announced
    found = find(service.namespace, service.name)
    if found is None:
        raise WebhookFailed(f"service {quoted(service.name)} not found")
    spec = found.get("spec") or {}
    if spec.get("type") == "ExternalName":
        return f"https://{_joined(str(spec.get('externalName')), service.port)}"
    if spec.get("clusterIP") == "None" and spec.get("type", "ClusterIP") == "ClusterIP":
        raise WebhookFailed('cannot route to service with ClusterIP "None"')
    if not any(port.get("port") == service.port for port in spec.get("ports") or ()):
        raise WebhookFailed(f"no service port {service.port} found for service {quoted(service.name)}")
    raise WebhookFailed(f"no endpoints available for service {quoted(service.name)}")


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _clean(path: str) -> str:
    """Without empty and relative parts, nor a slash at its end, as clients of API servers send it."""
    cleaned = posixpath.normpath("/" + unquote(path).lstrip("/"))
    return quote(cleaned, safe="/:@!$&'()*+,;=~")
