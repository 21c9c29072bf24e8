"""How others get to the pods: people and webhooks, kubeseal, and the API server with its questions."""

from plumbline.base.json import JsonObject
from plumbline.cli.installing.wanted import NAME, SELECTOR, Wanted, metadata
from plumbline.cli.installing.workload import ADMISSION, ADMISSION_PORT, SEALING_PORT, WEB_PORT
from plumbline.secrets.publishing import NAME as KUBESEAL
from plumbline.secrets.publishing import Place, Pods
from plumbline.secrets.publishing import manifests as published


def services(wanted: Wanted) -> list[JsonObject]:
    found = [_service(wanted, NAME, 80, "web", "http")]
    if wanted.admits:
        found.append(_service(wanted, ADMISSION, 443, "admission", "https"))
    if wanted.seals:
        # An API server passes kubeseal on to pods of the Service's own namespace and to nobody else.
        place = Place(wanted.namespace, KUBESEAL)
        found += published(place, Pods(SELECTOR, SEALING_PORT)).values()
    return found


def network_policy(wanted: Wanted) -> JsonObject:
    """Only the ports that are meant for others; of these, the two for API servers only from where these are, if that is said."""
    asked = [port for port, open_ in ((SEALING_PORT, wanted.seals), (ADMISSION_PORT, wanted.admits)) if open_]
    rules: list[JsonObject] = [{"ports": [_port(WEB_PORT)]}]
    if asked:
        whence = [{"ipBlock": {"cidr": each}} for each in wanted.api_servers]
        rules.append({"ports": [_port(port) for port in asked], **({"from": whence} if whence else {})})
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(wanted, NAME),
        "spec": {"podSelector": {"matchLabels": dict(SELECTOR)}, "policyTypes": ["Ingress"], "ingress": rules},
    }


def _port(number: int) -> JsonObject:
    return {"port": number, "protocol": "TCP"}


def _service(wanted: Wanted, name: str, port: int, target: str, called: str) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(wanted, name),
        "spec": {
            "selector": dict(SELECTOR),
            "ports": [{"name": called, "port": port, "targetPort": target, "protocol": "TCP"}],
        },
    }
