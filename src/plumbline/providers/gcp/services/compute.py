"""Compute Engine: networks and their parts."""

import ipaddress
from typing import Final

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.managed.external import Difference
from plumbline.providers.gcp.tables import Place, Table, Way


def _network_report(found: JsonObject, _place: Place) -> JsonObject:
    return {"numericId": str(found["id"])} if "id" in found else {}


def _settle(differences: tuple[Difference, ...], _wanted: JsonObject, _found: JsonObject) -> tuple[Difference, ...]:
    return tuple(
        msgspec.structs.replace(difference, replaces=True)
        if difference.path == "ipCidrRange" and not _expands(difference.wanted, difference.found)
        else difference
        for difference in differences
    )


def _expands(wanted: Json, found: Json) -> bool:
    try:
        larger, smaller = ipaddress.ip_network(str(wanted)), ipaddress.ip_network(str(found))
    except ValueError:
        return False
    return (
        isinstance(larger, ipaddress.IPv4Network)
        and isinstance(smaller, ipaddress.IPv4Network)
        and smaller.subnet_of(larger)
    )


def _guard(found: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    return ({"fingerprint": found["fingerprint"]} if "fingerprint" in found else {}), {}


def _logging(body: JsonObject) -> JsonObject:
    """Settings of a log mean that there is one: the API wants to hear it."""
    return {**body, "logConfig": {"enable": True, **body["logConfig"]}} if body.get("logConfig") else body


NETWORK: Final = Table(
    api="compute.v1",
    resource="Network",
    collection="networks",
    params={"project": "{project}", "network": "{name}"},
    identity="projects/{project}/global/networks/{name}",
    operation="globalOperations.get",
    body={"name": "{name}"},
    hidden_at_first=True,
    fields={
        "": "autoCreateSubnetworks! description! enableUlaInternalIpv6! internalIpv6Range! mtu! networkProfile!@"
        " networkFirewallPolicyEnforcementOrder routingMode=routingConfig.routingMode"
        " bgpAlwaysCompareMed=routingConfig.bgpAlwaysCompareMed"
        " bgpBestPathSelectionMode=routingConfig.bgpBestPathSelectionMode"
        " bgpInterRegionCost=routingConfig.bgpInterRegionCost",
    },
    reports="gatewayIpv4=gatewayIPv4 networkId=id selfLink",
    local={"deleteDefaultRoutesOnCreate": "boolean"},
    refused={"deleteDefaultRoutesOnCreate": "Delete the default route with `gcloud compute routes delete`."},
    report=_network_report,
)

SUBNETWORK: Final = Table(
    api="compute.v1",
    resource="Subnetwork",
    required=("ipCidrRange", "region"),
    collection="subnetworks",
    params={"project": "{project}", "region": "{region}", "subnetwork": "{name}"},
    parents=("region",),
    identity="projects/{project}/regions/{region}/subnetworks/{name}",
    operation="regionOperations.get",
    body={"name": "{name}"},
    hidden_at_first=True,
    fields={
        "": "ipCidrRange network!@global/networks description! externalIpv6Prefix! ipv6AccessType privateIpGoogleAccess"
        " privateIpv6GoogleAccess purpose! reservedInternalRange! role stackType",
        "logConfig": "aggregationInterval filterExpr flowSampling metadata metadataFields",
        "secondaryIpRange[]=secondaryIpRanges": "rangeName ipCidrRange reservedInternalRange",
    },
    reports="creationTimestamp fingerprint gatewayAddress ipv6CidrRange selfLink",
    ways=(
        Way(
            fields=("ipCidrRange",),
            method="expandIpCidrRange",
            body=lambda body: {"ipCidrRange": body.get("ipCidrRange")},
        ),
        Way(
            fields=("privateIpGoogleAccess",),
            method="setPrivateIpGoogleAccess",
            body=lambda body: {"privateIpGoogleAccess": body.get("privateIpGoogleAccess")},
        ),
    ),
    encode=_logging,
    settle=_settle,
    guard=_guard,
)

TABLES: Final = (NETWORK, SUBNETWORK)
