"""RDS: databases and clusters of them. Codes and words as its API gives them; values from its user guide."""

from collections.abc import Mapping
from typing import Any, Final

from plumbline.providers.sandbox.calls import Call, Refusal, World
from plumbline.providers.sandbox.rules import rds_catalogue as catalogue
from plumbline.providers.sandbox.rules.rule import Objection, Rule, between, matches, one_of
from plumbline.providers.sandbox.rules.windows import daily, overlap, weekly

_IDENTIFIER: Final = r"[A-Za-z](?:-?[A-Za-z0-9]){0,62}"
_IDENTIFIER_TEXT: Final = (
    "The parameter {name} is not a valid identifier. Identifiers must begin with a letter; must contain only ASCII letters, "
    "digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens."
)
_AZS: Final = 2
_IOPS: Final = ("io1", "io2")


def _engine(call: Call, world: World) -> str:
    """As the call says it, or as the thing that it changes has it."""
    return str(call["Engine"] or _instance(call, world).get("engine", ""))


def _instance(call: Call, world: World) -> Mapping[str, Any]:
    return world.found("db-instance", str(call["DBInstanceIdentifier"])) or {}


def _class(call: Call, world: World) -> Objection:
    name = call["DBInstanceClass"]
    engine = _engine(call, world)
    if name is None or name == "db.serverless":
        return None
    prefix, family, size = (*str(name).split("."), "", "")[:3]
    if prefix == "db" and family in catalogue.RETIRED:
        return Refusal("InvalidParameterCombination", _combination(call, world, engine))
    if prefix != "db" or size not in catalogue.CLASSES.get(family, ()):
        return f"Invalid DB Instance class: {name}"
    return None


def _combination(call: Call, world: World, engine: str) -> str:
    version = call["EngineVersion"] or _instance(call, world).get("engine_version", "default")
    return (
        f"RDS does not support creating a DB instance with the following combination: DBInstanceClass={call['DBInstanceClass']}, "
        f"Engine={engine}, EngineVersion={version}. For supported combinations of instance class and database engine version, "
        "see the documentation."
    )


def _version(call: Call, world: World) -> Objection:
    version, engine = call["EngineVersion"], _engine(call, world)
    if version is None or catalogue.offered(engine, str(version)):
        return None
    return f"Cannot find version {version} for {engine}"


def _upgrade(call: Call, world: World) -> Objection:
    wanted, present = call["EngineVersion"], str(_instance(call, world).get("engine_version", ""))
    engine = _engine(call, world)
    if wanted is None or not present or wanted == catalogue.major(engine, present):
        return None
    if catalogue.numbers(str(wanted)) < catalogue.numbers(present)[: len(catalogue.numbers(str(wanted)))]:
        return f"Cannot upgrade {engine} from {present} to {wanted}"
    if (
        catalogue.major(engine, str(wanted)) != catalogue.major(engine, present)
        and not call["AllowMajorVersionUpgrade"]
    ):
        return "The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version."
    return None


def _storage(call: Call, world: World) -> Objection:
    size, engine = call["AllocatedStorage"], _engine(call, world)
    kind = str(call["StorageType"] or _instance(call, world).get("storage_type") or ("io1" if call["Iops"] else "gp2"))
    if size is None or engine not in catalogue.OPEN_ENGINES:
        return None
    low, high = catalogue.STORAGE.get(kind, (0, 0))
    if not low:
        return f"Invalid storage type: {kind}"
    return (
        None
        if low <= size <= high
        else f"Invalid storage size for engine name {engine} and storage type {kind}: {size}"
    )


def _storage_needed(call: Call, world: World) -> Objection:
    """Aurora keeps storage in its clusters; a copy has that of its source."""
    if (
        call["AllocatedStorage"] is not None
        or _engine(call, world) not in catalogue.OPEN_ENGINES
        or call["DBClusterIdentifier"]
    ):
        return None
    return "The parameter AllocatedStorage must be provided and must not be blank."


