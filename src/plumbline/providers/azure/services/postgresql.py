"""Azure Database for PostgreSQL: flexible servers, and what is in them."""

from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.managed.external import Difference
from plumbline.providers.azure.tables import Purpose, Reset, Status, Table
from plumbline.providers.rest.secrets import SecretField

VERSION: Final = "2025-08-01"
_PORT: Final = "5432"
_TIERS: Final = {"B": "Burstable", "GP": "GeneralPurpose", "MO": "MemoryOptimized"}
_OFF: Final = "Disabled"
_STATES: Final[dict[str, Status]] = {
    "Ready": Status(),
    "Updating": Status(busy=True),
    "Provisioning": Status("Creating", busy=True),
    "Dropping": Status("Deleting", busy=True),
    "Starting": Status("Unavailable", "The server is starting", busy=True),
    "Restarting": Status("Unavailable", "The server is restarting", busy=True),
    "Stopping": Status("Unavailable", "The server is stopping", busy=True),
    "Stopped": Status("Unavailable", "The server is stopped, and Azure starts it again after seven days"),
    "Disabled": Status("Unavailable", "The server is disabled"),
    "Inaccessible": Status("Unavailable", "The server cannot reach its encryption key"),
}


def _properties(found: JsonObject) -> JsonObject:
    return found.get("properties") or {}


def _status(found: JsonObject) -> Status:
    state = str(_properties(found).get("state", ""))
    return _STATES.get(state, Status("Unavailable", f"The state of the server is {state or 'unknown'}"))


def _encode(body: JsonObject, purpose: Purpose) -> JsonObject:
    result = dict(body)
    properties = dict(_properties(body))
    if "sku" in body:
        result["sku"] = _sku(str(body["sku"]["name"]))
    if "identity" in body:
        result["identity"] = _identity(body["identity"])
    if "dataEncryption" in properties:
        properties["dataEncryption"] = {**properties["dataEncryption"], "type": "AzureKeyVault"}
    if "maintenanceWindow" in properties:
        window = {"dayOfWeek": 0, "startHour": 0, "startMinute": 0, **properties["maintenanceWindow"]}
        properties["maintenanceWindow"] = {**window, "customWindow": "Enabled"}
    if purpose == "update" and "highAvailability" in properties:
        # Azure chooses the zone of the standby at creation, and takes none afterwards.
        properties["highAvailability"] = {"mode": properties["highAvailability"].get("mode", _OFF)}
    return {**result, "properties": properties} if properties else result


def _sku(name: str) -> JsonObject:
    tier, _, rest = name.partition("_")
    if tier not in _TIERS or not rest:
        hint = "Use B_Standard_B1ms, GP_Standard_D2s_v3, MO_Standard_E4s_v3 or another one of these three tiers."
        raise InvalidInput("spec.forProvider.skuName cannot be used", why=f"{name!r} has no known tier", hint=hint)
    return {"name": rest, "tier": _TIERS[tier]}


def _identity(said: JsonObject) -> JsonObject:
    kind = str(said.get("type", "")).replace(" ", "")
    listed = said.get("identityIds") or ()
    return {"type": kind, **({"userAssignedIdentities": {str(one): {} for one in listed}} if listed else {})}


def _decode(found: JsonObject) -> JsonObject:
    """The inverse of `_encode`; what is switched off is left out."""
    result = dict(found)
    properties = dict(_properties(found))
    if sku := found.get("sku"):
        short = next((ours for ours, theirs in _TIERS.items() if theirs == sku.get("tier")), sku.get("tier"))
        result["sku"] = {"name": f"{short}_{sku.get('name')}"}
    identity = found.get("identity") or {}
    listed = sorted(identity.get("userAssignedIdentities") or ())
    result["identity"] = {
        "type": str(identity.get("type", "")).replace(",", ", ").replace("None", ""),
        **({"identityIds": listed} if listed else {}),
    }
    if (properties.get("dataEncryption") or {}).get("type") != "AzureKeyVault":
        properties.pop("dataEncryption", None)
    if (properties.get("maintenanceWindow") or {}).get("customWindow") != "Enabled":
        properties.pop("maintenanceWindow", None)
    if (properties.get("highAvailability") or {}).get("mode", _OFF) == _OFF:
        properties.pop("highAvailability", None)
    return {**result, "properties": properties}


