"""Compute Engine as its API behaves: what is made is there when its operation is over, fingerprints guard changes."""

import base64
import ipaddress
import re

from .documents import Refusal, merged, writable

API = "compute.v1"
_LINK = "https://www.googleapis.com/compute/v1/"


def _scope(values):
    return f"regions/{values['region']}" if "region" in values else "global"


def _fingerprint(cloud):
    return base64.b64encode(next(cloud.numbers).to_bytes(8)).decode()


def _operate(cloud, kind, values, target, finish):
    number = next(cloud.numbers)
    name = f"operation-{number}"
    path = f"projects/{values['project']}/{_scope(values)}/operations/{name}"
    shown = {
        "kind": "compute#operation",
        "id": str(number),
        "name": name,
        "operationType": kind,
        "status": "RUNNING",
        "progress": 0,
        "targetLink": _LINK + target,
        "selfLink": _LINK + path,
    }
    return cloud.start(shown, target, finish)


def _find(cloud, path):
    if path not in cloud.resources:
        raise Refusal(404, "notFound", f"The resource '{path}' was not found")
    return cloud.resources[path]


class _Collection:
    def __init__(self, collection, schema, single, defaults, checked):
        self.collection = collection
        self.schema = schema
        self.single = single
        self.defaults = defaults
        self.checked = checked

    def path_of(self, values):
        return f"projects/{values['project']}/{_scope(values)}/{self.collection}/{values[self.single]}"

    def insert(self, cloud, asked):
        body = writable(API, self.schema, asked.body)
        name = body.get("name", "")
        if not re.fullmatch(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?", name):
            raise Refusal(400, "invalid", f"Invalid value for field 'resource.name': '{name}'.")
        values = {**asked.values, self.single: name}
        path = self.path_of(values)
        if path in cloud.resources or cloud.busy(path):
            raise Refusal(409, "alreadyExists", f"The resource '{path}' already exists")
        self.checked(cloud, values, body)
        made = {**self.defaults(cloud, values), **body, "selfLink": _LINK + path}
        for link in ("network", "region"):
            if link in made and not made[link].startswith("https://"):
                made[link] = _LINK + made[link]
        return _operate(cloud, "insert", values, path, lambda: cloud.resources.__setitem__(path, made))

    def get(self, cloud, asked):
        return _find(cloud, self.path_of(asked.values))

    def change(self, cloud, asked):
        """What needs no fingerprint."""
        path = self.path_of(asked.values)
        found = _find(cloud, path)
        if cloud.busy(path):
            raise Refusal(400, "resourceNotReady", f"The resource '{path}' is not ready")
        result = merged(found, asked.body)
        if "fingerprint" in found:
            result["fingerprint"] = _fingerprint(cloud)
        return _operate(cloud, "patch", asked.values, path, lambda: cloud.resources.__setitem__(path, result))

    def patch(self, cloud, asked):
        found = _find(cloud, self.path_of(asked.values))
        if "fingerprint" in found and asked.body.get("fingerprint") != found["fingerprint"]:
            raise Refusal(412, "conditionNotMet", "The fingerprint is invalid, or the resource has changed")
        if wrong := set(asked.body) - _CHANGEABLE[self.collection] - {"fingerprint", "name"}:
            raise Refusal(400, "invalid", f"Invalid value for field 'resource.{min(wrong)}': cannot be changed.")
        return self.change(cloud, asked)

    def delete(self, cloud, asked):
        path = self.path_of(asked.values)
        _find(cloud, path)
        users = [key for key, value in cloud.resources.items() if value.get("network", "").endswith(path)]
        if users:
            message = f"The network resource '{path}' is already being used by '{users[0]}'"
            raise Refusal(400, "resourceInUseByAnotherResource", message)
        return _operate(cloud, "delete", asked.values, path, lambda: cloud.resources.pop(path, None))


_CHANGEABLE = {
    "networks": {"routingConfig", "mtu", "networkFirewallPolicyEnforcementOrder", "enableUlaInternalIpv6"},
    "subnetworks": {"secondaryIpRanges", "logConfig", "role", "stackType", "ipv6AccessType", "privateIpv6GoogleAccess"},
}


def _network(cloud, values):
    return {
        "kind": "compute#network",
        "id": str(next(cloud.numbers)),
        "creationTimestamp": "2026-01-01T00:00:00.000-08:00",
        "autoCreateSubnetworks": True,
        "routingConfig": {"routingMode": "REGIONAL"},
        "networkFirewallPolicyEnforcementOrder": "AFTER_CLASSIC_FIREWALL",
    }


def _subnetwork(cloud, values):
    return {
        "kind": "compute#subnetwork",
        "id": str(next(cloud.numbers)),
        "creationTimestamp": "2026-01-01T00:00:00.000-08:00",
        "fingerprint": _fingerprint(cloud),
        "gatewayAddress": "10.0.0.1",
        "privateIpGoogleAccess": False,
        "purpose": "PRIVATE",
        "stackType": "IPV4_ONLY",
        "region": f"projects/{values['project']}/regions/{values['region']}",
    }


def _any(cloud, values, body):
    return None


def _in_a_network(cloud, values, body):
    network = body.get("network", "")
    path = network[network.find("projects/") :]
    if path not in cloud.resources:
        raise Refusal(404, "notFound", f"The resource '{path}' was not found")
    try:
        ipaddress.ip_network(body.get("ipCidrRange", ""))
    except ValueError:
        raise Refusal(400, "invalid", "Invalid value for field 'resource.ipCidrRange'.") from None


_networks = _Collection("networks", "Network", "network", _network, _any)
_subnetworks = _Collection("subnetworks", "Subnetwork", "subnetwork", _subnetwork, _in_a_network)


def operation(cloud, asked):
    found = cloud.operations.get(asked.values["operation"])
    if found is None or f"/{_scope(asked.values)}/operations/" not in found.shown.get("selfLink", ""):
        raise Refusal(404, "notFound", "The operation was not found")
    return found.shown


METHODS = {
    "networks.insert": _networks.insert,
    "networks.get": _networks.get,
    "networks.patch": _networks.patch,
    "networks.delete": _networks.delete,
    "subnetworks.insert": _subnetworks.insert,
    "subnetworks.get": _subnetworks.get,
    "subnetworks.patch": _subnetworks.patch,
    "subnetworks.delete": _subnetworks.delete,
    "subnetworks.expandIpCidrRange": _subnetworks.change,
    "subnetworks.setPrivateIpGoogleAccess": _subnetworks.change,
    "globalOperations.get": operation,
    "regionOperations.get": operation,
}
