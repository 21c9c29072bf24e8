"""Memorystore for Redis."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.managed.external import Difference
from plumbline.providers.gcp.tables import Place, Status, Table, Way

_STATES: Final[dict[str, Status]] = {
    "READY": Status(),
    "CREATING": Status("Creating"),
    "DELETING": Status("Deleting"),
    "UPDATING": Status(),
    "MAINTENANCE": Status("Unavailable", "The instance is under maintenance"),
    "REPAIRING": Status("Unavailable", "The instance is being repaired"),
    "IMPORTING": Status("Unavailable", "The instance is importing"),
    "FAILING_OVER": Status("Unavailable", "The instance is failing over"),
}


def _status(found: JsonObject) -> Status:
    state = str(found.get("state", ""))
    why = str(found.get("statusMessage", "")) or f"The state of the instance is {state or 'unknown'}"
    return _STATES.get(state, Status("Unavailable", why))


def _report(found: JsonObject, _place: Place) -> JsonObject:
    reserved = found.get("reservedIpRange")
    report = {
        "effectiveReservedIpRange": reserved,
        "nodes": found.get("nodes"),
        "serverCaCerts": found.get("serverCaCerts"),
    }
    return {name: value for name, value in report.items() if value}


def _keys(found: JsonObject, _place: Place) -> dict[str, str]:
    certificates = enumerate(found.get("serverCaCerts") or ())
    return {
        "host": str(found.get("host", "")),
        "port": str(found.get("port", "")),
        **{f"server_ca_certs_{at}_cert": str(certificate.get("cert", "")) for at, certificate in certificates},
    }


def _settle(differences: tuple[Difference, ...], _wanted: JsonObject, _found: JsonObject) -> tuple[Difference, ...]:
    # A range that was given by its name is shown as the addresses that were taken from it.
    return tuple(
        difference
        for difference in differences
        if not (difference.path == "reservedIpRange" and "/" not in str(difference.wanted))
    )


def _protected(wanted: JsonObject, _found: JsonObject) -> str:
    return "deletionProtection is on" if wanted.get("deletionProtection") is True else ""


INSTANCE: Final = Table(
    api="redis.v1",
    resource="Instance",
    required=("memorySizeGb", "region"),
    collection="projects.locations.instances",
    create="create",
    mask="query",
    params={
        "parent": "projects/{project}/locations/{region}",
        "name": "projects/{project}/locations/{region}/instances/{name}",
        "instanceId": "{name}",
    },
    parents=("region",),
    identity="projects/{project}/locations/{region}/instances/{name}",
    operation="projects.locations.operations.get",
    fields={
        "": "memorySizeGb tier! redisVersion displayName alternativeLocationId! authEnabled"
        " authorizedNetwork!@global/networks connectMode! customerManagedKey! labels locationId! maintenanceVersion-"
        " readReplicasMode redisConfigs replicaCount reservedIpRange! secondaryIpRange transitEncryptionMode!",
        "maintenancePolicy": "description",
        "maintenancePolicy.weeklyMaintenanceWindow[]": "day",
        "maintenancePolicy.weeklyMaintenanceWindow[].startTime": "hours minutes seconds nanos",
        "persistenceConfig": "persistenceMode rdbSnapshotPeriod rdbSnapshotStartTime-",
    },
    reports="createTime currentLocationId host port persistenceIamIdentity readEndpoint readEndpointPort",
    local={"deletionProtection": "boolean"},
    ways=(
        Way(fields=("redisVersion",), method="upgrade", body=lambda body: {"redisVersion": body.get("redisVersion")}),
    ),
    report=_report,
    keys=_keys,
    revealed={"attribute.auth_string": ("getAuthString", "authString", "authEnabled")},
    status=_status,
    protected=_protected,
    holds=lambda found: f"a Redis database, {found.get('memorySizeGb', '?')} GB",
    settle=_settle,
)

TABLES: Final = (INSTANCE,)
