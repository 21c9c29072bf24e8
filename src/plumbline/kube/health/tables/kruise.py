"""OpenKruise: workloads with partitions, and game servers."""

from collections.abc import Mapping

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, items, mapping, number, objects, printed, text
from plumbline.kube.health.rules import Rule, Stale, progressing, unknown
from plumbline.kube.health.status import Health, Status

_INITIAL = "Waiting for initialization"
_UNSEEN = Stale(_INITIAL, required=True)


class Counts(msgspec.Struct, frozen=True):
    """The figures of a workload that is rolled out by parts."""

    paused: bool
    held: bool
    """A partition keeps some pods old, and all the others are done."""
    partitioned: bool
    done: bool
    failed: bool


def _rolled_out(name: str, counts: Counts, unavailable: str) -> Health | None:
    if counts.paused:
        return Health(Status.SUSPENDED, f"{name} is paused")
    if counts.partitioned:
        return Health(Status.SUSPENDED, f"{name} needs manual intervention") if counts.held else None
    if counts.done:
        return Health(Status.HEALTHY, f"All {name} workloads are ready and updated")
    return Health(Status.DEGRADED, unavailable) if counts.failed else None


def _clone_set(obj: JsonObject) -> Health | None:
    status, strategy = mapping(obj, "status"), mapping(obj, "spec", "updateStrategy")
    available, replicas = at(status, "updatedAvailableReplicas"), at(status, "replicas")
    counts = Counts(
        paused=strategy.get("paused") is True or available is None,
        partitioned=strategy.get("partition") != 0 and number(obj, "metadata", "generation") > 1,
        held=number(status, "updatedReplicas") >= number(status, "expectedUpdatedReplicas"),
        done=available == replicas,
        failed=available != replicas,
    )
    return _rolled_out("Cloneset", counts, "Some replicas are not ready or available")


def _stateful_set(obj: JsonObject) -> Health | None:
    status, rolling = mapping(obj, "status"), mapping(obj, "spec", "updateStrategy", "rollingUpdate")
    available, replicas = at(status, "updatedAvailableReplicas"), at(status, "replicas")
    kept = number(rolling, "partition")
    counts = Counts(
        paused=rolling.get("paused") is True or available is None,
        partitioned=rolling.get("partition") != 0 and number(obj, "metadata", "generation") > 1,
        held=number(status, "updatedReplicas") > number(status, "replicas") - kept,
        done=available == replicas,
        failed=available != replicas,
    )
    return _rolled_out("Statefulset", counts, "Some replicas are not ready or available")


def _daemon_set(obj: JsonObject) -> Health | None:
    status, rolling = mapping(obj, "status"), mapping(obj, "spec", "updateStrategy", "rollingUpdate")
    updated, wanted = number(status, "updatedNumberScheduled"), number(status, "desiredNumberScheduled")
    kept = number(rolling, "partition")
    counts = Counts(
        paused=rolling.get("paused") is True or at(status, "updatedNumberScheduled") is None,
        partitioned=kept != 0 and number(obj, "metadata", "generation") > 1,
        held=updated > wanted - kept,
        done=updated == wanted == at(status, "numberAvailable"),
        failed=updated == wanted == at(status, "numberUnavailable"),
    )
    return _rolled_out("Daemonset", counts, "Some pods are not ready or available")


def _cron_job(obj: JsonObject) -> Health:
    ran = text(obj, "status", "lastScheduleTime")
    if not ran and at(obj, "spec", "paused") is True:
        return Health(Status.SUSPENDED, "AdvancedCronJob is Paused")
    if items(obj, "status", "active"):
        return Health(Status.PROGRESSING, "AdvancedCronJobs has active jobs")
    if not ran:
        return Health(Status.DEGRADED, "AdvancedCronJobs has not run successfully")
    return Health(Status.HEALTHY, "AdvancedCronJobs has run successfully")


def _broadcast_job(obj: JsonObject) -> Health:
    status = mapping(obj, "status")
    phase = text(status, "phase")
    if phase == "completed" and at(status, "desired") == at(status, "succeeded"):
        return Health(Status.HEALTHY, "BroadcastJob is completed successfully")
    if phase == "failed" and at(status, "failed") != 0:
        return Health(Status.DEGRADED, "BroadcastJob failed")
    if phase == "paused" and at(obj, "spec", "paused") is True:
        return Health(Status.SUSPENDED, "BroadcastJob is Paused")
    return Health(Status.PROGRESSING, "BroadcastJob is still running")


def _game_server(obj: JsonObject) -> Health | None:
    status = at(obj, "status")
    if not isinstance(status, dict):
        return None
    current, wanted = status.get("currentState"), status.get("desiredState")
    if current != wanted:
        return Health(Status.PROGRESSING, f"State change: {current or 'Unknown'} → {wanted or 'Unknown'}")
    for each in objects(status, "podStatus", "conditions"):
        if each.get("type") == "KruisePodReady" and each.get("status") != "True":
            return Health(Status.DEGRADED, "Pod is not ready: KruisePodReady")
    return Health(Status.HEALTHY, "GameServer is Ready") if current == "Ready" else None


def _game_server_set(obj: JsonObject) -> Health | None:
    status, rolling = mapping(obj, "status"), mapping(obj, "spec", "updateStrategy", "rollingUpdate")
    if rolling.get("paused") is True:
        return Health(Status.SUSPENDED, "GameServerSet is paused")
    kept, replicas = number(rolling, "partition"), number(status, "replicas")
    if kept != 0 and number(status, "updatedReplicas") >= replicas - kept:
        return Health(Status.SUSPENDED, f"Partition={printed(kept)}, waiting for manual intervention")
    if number(status, "updatedReadyReplicas") == replicas:
        return Health(Status.HEALTHY, "All GameServerSet replicas are updated and ready")
    ready = number(status, "readyReplicas")
    if ready < replicas:
        said = f"ReadyReplicas {printed(ready)}/{printed(replicas)}, still progressing"
        return Health(Status.PROGRESSING, said)
    return None


RULES: Mapping[str, Rule] = {
    "apps.kruise.io/AdvancedCronJob": (_cron_job,),
    "apps.kruise.io/BroadcastJob": (_broadcast_job,),
    "apps.kruise.io/CloneSet": (_UNSEEN, _clone_set, progressing(_INITIAL)),
    "apps.kruise.io/DaemonSet": (_UNSEEN, _daemon_set, progressing(_INITIAL)),
    "apps.kruise.io/StatefulSet": (_UNSEEN, _stateful_set, progressing(_INITIAL)),
    "game.kruise.io/GameServer": (_game_server, unknown("Waiting for GameServer to be ready")),
    "game.kruise.io/GameServerSet": (
        Stale("Waiting for GameServerSet initialization", required=True),
        _game_server_set,
        progressing("Waiting for GameServerSet initialization"),
    ),
}
