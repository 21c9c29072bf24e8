"""Database operators."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, mapping
from plumbline.kube.health.rules import (
    Rule,
    by_condition,
    by_field,
    conditions_at,
    degraded,
    healthy,
    lacking,
    note,
    on,
    progressing,
    suspended,
    unknown,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE

_POSTGRES: Final = "{.status.PostgresClusterStatus}"
_NODES: Final = "{.status.ready}/{.status.size} node(s) are ready"
_WHY: Final = "{.status.phaseReason}"
_BOTH: Final = "{reason} {message}"

_CNPG_PHASES: Final = {
    "Cluster in healthy state": healthy(_WHY),
    "Setting up primary": progressing(_WHY),
    "Creating a new replica": progressing(_WHY),
    "Upgrading cluster": progressing(_WHY),
    "Waiting for the instances to become active": progressing(_WHY),
    "Promoting to primary cluster": progressing(_WHY),
    "Switchover in progress": degraded(_WHY),
    "Failing over": degraded(_WHY),
    "Upgrading Postgres major version": degraded(_WHY),
    "Cluster upgrade delayed": degraded(_WHY),
    "Waiting for user action": degraded(_WHY),
    "Primary instance is being restarted in-place": degraded(_WHY),
    "Primary instance is being restarted without a switchover": degraded(_WHY),
    "Cluster cannot execute instance online upgrade due to missing architecture binary": degraded(_WHY),
    "Online upgrade in progress": degraded(_WHY),
    "Applying configuration": degraded(_WHY),
    "Unable to create required cluster objects": suspended(_WHY),
    "Cluster cannot proceed to reconciliation due to an unknown plugin being required": suspended(_WHY),
    "Cluster has incomplete or invalid image catalog": suspended(_WHY),
    "Cluster is unrecoverable and needs manual intervention": suspended(_WHY),
}


def _racks(obj: JsonObject) -> Health | None:
    racks = at(obj, "status", "racks")
    if not isinstance(racks, dict):
        return None
    counts = [(at(rack, "members"), at(rack, "readyMembers")) for rack in mapping(racks).values()]
    late = any(wanted is not None and ready is not None and wanted != ready for wanted, ready in counts)
    return None if late else Health(Status.HEALTHY)


def _atlas(**working: str) -> Rule:
    return (
        by_condition(
            on("Ready", "True", healthy("{reason}")),
            on("Ready", "", progressing("{reason}"), **working),
            on("Ready", "", degraded("{reason}")),
        ),
        progressing("Waiting for Atlas Operator"),
    )


def _clickhouse(noun: str) -> Rule:
    return (
        by_field(
            "status.status",
            {
                "Completed": healthy(f"{noun} installation completed successfully"),
                "InProgress": progressing(f"{noun} installation in progress"),
            },
            otherwise=degraded(f"{noun} status: {{.status.status}}"),
            absent=progressing(f"{noun} status not yet available"),
        ),
    )


_NO_STATUS = progressing("No status info available")

_MARIADB: Rule = (
    by_condition(
        on("", "False", degraded(MESSAGE), reason="Failed"),
        on("", "False", progressing(MESSAGE)),
        note("", "", healthy(MESSAGE)),
    ),
    _NO_STATUS,
)

_MARIADB_OBJECT: Rule = (
    by_condition(
        on("Ready", "True", healthy(MESSAGE)),
        on("Ready", "", degraded(MESSAGE)),
        note("", "", progressing(MESSAGE)),
    ),
    _NO_STATUS,
)

RULES: Mapping[str, Rule] = {
    "acid.zalan.do/postgresql": (
        by_field(
            "status.PostgresClusterStatus",
            {"Running": healthy(_POSTGRES), "Creating|Updating": progressing(_POSTGRES)},
            otherwise=degraded(_POSTGRES),
            absent=progressing("Waiting for postgres cluster status..."),
        ),
    ),
    "postgresql.cnpg.io/Cluster": (
        by_field(
            ("metadata", "annotations", "cnpg.io/reconciliationLoop"),
            {"disabled": suspended("Cluster reconciliation is suspended")},
        ),
        lacking("status.conditions", progressing(_WHY)),
        by_condition(
            on("cnpg.io/hibernation", "True", suspended(MESSAGE)), on("cnpg.io/hibernation", "", degraded(MESSAGE))
        ),
        by_field("status.phase", _CNPG_PHASES),
        unknown(_WHY),
    ),
    "cassandra.rook.io/Cluster": (_racks, progressing("Waiting for Cassandra Cluster")),
    "db.atlasgo.io/AtlasMigration": _atlas(reason="Reconciling"),
    "db.atlasgo.io/AtlasSchema": _atlas(message="Reconciling|GettingDevDB"),
    "clickhouse.altinity.com/ClickHouseInstallation": _clickhouse("ClickHouse"),
    "clickhouse-keeper.altinity.com/ClickHouseKeeperInstallation": _clickhouse("ClickHouseKeeper"),
    "k8s.mariadb.com/MariaDB": _MARIADB,
    "mariadb.mmontes.io/MariaDB": _MARIADB,
    "k8s.mariadb.com/Database": _MARIADB_OBJECT,
    "k8s.mariadb.com/Grant": _MARIADB_OBJECT,
    "k8s.mariadb.com/User": _MARIADB_OBJECT,
    "k8s.mariadb.com/Backup": (
        by_condition(
            on("", "False", degraded(_BOTH), reason="CronJobScheduled", message="Failed"),
            on("", "False", progressing(_BOTH)),
            note("", "", healthy(_BOTH)),
        ),
        _NO_STATUS,
    ),
    "k8s.mariadb.com/SqlJob": (
        by_condition(
            on("", "True", healthy(_BOTH), reason="JobComplete"),
            on("", "True", degraded(_BOTH), reason="JobFailed"),
            note("", "", progressing(_BOTH)),
        ),
        _NO_STATUS,
    ),
    "psmdb.percona.com/PerconaServerMongoDB": (
        lacking("status", unknown("Cluster status is unknown")),
        by_field(
            "status.state",
            {
                "initializing|stopping": progressing(_NODES),
                "ready": healthy(_NODES),
                "error": degraded(_NODES),
                "paused": suspended(_NODES),
            },
        ),
        unknown(_NODES),
    ),
    "pxc.percona.com/PerconaXtraDBCluster": (
        by_field(
            "status.state",
            {
                "initializing": progressing(_NODES),
                "ready": healthy(_NODES),
                "paused": unknown("Cluster is paused"),
                "stopping": degraded(f"Cluster is stopping ({_NODES})"),
                "error": degraded("Cluster is on error: {.status.message}"),
            },
        ),
        unknown("Cluster status is unknown"),
    ),
    "solr.apache.org/SolrCloud": (
        lacking("status.solrNodes", progressing("Waiting for solr to exist")),
        conditions_at("status.solrNodes", on("", "", progressing("Not all replicas are ready"), ready="!true")),
        healthy("Solr is ready"),
    ),
}
