"""Cloud SQL: instances, their databases and users."""

from typing import Final

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.managed.external import Difference
from plumbline.providers.gcp.tables import Creation, Place, Status, Table, Way
from plumbline.providers.rest.secrets import SecretField

_STATES: Final[dict[str, Status]] = {
    "RUNNABLE": Status(),
    "PENDING_CREATE": Status("Creating"),
    "PENDING_DELETE": Status("Deleting"),
    "ONLINE_MAINTENANCE": Status(),
    "MAINTENANCE": Status("Unavailable", "The instance is down for maintenance"),
    "SUSPENDED": Status("Unavailable", "The instance is suspended, for instance because of an unpaid bill"),
    "STOPPED": Status("Unavailable", "The instance is stopped: activationPolicy is NEVER"),
    "REPAIRING": Status("Unavailable", "The instance is being repaired"),
    "FAILED": Status("Unavailable", "The instance could not be created, or an operation on it failed for good"),
}
_CERTIFICATE_KEYS: Final = {
    "serverCACertificateCert": "cert",
    "serverCACertificateCommonName": "commonName",
    "serverCACertificateCreateTime": "createTime",
    "serverCACertificateExpirationTime": "expirationTime",
    "serverCACertificateSha1Fingerprint": "sha1Fingerprint",
}
_ROOTS: Final = {"MYSQL": ("root", "%"), "POSTGRES": ("postgres", ""), "SQLSERVER": ("sqlserver", "")}


def _status(found: JsonObject) -> Status:
    state = str(found.get("state", ""))
    return _STATES.get(state, Status("Unavailable", f"The state of the instance is {state or 'unknown'}"))


def _addresses(found: JsonObject) -> dict[str, str]:
    """The first address of each type: PRIMARY, PRIVATE, OUTGOING."""
    first: dict[str, str] = {}
    for address in found.get("ipAddresses") or ():
        first.setdefault(str(address.get("type", "")), str(address.get("ipAddress", "")))
    return first


def _report(found: JsonObject, _place: Place) -> JsonObject:
    addresses = _addresses(found)
    listed = found.get("ipAddresses") or []
    certificate = found.get("serverCaCert")
    version = (found.get("settings") or {}).get("settingsVersion")
    report: JsonObject = {
        "ipAddress": listed,
        "firstIpAddress": listed[0].get("ipAddress", "") if listed else "",
        "publicIpAddress": addresses.get("PRIMARY", ""),
        "privateIpAddress": addresses.get("PRIVATE", ""),
        "serverCaCert": [{name: certificate.get(name, "") for name in _CERTIFICATE_KEYS.values()}]
        if certificate
        else [],
        "settings": {"version": int(version)} if version else {},
    }
    return {name: value for name, value in report.items() if value}


def _keys(found: JsonObject, _place: Place) -> dict[str, str]:
    addresses = _addresses(found)
    certificate = found.get("serverCaCert") or {}
    return {
        "connectionName": str(found.get("connectionName", "")),
        "privateIP": addresses.get("PRIVATE", ""),
        "publicIP": addresses.get("PRIMARY", ""),
        **{key: str(certificate.get(name, "")) for key, name in _CERTIFICATE_KEYS.items()},
    }


def _protected(wanted: JsonObject, found: JsonObject) -> str:
    if wanted.get("deletionProtection", True) is not False:
        return "deletionProtection is on, as it is unless it is set to false"
    if (found.get("settings") or {}).get("deletionProtectionEnabled"):
        return "settings.deletionProtectionEnabled is on"
    return ""


def _holds(found: JsonObject) -> str:
    settings = found.get("settings") or {}
    return f"{found.get('databaseVersion', 'database')}, {settings.get('dataDiskSizeGb', '?')} GB"


def _settle(differences: tuple[Difference, ...], _wanted: JsonObject, found: JsonObject) -> tuple[Difference, ...]:
    grows = ((found.get("settings") or {}).get("diskAutoresize", True)) is not False
    return tuple(settled for difference in differences if (settled := _settled(difference, grows=grows)))