def _growth(call: Call, world: World) -> Objection:
    present, wanted = _instance(call, world).get("allocated_storage"), call["AllocatedStorage"]
    if wanted is None or not present or wanted >= int(present):
        return None
    return f"Invalid storage size: the allocated storage of {present} GiB can be increased, but not decreased to {wanted} GiB."


def _autoscaling(call: Call, world: World) -> Objection:
    most = call["MaxAllocatedStorage"]
    size = call["AllocatedStorage"] or _instance(call, world).get("allocated_storage") or 0
    if most is None or most >= int(size):
        return None
    return "Max storage size must be greater than storage size"


def _iops(call: Call, world: World) -> Objection:
    kind = call["StorageType"] or _instance(call, world).get("storage_type")
    if call["Iops"] is not None and kind in {"gp2", "standard"}:
        return f"You can't specify IOPS for storage type {kind}."
    if call["StorageType"] in _IOPS and call["Iops"] is None and not _instance(call, world).get("iops"):
        return f"You must specify IOPS for storage type {kind}."
    return None


def _username(call: Call, world: World) -> Objection:
    name, engine = call["MasterUsername"], _engine(call, world)
    if name is None:
        needed = (
            call.operation == "CreateDBInstance"
            and not call["DBClusterIdentifier"]
            and engine in catalogue.OPEN_ENGINES
        )
        return "The parameter MasterUsername must be provided and must not be blank." if needed else None
    if str(name).lower() in catalogue.RESERVED.get(engine, ()):
        return f"MasterUsername {name} cannot be used as it is a reserved word used by the engine"
    if engine.endswith(("postgres", "postgresql")) and str(name).lower().startswith("pg_"):
        return f'MasterUsername {name} cannot be used because role names starting with "pg_" are reserved by the PostgreSQL engine'
    if not name[:1].isalpha() or not name.replace("_", "").isalnum() or not name.isascii():
        return "The parameter MasterUsername must begin with a letter and contain only alphanumeric characters."
    longest = catalogue.USERNAMES.get(engine, 63)
    return None if len(name) <= longest else f"The parameter MasterUsername must be at most {longest} characters long."


def _password(call: Call, world: World) -> Objection:
    password, engine = call["MasterUserPassword"], _engine(call, world)
    if password is None:
        needed = call.operation == "CreateDBInstance" and engine in catalogue.OPEN_ENGINES
        lacking = needed and not call["ManageMasterUserPassword"] and not call["DBClusterIdentifier"]
        return "The parameter MasterUserPassword must be provided and must not be blank." if lacking else None
    least, most = catalogue.PASSWORDS.get(engine, (8, 128))
    if len(password) < least:
        return (
            f"The parameter MasterUserPassword is not a valid password because it is shorter than {least} characters."
        )
    if len(password) > most:
        return f"The parameter MasterUserPassword is not a valid password because it is longer than {most} characters."
    if any(not "!" <= letter <= "~" or letter in '/@"' for letter in password):
        return (
            "The parameter MasterUserPassword is not a valid password. "
            "Only printable ASCII characters besides '/', '@', '\"', ' ' may be used."
        )
    return None


def _two_passwords(call: Call, _: World) -> Objection:
    if call["ManageMasterUserPassword"] and call["MasterUserPassword"]:
        return "You can't specify MasterUserPassword for an instance with ManageMasterUserPassword enabled."
    return None


def _windows(call: Call, world: World) -> Objection:
    present = _instance(call, world)
    backup_text = call["PreferredBackupWindow"] or present.get("preferred_backup_window") or ""
    care_text = call["PreferredMaintenanceWindow"] or present.get("preferred_maintenance_window") or ""
    backup, care = daily(backup_text), weekly(care_text)
    if call["PreferredBackupWindow"] and (backup is None or not backup.long_enough):
        return (
            f"Invalid backup window format: {backup_text}. It should be hh24:mi-hh24:mi and at least 30 minutes long."
        )
    if call["PreferredMaintenanceWindow"] and (care is None or not care.long_enough):
        return f"Invalid maintenance window format: {care_text}. It should be ddd:hh24:mi-ddd:hh24:mi, at least 30 minutes."
    changed = call["PreferredBackupWindow"] or call["PreferredMaintenanceWindow"]
    if changed and backup and care and overlap(backup, care):
        return "The backup window and maintenance window must not overlap."
    return None