def _keys(found: JsonObject) -> dict[str, str]:
    properties = _properties(found)
    login = str(properties.get("administratorLogin") or "")
    endpoint = str(properties.get("fullyQualifiedDomainName") or "")
    return {
        "endpoint": endpoint,
        "port": _PORT if endpoint else "",
        "username": f"{login}@{found.get('name', '')}" if login else "",
    }


def _holds(found: JsonObject) -> str:
    return f"database, {(_properties(found).get('storage') or {}).get('storageSizeGB', '?')} GB"


def _settle(differences: tuple[Difference, ...], wanted: JsonObject, found: JsonObject) -> tuple[Difference, ...]:
    kept = tuple(settled for difference in differences if (settled := _settled(difference, found)))
    return kept if not _failed_over(wanted, found) else tuple(one for one in kept if one.path not in _ZONES)


_STANDBY: Final = "highAvailability.standbyAvailabilityZone"
_ZONES: Final = frozenset({"zone", _STANDBY})


def _failed_over(wanted: JsonObject, found: JsonObject) -> bool:
    """A failover exchanges the two zones: that is as it should be, and no reason for another one."""
    ours, theirs = _zones(wanted), _zones(found)
    return ours[0] == theirs[1] and ours[1] in {None, theirs[0]}


def _zones(said: JsonObject) -> tuple[Json, Json]:
    return said.get("zone"), (said.get("highAvailability") or {}).get("standbyAvailabilityZone")


def _settled(difference: Difference, found: JsonObject) -> Difference | None:
    wanted, is_there = difference.wanted, difference.found
    match difference.path:
        case "storageMb" if isinstance(is_there, int | float) and is_there > wanted:
            # A disk that has grown by itself is as it should be; one that was made too large cannot become smaller.
            return None if found.get("autoGrowEnabled") else msgspec.structs.replace(difference, replaces=True)
        case "version" if str(is_there).isdigit() and str(wanted).isdigit() and int(is_there) > int(wanted):
            return msgspec.structs.replace(difference, replaces=True)
        case "highAvailability.mode" if wanted == _OFF and is_there is None:
            return None
        case "highAvailability.standbyAvailabilityZone" if not (found.get("highAvailability") or {}).get("mode"):
            # There is no standby yet: its zone is settled when there is one.
            return None
        case "replicationRole" if wanted == "None" and is_there in {None, "Primary"}:
            return None
        case "sourceServerId" if is_there is None:
            # Azure tells it for replicas only.
            return None
    return difference