def _settled(difference: Difference, *, grows: bool) -> Difference | None:
    wanted, found = difference.wanted, difference.found
    match difference.path:
        case "settings.diskSize" if isinstance(found, int | float) and found > wanted:
            # A disk that has grown by itself is as it should be; one that was made too large cannot become smaller.
            return None if grows else msgspec.structs.replace(difference, replaces=True)
        case "settings.diskType" if _disk(wanted) == _disk(found):
            return None
        case "masterInstanceName" if str(found).endswith(f":{wanted}"):
            return None
        case "maintenanceVersion" if str(found) > str(wanted):
            return None
    return difference


def _disk(kind: Json) -> str:
    return str(kind).upper().replace("-", "_")


def _guard(found: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    version = (found.get("settings") or {}).get("settingsVersion")
    return ({"settings": {"settingsVersion": version}} if version else {}), {}


def _clone(wanted: JsonObject, place: Place) -> Creation | None:
    source = wanted.get("clone")
    if not source:
        return None
    context = {
        "kind": "sql#cloneContext",
        "destinationInstanceName": place["name"],
        **{name: source[name] for name in _CLONED if name in source},
    }
    return Creation(
        "instances.clone", {**place, "name": source.get("sourceInstanceName", "")}, {"cloneContext": context}
    )


_CLONED: Final = ("allocatedIpRange", "databaseNames", "pointInTime", "preferredZone", "sourceInstanceDeletionTime")


def _root(found: JsonObject, place: Place) -> dict[str, str]:
    engine = str(found.get("databaseVersion", "")).partition("_")[0]
    user, host = _ROOTS.get(engine, ("root", ""))
    return {**place, "instance": place["name"], "name": user, "host": host}


INSTANCE: Final = Table(
    api="sqladmin.v1",
    required=("databaseVersion",),
    resource="DatabaseInstance",
    collection="instances",
    params={"project": "{project}", "instance": "{name}"},
    identity="{name}",
    operation="operations.get",
    body={"name": "{name}", "project": "{project}"},
    fields={
        "": "databaseVersion region! maintenanceVersion- masterInstanceName! nodeCount-"
        " encryptionKeyName=diskEncryptionConfiguration.kmsKeyName!",
        "settings": "tier edition activationPolicy availabilityType collation! connectorEnforcement dataApiAccess"
        " deletionProtectionEnabled diskSize=dataDiskSizeGb- diskType=dataDiskType! diskAutoresize=storageAutoResize"
        " diskAutoresizeLimit=storageAutoResizeLimit dataDiskProvisionedIops dataDiskProvisionedThroughput"
        " autoUpgradeEnabled enableDataplexIntegration enableGoogleMlIntegration pricingPlan retainBackupsOnDelete"
        " timeZone userLabels",
        "settings.activeDirectoryConfig": "domain",
        "settings.advancedMachineFeatures": "threadsPerCore",
        "settings.backupConfiguration": "enabled startTime location binaryLogEnabled pointInTimeRecoveryEnabled"
        " transactionLogRetentionDays backupTier-",
        "settings.backupConfiguration.backupRetentionSettings": "retainedBackups retentionUnit",
        "settings.connectionPoolConfig[]": "connectionPoolingEnabled",
        "settings.connectionPoolConfig[].flags[]": "name value",
        "settings.dataCacheConfig": "dataCacheEnabled",
        "settings.databaseFlags[]": "name value",
        "settings.denyMaintenancePeriod=denyMaintenancePeriods": "startDate endDate time",
        "settings.finalBackupConfig": "enabled retentionDays",
        "settings.insightsConfig": "queryInsightsEnabled queryPlansPerMinute queryStringLength recordApplicationTags"
        " recordClientAddress enhancedQueryInsightsEnabled",
        "settings.ipConfiguration": "ipv4Enabled privateNetwork@ allocatedIpRange requireSsl sslMode serverCaMode"
        " serverCaPool customSubjectAlternativeNames enablePrivatePathForGoogleCloudServices",
        "settings.ipConfiguration.authorizedNetworks[]": "name value expirationTime",
        "settings.ipConfiguration.pscConfig[]": "pscEnabled allowedConsumerProjects networkAttachmentUri",
        "settings.ipConfiguration.pscConfig[].pscAutoConnections[]": "consumerNetwork@ consumerServiceProjectId=consumerProject",
        "settings.locationPreference": "zone- secondaryZone- followGaeApplication",
        "settings.maintenanceWindow": "day hour updateTrack",
        "settings.passwordValidationPolicy": "enablePasswordPolicy minLength complexity reuseInterval"
        " disallowUsernameSubstring passwordChangeInterval",
        "settings.readPoolAutoScaleConfig": "enabled minNodeCount maxNodeCount disableScaleIn scaleInCooldownSeconds"
        " scaleOutCooldownSeconds",
        "settings.readPoolAutoScaleConfig.targetMetrics[]": "metric targetValue",
        "settings.sqlServerAuditConfig": "bucket retentionInterval uploadInterval",
        "replicaConfiguration": "failoverTarget! cascadableReplica! caCertificate=mysqlReplicaConfiguration.caCertificate!"
        " clientCertificate=mysqlReplicaConfiguration.clientCertificate! clientKey=mysqlReplicaConfiguration.clientKey!"
        " connectRetryInterval=mysqlReplicaConfiguration.connectRetryInterval!"
        " dumpFilePath=mysqlReplicaConfiguration.dumpFilePath!"
        " masterHeartbeatPeriod=mysqlReplicaConfiguration.masterHeartbeatPeriod!"
        " sslCipher=mysqlReplicaConfiguration.sslCipher! username=mysqlReplicaConfiguration.username!"
        " verifyServerCertificate=mysqlReplicaConfiguration.verifyServerCertificate!",
    },
    reports="connectionName instanceType selfLink serviceAccountEmailAddress dnsName pscServiceAttachmentLink"
    " availableMaintenanceVersions state",
    local={"deletionProtection": "boolean", "clone": "object", "restoreBackupContext": "object"},
    refused={
        "restoreBackupContext": "Restore the backup with `gcloud sql backups restore`; the instance stays as it is here."
    },
    secrets=(
        SecretField("rootPasswordSecretRef", ("rootPassword",), "attribute.root_password", ("password",)),
        SecretField(
            "replicaConfiguration.passwordSecretRef",
            ("replicaConfiguration", "mysqlReplicaConfiguration", "password"),
            "attribute.replica_configuration.password",
            final=True,
        ),
    ),
    ways=(
        Way(
            fields=("rootPasswordSecretRef",),
            method="users.update",
            body=lambda body: {"password": body.get("rootPassword")},
            place=_root,
        ),
    ),
    made=_clone,
    report=_report,
    keys=_keys,
    status=_status,
    protected=_protected,
    holds=_holds,
    settle=_settle,
    guard=_guard,
    extra_methods=("instances.clone",),
    unready=frozenset({"invalidState", "instanceNotRunning", "notRunning"}),
)

DATABASE: Final = Table(
    api="sqladmin.v1",
    resource="Database",
    collection="databases",
    params={"project": "{project}", "instance": "{instance}", "database": "{name}"},
    parents=("instance",),
    identity="projects/{project}/instances/{instance}/databases/{name}",
    operation="operations.get",
    body={"name": "{name}", "instance": "{instance}", "project": "{project}"},
    fields={"": "charset collation"},
    reports="selfLink",
    local={"deletionPolicy": "string"},
    abandons=True,
    holds=lambda _found: "a database",
    unready=INSTANCE.unready,
)

USER: Final = Table(
    api="sqladmin.v1",
    resource="User",
    collection="users",
    update="update",
    whole=True,
    params={"project": "{project}", "instance": "{instance}", "name": "{name}", "host": "{host}"},
    parents=("instance", "host"),
    optional_parents=frozenset({"host"}),
    identity="{name}/{host}/{instance}",
    operation="operations.get",
    body={"name": "{name}", "host": "{host}", "instance": "{instance}", "project": "{project}"},
    fields={
        "": "type! databaseRoles",
        "passwordPolicy": "allowedFailedAttempts enableFailedAttemptsCheck enablePasswordVerification"
        " passwordExpirationDuration",
    },
    reports="iamEmail",
    local={"deletionPolicy": "string"},
    secrets=(SecretField("passwordSecretRef", ("password",), "attribute.password", ("password",)),),
    ways=(
        Way(
            fields=("databaseRoles",),
            method="update",
            body=lambda body: {"password": body["password"]} if "password" in body else {},
            query=lambda wanted: (
                ("revokeExistingRoles", "true"),
                *(("databaseRoles", str(role)) for role in wanted.get("databaseRoles") or ()),
            ),
        ),
    ),
    abandons=True,
    unready=INSTANCE.unready,
)

TABLES: Final = (INSTANCE, DATABASE, USER)