def _name(call: Call, _: World) -> Objection:
    name, engine = call["DBName"], str(call["Engine"] or "")
    if not name or engine not in catalogue.OPEN_ENGINES:
        return None
    plain = name.replace("_", "")
    if (
        not name.isascii()
        or not (name[0].isalpha() or (name[0] == "_" and engine == "postgres"))
        or not plain.isalnum()
    ):
        return "DBName must begin with a letter and contain only alphanumeric characters."
    if name.lower() in catalogue.RESERVED.get(engine, ()):
        return f"DBName {name} cannot be used. It is a reserved word for this engine"
    return None if len(name) <= (63 if engine == "postgres" else 64) else "The parameter DBName is too long."


def _zones(call: Call, _: World) -> Objection:
    if call["MultiAZ"] and call["AvailabilityZone"]:
        return "Requesting a specific availability zone is not valid for Multi-AZ instances."
    return None


def _encryption(call: Call, _: World) -> Objection:
    if call["KmsKeyId"] and call["StorageEncrypted"] is False:
        return "You can't specify a KMS key for an instance that isn't encrypted."
    return None


def _monitoring(call: Call, _: World) -> Objection:
    if call["MonitoringInterval"] and not call["MonitoringRoleArn"]:
        return "A MonitoringRoleARN value is required if you specify a MonitoringInterval value other than 0."
    return None


def _available(call: Call, world: World) -> Objection:
    status = _instance(call, world).get("status", "available")
    name = call["DBInstanceIdentifier"]
    return None if status in {"available", "stopped"} else f"Instance {name} is not in available state: {status}."


def _deleted_once(call: Call, world: World) -> Objection:
    gone = _instance(call, world).get("status") == "deleting"
    return f"Instance {call['DBInstanceIdentifier']} is already being deleted." if gone else None


def _protected(call: Call, world: World) -> Objection:
    if _instance(call, world).get("deletion_protection"):
        return "Cannot delete protected DB Instance, please disable deletion protection and try again."
    return None


def _snapshot(call: Call, world: World) -> Objection:
    member = _instance(call, world).get("db_cluster_identifier")
    if member:
        return None
    return _snapshot_said(call, world)


def _snapshot_said(call: Call, _: World) -> Objection:
    last, skipped = call["FinalDBSnapshotIdentifier"], call["SkipFinalSnapshot"]
    if not skipped and not last:
        return "FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified."
    if skipped and last:
        return "FinalDBSnapshotIdentifier can not be specified when SkipFinalSnapshot is specified."
    return None


def _cluster_state(call: Call, world: World) -> Objection:
    found = world.found("db-cluster", str(call["DBClusterIdentifier"])) or {}
    status = found.get("status", "available")
    return None if status in {"available", "stopped"} else f"DB cluster is not in available state: {status}."


def _coverage(call: Call, world: World) -> Objection:
    subnets = [world.found("subnet", name) for name in call["SubnetIds"] or ()]
    zones = {subnet["availability_zone"] for subnet in subnets if subnet is not None}
    if None in subnets or len(zones) >= _AZS:
        return None
    return (
        "The DB subnet group doesn't meet Availability Zone (AZ) coverage requirement. "
        f"Current AZ coverage: {', '.join(sorted(zones))}. Add subnets to cover at least 2 AZs."
    )


def _used(call: Call, world: World) -> Objection:
    """Whoever is being deleted uses it to the end."""
    name = str(call["DBSubnetGroupName"])
    users = (world.found("subnet-group", name) or {}).get("used_by")
    still = f"because at least one database instance: {users[0]} is still using it." if users else ""
    return f"Cannot delete the subnet group '{name}' {still}" if still else None


