"""Storage operators: Ceph, MinIO, NetApp, snapshots."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, mapping, text
from plumbline.kube.health.rules import (
    Rule,
    Verdict,
    by_condition,
    by_field,
    degraded,
    having,
    healthy,
    lacking,
    on,
    progressing,
    suspended,
)
from plumbline.kube.health.status import Health, Status

_CEPH: Final = {"HEALTH_ERR": Status.DEGRADED, "HEALTH_WARN": Status.DEGRADED, "HEALTH_OK": Status.HEALTHY}
_CEPH_STATES: Final = {"Created": Status.HEALTHY, "Connected": Status.HEALTHY, "Error": Status.DEGRADED}


def _ceph_cluster(obj: JsonObject) -> Health:
    status = mapping(obj, "status")
    said: list[str] = []
    code = text(status, "ceph", "health")
    verdict = _CEPH.get(code, Status.PROGRESSING)
    if code:
        details = mapping(status, "ceph", "details")
        why = "; ".join(text(details[name], "message") for name in sorted(details) if at(details[name], "message"))
        said.append(f"Ceph health is {code} ({why})" if why else f"Ceph health is {code}")
    state = text(status, "state")
    if state and verdict is Status.HEALTHY:
        said.append(f"Ceph cluster state is {state}")
        verdict = _CEPH_STATES.get(state, Status.PROGRESSING)
    said.append(text(status, "message"))
    return Health(verdict, " - ".join(filter(None, said)))


def _object_store(obj: JsonObject) -> Health:
    phase, endpoint = text(obj, "status", "phase"), text(obj, "status", "info", "endpoint")
    verdict = {"Ready": Status.HEALTHY, "Failure": Status.DEGRADED}.get(phase, Status.PROGRESSING)
    said = f"Ceph object store phase is {phase}" if phase else "Waiting for status to be reported"
    return Health(verdict, f"{said} - endpoint: {endpoint}" if endpoint else said)


_MINIO: Final = "{.status.currentState}"
_CLAIM: Final = "Object bucket claim phase is {.status.phase}"
_SAID: Final = "{.status.message}"
_NO_STATUS = progressing("No status available")


def _astra(values: Mapping[str, Verdict], otherwise: Verdict | None = None) -> Rule:
    return (by_field("status.state", values, otherwise=otherwise), _NO_STATUS)


_ASTRA_RUN = _astra(
    {"Completed": healthy("{.kind} Completed"), "Running": progressing("{.kind} Running")},
    otherwise=degraded("{.status.state}"),
)
_SNAPSHOT: Rule = (
    by_field("status.readyToUse", {"true": healthy("Ready to use")}),
    having("status.error", degraded("{.status.error.message}")),
    progressing("Waiting for status"),
)


def _backend(obj: JsonObject) -> Health | None:
    phase, last = at(obj, "status", "phase"), at(obj, "status", "lastOperationStatus")
    if (phase, last) == ("Bound", "Success"):
        return Health(Status.HEALTHY, text(obj, "status", "message"))
    return Health(Status.DEGRADED, text(obj, "status", "message")) if last == "Failed" else None


RULES: Mapping[str, Rule] = {
    "ceph.rook.io/CephCluster": (
        lacking("status", progressing("Waiting for status to be reported")),
        _ceph_cluster,
    ),
    "ceph.rook.io/CephObjectStore": (_object_store,),
    "objectbucket.io/ObjectBucketClaim": (
        lacking("status", progressing("Waiting for status to be reported")),
        by_field(
            "status.phase",
            {"Bound": healthy(_CLAIM), "Failed": degraded(_CLAIM)},
            otherwise=progressing(_CLAIM),
            absent=progressing("Waiting for phase to be reported"),
        ),
    ),
    "minio.min.io/Tenant": (
        by_field(
            "status.currentState",
            {
                "Initialized": healthy(_MINIO),
                "Statefulset not controlled by operator": degraded(_MINIO),
                "Another MinIO Tenant already exists in the namespace": degraded(_MINIO),
                "Tenant credentials are not set properly": degraded(_MINIO),
                "Different versions across MinIO Pools": degraded(_MINIO),
                "Pool Decommissioning Not Allowed": degraded(_MINIO),
            },
            otherwise=progressing(_MINIO),
            absent=progressing("No status info available"),
        ),
    ),
    "snapshot.storage.k8s.io/VolumeSnapshot": _SNAPSHOT,
    "snapshot.storage.k8s.io/VolumeSnapshotContent": _SNAPSHOT,
    "trident.netapp.io/TridentBackendConfig": (_backend, progressing("Waiting for backend creation")),
    "trident.netapp.io/TridentOrchestrator": (
        by_field("status.status", {"Installed": healthy(_SAID), "Failed|Error": degraded(_SAID)}),
        progressing("Waiting for trident installation"),
    ),
    "astra.netapp.io/AppVault": _astra(
        {"available|Available": healthy("{.kind} Available"), "failed|Failed": degraded("{.kind} Failed")}
    ),
    "astra.netapp.io/Application": (
        by_condition(
            on("Ready", "True", healthy("Astra Application Ready, protectionState: {.status.protectionState}")),
            on("Ready", "False", degraded("Astra Application Degraded, message: {message}")),
        ),
        _NO_STATUS,
    ),
    "astra.netapp.io/Backup": _ASTRA_RUN,
    "astra.netapp.io/ExecHooksRun": _ASTRA_RUN,
    "astra.netapp.io/ResourceBackup": _ASTRA_RUN,
    "astra.netapp.io/ResticVolumeBackup": _ASTRA_RUN,
    "astra.netapp.io/Snapshot": _ASTRA_RUN,
    "astra.netapp.io/ExecHook": (
        by_field("spec.enabled", {"true": healthy("{.kind} enabled"), "false": suspended("{.kind} disabled")}),
        _NO_STATUS,
    ),
    "astra.netapp.io/Schedule": (
        having(
            "status.lastScheduleTime",
            healthy("Protection policy lastScheduleTime: {.status.lastScheduleTime}"),
        ),
        healthy("Protection policy not yet executed"),
    ),
}