SERVER: Final = Table(
    type="Microsoft.DBforPostgreSQL/flexibleServers",
    version=VERSION,
    identity="/subscriptions/{subscription}/resourceGroups/{resourceGroupName}/providers/Microsoft.DBforPostgreSQL"
    "/flexibleServers/{name}",
    parents=("resourceGroupName",),
    fields={
        "": "location=/location!^ version skuName=/sku.name administratorLogin! zone=availabilityZone!-"
        " storageMb:int32=storage.storageSizeGB- storageTier=storage.tier- autoGrowEnabled:boolean=storage.autoGrow~"
        " backupRetentionDays:int32=backup.backupRetentionDays"
        " geoRedundantBackupEnabled:boolean=backup.geoRedundantBackup!~"
        " delegatedSubnetId=network.delegatedSubnetResourceId!^"
        " privateDnsZoneId=network.privateDnsZoneArmResourceId^"
        " publicNetworkAccessEnabled:boolean=network.publicNetworkAccess~"
        " createMode+ pointInTimeRestoreTimeInUtc=pointInTimeUTC+ sourceServerId=sourceServerResourceId!^"
        " replicationRole-",
        "authentication=authConfig": "activeDirectoryAuthEnabled:boolean=activeDirectoryAuth~"
        " passwordAuthEnabled:boolean=passwordAuth~ tenantId",
        "customerManagedKey=dataEncryption": "keyVaultKeyId=primaryKeyURI! geoBackupKeyVaultKeyId=geoBackupKeyURI!"
        " primaryUserAssignedIdentityId!^ geoBackupUserAssignedIdentityId!^",
        "highAvailability": f"mode {_STANDBY.partition('.')[2]}!-",
        "identity=/identity": "type identityIds:[]string^",
        "maintenanceWindow": "dayOfWeek:int32 startHour:int32 startMinute:int32",
    },
    scales={"storageMb": 1024},
    reports="fqdn=fullyQualifiedDomainName",
    local={"autoGeneratePassword": "boolean", "administratorPasswordWoVersion": "int32"},
    tagged=True,
    required=("location",),
    refused={"administratorPasswordWo": "Put it into a Secret, and name that in administratorPasswordSecretRef."},
    secrets=(
        SecretField(
            "administratorPasswordSecretRef",
            ("properties", "administratorLoginPassword"),
            "attribute.administrator_password",
            ("password",),
        ),
    ),
    unsaid=("maintenanceWindow", "replicationRole"),
    alone=(("storageMb", "storageTier", "autoGrowEnabled"), ("replicationRole",), ("version",)),
    encode=_encode,
    decode=_decode,
    status=_status,
    keys=_keys,
    holds=_holds,
    settle=_settle,
)

_SERVER: Final = {"serverId": SERVER.identity}

DATABASE: Final = Table(
    type="Microsoft.DBforPostgreSQL/flexibleServers/databases",
    version=VERSION,
    identity="{serverId}/databases/{name}",
    parents=("serverId",),
    within=_SERVER,
    update="PUT",
    fields={"": "charset!^ collation!^"},
    holds=lambda _found: "a database",
)

FIREWALL_RULE: Final = Table(
    type="Microsoft.DBforPostgreSQL/flexibleServers/firewallRules",
    version=VERSION,
    identity="{serverId}/firewallRules/{name}",
    parents=("serverId",),
    within=_SERVER,
    update="PUT",
    fields={"": "startIpAddress endIpAddress"},
    required=("endIpAddress", "startIpAddress"),
)


def _overridden(body: JsonObject, _purpose: Purpose) -> JsonObject:
    return {"properties": {**_properties(body), "source": "user-override"}}


def _switches_alike(
    differences: tuple[Difference, ...], _wanted: JsonObject, _found: JsonObject
) -> tuple[Difference, ...]:
    """PostgreSQL's switches are the same in any letters."""
    return tuple(
        one
        for one in differences
        if not (str(one.wanted).lower() in {"on", "off"} and str(one.wanted).lower() == str(one.found).lower())
    )


def _pending(found: JsonObject) -> Status:
    waits = _properties(found).get("isConfigPendingRestart")
    return Status(message="The value is in effect after the server was restarted" if waits else "")


CONFIGURATION: Final = Table(
    type="Microsoft.DBforPostgreSQL/flexibleServers/configurations",
    version=VERSION,
    identity="{serverId}/configurations/{name}",
    parents=("serverId",),
    within=_SERVER,
    named_by="name",
    update="PUT",
    fields={"": "value"},
    required=("name", "value"),
    encode=_overridden,
    settle=_switches_alike,
    status=_pending,
    restarts="serverId",
    reset=Reset(
        body=lambda found: _overridden({"properties": {"value": _properties(found).get("defaultValue", "")}}, "update"),
        ours=lambda found: _properties(found).get("source") == "user-override",
        undone=lambda found: _properties(found).get("value") == _properties(found).get("defaultValue"),
    ),
)

TABLES: Final = (SERVER, DATABASE, FIREWALL_RULE, CONFIGURATION)