_CREATE: Final = "CreateDBInstance"
_BOTH: Final = "CreateDBInstance ModifyDBInstance"
_VALUE: Final = "InvalidParameterValue"
_COMBINATION: Final = "InvalidParameterCombination"
_STATE: Final = "InvalidDBInstanceState"

RULES: Final = (
    Rule(
        "CreateDBInstance CreateDBInstanceReadReplica",
        _VALUE,
        matches("DBInstanceIdentifier", _IDENTIFIER, _IDENTIFIER_TEXT),
    ),
    Rule("CreateDBCluster", _VALUE, matches("DBClusterIdentifier", _IDENTIFIER, _IDENTIFIER_TEXT)),
    Rule(
        "CreateDBSnapshot",
        _VALUE,
        matches("DBSnapshotIdentifier", r"[A-Za-z](?:-?[A-Za-z0-9]){0,254}", _IDENTIFIER_TEXT),
    ),
    Rule("ModifyDBInstance RebootDBInstance CreateDBSnapshot StopDBInstance", _STATE, _available),
    Rule("CreateDBInstance CreateDBCluster", _VALUE, one_of("Engine", catalogue.ENGINES, "Invalid DB engine")),
    Rule("CreateDBInstance CreateDBCluster ModifyDBInstance", _COMBINATION, _version),
    Rule(_BOTH, _VALUE, _class),
    Rule(_CREATE, _VALUE, _storage_needed),
    Rule(_BOTH, _VALUE, _storage),
    Rule(_BOTH, _COMBINATION, _autoscaling),
    Rule(_BOTH, _COMBINATION, _iops),
    Rule("CreateDBInstance CreateDBCluster", _VALUE, _username),
    Rule("CreateDBInstance CreateDBCluster ModifyDBInstance ModifyDBCluster", _VALUE, _password),
    Rule("CreateDBInstance CreateDBCluster ModifyDBInstance", _COMBINATION, _two_passwords),
    Rule(_CREATE, _VALUE, _name),
    Rule(_BOTH, _COMBINATION, _zones),
    Rule("CreateDBInstance CreateDBCluster", _COMBINATION, _encryption),
    Rule(_BOTH, _VALUE, one_of("MonitoringInterval", (0, 1, 5, 10, 15, 30, 60))),
    Rule(_BOTH, _COMBINATION, _monitoring),
    Rule(
        _BOTH,
        _VALUE,
        between(
            "BackupRetentionPeriod",
            0,
            35,
            "Invalid backup retention period: {value}. Retention period must be between 0 and 35.",
        ),
    ),
    Rule("CreateDBCluster ModifyDBCluster", _VALUE, between("BackupRetentionPeriod", 1, 35)),
    Rule(
        _BOTH + " CreateDBCluster",
        _VALUE,
        between("Port", 1150, 65535, "Invalid port: {value}. It must be between 1150 and 65535."),
    ),
    Rule(_BOTH, _VALUE, between("PromotionTier", 0, 15)),
    Rule(_BOTH, _VALUE, _windows),
    Rule("ModifyDBInstance", _COMBINATION, _upgrade),
    Rule("ModifyDBInstance", _COMBINATION, _growth),
    Rule("DeleteDBInstance", _STATE, _deleted_once),
    Rule("DeleteDBInstance", _COMBINATION, _protected),
    Rule("DeleteDBInstance", _COMBINATION, _snapshot),
    Rule("DeleteDBCluster", _COMBINATION, _snapshot_said),
    Rule("ModifyDBCluster DeleteDBCluster", "InvalidDBClusterStateFault", _cluster_state),
    Rule("CreateDBSubnetGroup ModifyDBSubnetGroup", "DBSubnetGroupDoesNotCoverEnoughAZs", _coverage),
    Rule("DeleteDBSubnetGroup", "InvalidDBSubnetGroupStateFault", _used),
)
