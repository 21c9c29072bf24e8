"""What is played on both clusters."""

from collections.abc import Awaitable, Callable

from tests.apiserver.controllers.workloads.world import job, template, workload
from tests.conformance.apiserver.workload_sides import Side, until

from plumbline.base.json import JsonObject

Scene = Callable[[Side], Awaitable[None]]
CAREFUL = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}


def condition(obj: JsonObject, type_: str) -> JsonObject:
    found = (each for each in obj.get("status", {}).get("conditions") or () if each["type"] == type_)
    return next(found, {})


def counts(**wanted: int) -> Callable[[JsonObject], bool]:
    def holds(obj: JsonObject) -> bool:
        status = obj.get("status", {})
        current = status.get("observedGeneration", 0) == obj["metadata"]["generation"]
        return current and all(status.get(name, 0) == value for name, value in wanted.items())

    return holds


def rolled_out(replicas: int) -> Callable[[JsonObject], bool]:
    return counts(replicas=replicas, updatedReplicas=replicas, availableReplicas=replicas)


def reason(type_: str, wanted: str) -> Callable[[JsonObject], bool]:
    return lambda obj: condition(obj, type_).get("reason") == wanted


async def told(side: Side, reason: str) -> None:
    """Until an event says so, for more than a minute."""
    for _ in range(400):
        if any(each["reason"] == reason for each in side.list("Event")):
            return
        await side.pause(0.2)
    raise AssertionError(f"{type(side).__name__}: nothing said {reason}")


async def no_job_is_left(side: Side) -> None:
    for _ in range(200):
        if not side.list("Job"):
            return
        await side.pause(0.2)


def image(tag: str, **more) -> JsonObject:
    return {"spec": {"template": template(f"nginx:{tag}", **more)}}


async def deployment_grows_and_shrinks(side: Side) -> None:
    await side.create(workload("Deployment", replicas=2))
    await until(side, "Deployment", "web", rolled_out(2))
    await side.patch("Deployment", "web", {"spec": {"replicas": 4}})
    await until(side, "Deployment", "web", rolled_out(4))
    await side.patch("Deployment", "web", {"spec": {"replicas": 1}})
    await until(side, "Deployment", "web", rolled_out(1))


async def deployment_rolls_out_and_back(side: Side) -> None:
    await side.create(
        workload("Deployment", replicas=2, strategy=CAREFUL)
        | {"metadata": {"name": "web", "annotations": {"team": "a"}}}
    )
    await until(side, "Deployment", "web", rolled_out(2))
    for tag in ("2", "1"):
        await side.patch("Deployment", "web", image(tag))
        await until(side, "Deployment", "web", rolled_out(2))


async def deployment_forgets_old_revisions(side: Side) -> None:
    await side.create(workload("Deployment", replicas=1, strategy=CAREFUL, revisionHistoryLimit=1))
    await until(side, "Deployment", "web", rolled_out(1))
    for tag in ("2", "3", "4"):
        await side.patch("Deployment", "web", image(tag))
        await until(side, "Deployment", "web", rolled_out(1))


async def deployment_is_paused_and_resumed(side: Side) -> None:
    await side.create(workload("Deployment", replicas=2, strategy=CAREFUL))
    await until(side, "Deployment", "web", rolled_out(2))
    await side.patch("Deployment", "web", {"spec": {"paused": True}})
    await until(side, "Deployment", "web", reason("Progressing", "DeploymentPaused"))
    await side.patch("Deployment", "web", image("2") | {"spec": {**image("2")["spec"], "replicas": 3}})
    await until(side, "Deployment", "web", counts(replicas=3, availableReplicas=3))
    await side.patch("Deployment", "web", {"spec": {"paused": None}})
    await until(side, "Deployment", "web", rolled_out(3))


async def deployment_stays_paused(side: Side) -> None:
    await side.create(workload("Deployment", replicas=1, paused=True))
    await until(side, "Deployment", "web", reason("Progressing", "DeploymentPaused"))


async def deployment_gets_stuck(side: Side) -> None:
    stuck = template(behaviour="stall")
    await side.create(workload("Deployment", replicas=2, progressDeadlineSeconds=2, template=stuck))
    await until(side, "Deployment", "web", reason("Progressing", "ProgressDeadlineExceeded"))


async def deployment_gets_stuck_halfway(side: Side) -> None:
    await side.create(workload("Deployment", replicas=2, progressDeadlineSeconds=3, strategy=CAREFUL))
    await until(side, "Deployment", "web", rolled_out(2))
    await side.patch("Deployment", "web", image("2", behaviour="stall"))
    await until(side, "Deployment", "web", reason("Progressing", "ProgressDeadlineExceeded"))


async def deployment_is_recreated(side: Side) -> None:
    await side.create(workload("Deployment", replicas=2, strategy={"type": "Recreate"}))
    await until(side, "Deployment", "web", rolled_out(2))
    await side.patch("Deployment", "web", image("2"))
    await until(side, "Deployment", "web", rolled_out(2))


async def deployment_waits_until_ready_for_long(side: Side) -> None:
    await side.create(workload("Deployment", replicas=2, minReadySeconds=3))
    await until(side, "Deployment", "web", rolled_out(2))


async def replica_set_adopts_and_releases(side: Side) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "stray", "labels": {"app": "web"}}}
    await side.create(pod | {"spec": template()["spec"]})
    await side.create(workload("ReplicaSet", replicas=2))
    await until(side, "ReplicaSet", "web", counts(replicas=2, readyReplicas=2))
    await side.patch("Pod", "stray", {"metadata": {"labels": {"app": "other"}}})
    await side.pause(1)
    await until(side, "ReplicaSet", "web", counts(replicas=2, readyReplicas=2))


async def replica_set_tells_many_events_as_one(side: Side) -> None:
    await side.create(workload("ReplicaSet", replicas=12))
    await until(side, "ReplicaSet", "web", counts(readyReplicas=12))


async def replication_controller_runs(side: Side) -> None:
    wanted = {"replicas": 2, "selector": {"app": "web"}, "template": template()}
    await side.create(
        {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "web"}, "spec": wanted}
    )
    await until(side, "ReplicationController", "web", counts(replicas=2, availableReplicas=2))
    await side.patch("ReplicationController", "web", {"spec": {"replicas": 1}})
    await until(side, "ReplicationController", "web", counts(replicas=1, availableReplicas=1))


CLAIMS = [
    {
        "metadata": {"name": "disk", "labels": {"tier": "slow"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
]


async def stateful_set_goes_one_by_one(side: Side) -> None:
    await side.create(workload("StatefulSet", replicas=3, serviceName="web", volumeClaimTemplates=CLAIMS))
    await until(side, "StatefulSet", "web", counts(readyReplicas=3))
    await side.patch("StatefulSet", "web", {"spec": {"replicas": 1}})
    await until(side, "StatefulSet", "web", counts(replicas=1))


async def stateful_set_rolls_and_stops_at_partition(side: Side) -> None:
    await side.create(workload("StatefulSet", replicas=3, serviceName="web"))
    await until(side, "StatefulSet", "web", counts(readyReplicas=3))
    rolling = {"updateStrategy": {"rollingUpdate": {"partition": 1}}}
    await side.patch("StatefulSet", "web", {"spec": {**rolling, **image("2")["spec"]}})
    await until(side, "StatefulSet", "web", counts(readyReplicas=3, updatedReplicas=2))


async def stateful_set_rolls_out_and_back(side: Side) -> None:
    await side.create(workload("StatefulSet", replicas=2, serviceName="web", podManagementPolicy="Parallel"))
    await until(side, "StatefulSet", "web", counts(readyReplicas=2))
    for tag in ("2", "1"):
        await side.patch("StatefulSet", "web", image(tag))
        await until(
            side,
            "StatefulSet",
            "web",
            lambda obj: (
                counts(readyReplicas=2, updatedReplicas=2)(obj)
                and obj["status"]["currentRevision"] == obj["status"]["updateRevision"]
            ),
        )


async def stateful_set_deletes_claims(side: Side) -> None:
    policy = {"whenDeleted": "Delete", "whenScaled": "Delete"}
    spec = {"replicas": 2, "serviceName": "web", "volumeClaimTemplates": CLAIMS, "ordinals": {"start": 3}}
    await side.create(workload("StatefulSet", **spec, persistentVolumeClaimRetentionPolicy=policy))
    await until(side, "StatefulSet", "web", counts(readyReplicas=2))
    await side.patch("StatefulSet", "web", {"spec": {"replicas": 1}})
    await until(side, "StatefulSet", "web", counts(replicas=1))


async def stateful_set_waits_to_be_asked(side: Side) -> None:
    await side.create(workload("StatefulSet", replicas=2, serviceName="web", updateStrategy={"type": "OnDelete"}))
    await until(side, "StatefulSet", "web", counts(readyReplicas=2))
    await side.patch("StatefulSet", "web", image("2"))
    await until(side, "StatefulSet", "web", counts(readyReplicas=2))
    await side.delete("Pod", "web-1")
    await until(side, "StatefulSet", "web", counts(readyReplicas=2, updatedReplicas=1))


async def daemon_set_rolls(side: Side) -> None:
    await side.create(workload("DaemonSet"))
    await until(side, "DaemonSet", "web", counts(numberAvailable=1))
    await side.patch("DaemonSet", "web", image("2"))
    await until(side, "DaemonSet", "web", counts(numberAvailable=1, updatedNumberScheduled=1))
    await side.patch("DaemonSet", "web", image("1"))
    await until(side, "DaemonSet", "web", counts(numberAvailable=1, updatedNumberScheduled=1))


async def daemon_set_finds_no_node(side: Side) -> None:
    choosy = template(nodeSelector={"disk": "fast"})
    await side.create(workload("DaemonSet", template=choosy))
    await until(side, "DaemonSet", "web", counts(desiredNumberScheduled=0))


async def daemon_set_surges(side: Side) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    await side.create(workload("DaemonSet", updateStrategy=rolling))
    await until(side, "DaemonSet", "web", counts(numberAvailable=1))
    await side.patch("DaemonSet", "web", image("2"))
    await until(side, "DaemonSet", "web", counts(numberAvailable=1, updatedNumberScheduled=1))


async def job_completes(side: Side) -> None:
    await side.create(job(completions=3, parallelism=2))
    await until(side, "Job", "work", reason("Complete", "CompletionsReached"))


def failing(**more) -> JsonObject:
    return template(labels={"x": "y"}, behaviour="fail", restartPolicy="Never", **more)


async def job_fails(side: Side) -> None:
    await side.create(job(backoffLimit=0, template=failing()))
    await until(side, "Job", "work", reason("Failed", "BackoffLimitExceeded"))


async def job_runs_out_of_time(side: Side) -> None:
    endless = template(labels={"x": "y"}, behaviour="run", restartPolicy="Never")
    await side.create(job(activeDeadlineSeconds=2, template=endless))
    await until(side, "Job", "work", reason("Failed", "DeadlineExceeded"))


async def job_counts_indexes(side: Side) -> None:
    await side.create(job(completions=3, parallelism=3, completionMode="Indexed"))
    await until(side, "Job", "work", reason("Complete", "CompletionsReached"))


async def job_fails_index_by_index(side: Side) -> None:
    spec = {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 0}
    await side.create(job(**spec, template=failing()))
    await until(side, "Job", "work", reason("Failed", "FailedIndexes"))


async def job_fails_by_policy(side: Side) -> None:
    rules = [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}}]
    await side.create(job(podFailurePolicy={"rules": rules}, template=failing()))
    await until(side, "Job", "work", reason("Failed", "PodFailurePolicy"))


async def job_succeeds_early(side: Side) -> None:
    policy = {"rules": [{"succeededCount": 1}]}
    await side.create(job(completions=3, parallelism=1, completionMode="Indexed", successPolicy=policy))
    await until(side, "Job", "work", reason("Complete", "SuccessPolicy"))


async def job_is_suspended_and_resumed(side: Side) -> None:
    await side.create(job(suspend=True))
    await until(side, "Job", "work", reason("Suspended", "JobSuspended"))
    await side.patch("Job", "work", {"spec": {"suspend": False}})
    await until(side, "Job", "work", reason("Complete", "CompletionsReached"))


async def job_is_suspended_while_it_runs(side: Side) -> None:
    endless = template(labels={"x": "y"}, behaviour="run", restartPolicy="Never")
    await side.create(job(template=endless, parallelism=2))
    await until(side, "Job", "work", lambda obj: obj["status"].get("ready") == 2)
    await side.patch("Job", "work", {"spec": {"suspend": True}})
    await until(side, "Job", "work", reason("Suspended", "JobSuspended"))
    await until(side, "Job", "work", lambda obj: not obj["status"].get("terminating"))


async def job_is_gone_after_a_while(side: Side) -> None:
    await side.create(job(ttlSecondsAfterFinished=1))
    await no_job_is_left(side)


async def cron_job_ticks(side: Side) -> None:
    spec = {"schedule": "@every 2s", "jobTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": job()["spec"]}}
    await side.create({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "cron"}, "spec": spec})
    await until(side, "CronJob", "cron", lambda obj: "lastScheduleTime" in obj["status"])
    await side.patch("CronJob", "cron", {"spec": {"suspend": True}})
    await until(side, "CronJob", "cron", lambda obj: "lastSuccessfulTime" in obj["status"])


async def deployment_is_scaled_halfway(side: Side) -> None:
    """The new pods never get ready; what is added is shared between both sets."""
    half = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}}
    await side.create(workload("Deployment", replicas=4, strategy=half))
    await until(side, "Deployment", "web", rolled_out(4))
    await side.pause(1.2)  # sets are ordered by the second in which they were created
    await side.patch("Deployment", "web", image("2", behaviour="stall"))
    await until(side, "Deployment", "web", counts(updatedReplicas=3, availableReplicas=3))
    await side.patch("Deployment", "web", {"spec": {"replicas": 10}})
    await until(side, "Deployment", "web", counts(replicas=12))
    await side.patch("Deployment", "web", {"spec": {"replicas": 5}})
    await until(side, "Deployment", "web", counts(replicas=7))


async def deployment_leaves_a_stuck_rollout(side: Side) -> None:
    await side.create(workload("Deployment", replicas=3))
    await until(side, "Deployment", "web", rolled_out(3))
    await side.patch("Deployment", "web", image("2", behaviour="stall"))
    await until(side, "Deployment", "web", counts(updatedReplicas=1, unavailableReplicas=1))
    await side.patch("Deployment", "web", image("3", behaviour="run"))
    await until(side, "Deployment", "web", rolled_out(3))


async def deployment_changes_what_is_no_template(side: Side) -> None:
    await side.create(workload("Deployment", replicas=1))
    await until(side, "Deployment", "web", rolled_out(1))
    await side.pause(1.2)  # so that its pod has been ready for long enough already
    await side.patch("Deployment", "web", {"metadata": {"annotations": {"team": "b"}}, "spec": {"minReadySeconds": 1}})
    await until(side, "Deployment", "web", rolled_out(1))


async def deployment_goes_to_zero(side: Side) -> None:
    await side.create(workload("Deployment", replicas=2))
    await until(side, "Deployment", "web", rolled_out(2))
    await side.patch("Deployment", "web", {"spec": {"replicas": 0}})
    await until(side, "Deployment", "web", rolled_out(0))


async def replica_set_replaces_what_ended(side: Side) -> None:
    await side.create(workload("ReplicaSet", replicas=1))
    await until(side, "ReplicaSet", "web", counts(readyReplicas=1))
    (pod,) = side.list("Pod")
    await side.delete("Pod", pod["metadata"]["name"])
    await side.pause(1)
    await until(side, "ReplicaSet", "web", counts(readyReplicas=1, replicas=1))


async def stateful_set_starts_all_at_once(side: Side) -> None:
    spec = {"replicas": 3, "serviceName": "web", "podManagementPolicy": "Parallel", "minReadySeconds": 1}
    await side.create(workload("StatefulSet", **spec))
    await until(side, "StatefulSet", "web", counts(availableReplicas=3))
    await side.patch("StatefulSet", "web", {"spec": {"replicas": 0}})
    await until(side, "StatefulSet", "web", counts(replicas=0))


async def stateful_set_waits_for_one_that_stalls(side: Side) -> None:
    await side.create(workload("StatefulSet", replicas=2, serviceName="web", template=template(behaviour="stall")))
    await until(side, "StatefulSet", "web", counts(replicas=1))


async def daemon_set_waits_to_be_asked(side: Side) -> None:
    await side.create(workload("DaemonSet", updateStrategy={"type": "OnDelete"}))
    await until(side, "DaemonSet", "web", counts(numberAvailable=1))
    await side.patch("DaemonSet", "web", image("2"))
    await until(side, "DaemonSet", "web", counts(numberAvailable=1))


async def daemon_set_tolerates_what_it_must(side: Side) -> None:
    own = [
        {"key": "own", "operator": "Exists"},
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
    ]
    required = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    tolerant = template(tolerations=own, hostNetwork=True, affinity=affinity)
    await side.create(workload("DaemonSet", template=tolerant, minReadySeconds=1))
    await until(side, "DaemonSet", "web", counts(numberAvailable=1))


async def job_tries_again(side: Side) -> None:
    await side.create(job(backoffLimit=1, template=failing()))
    await until(side, "Job", "work", reason("Failed", "BackoffLimitExceeded"))


async def job_works_off_a_queue(side: Side) -> None:
    await side.create(job(completions=None, parallelism=2))
    await until(side, "Job", "work", reason("Complete", "CompletionsReached"))


async def job_replaces_a_deleted_pod(side: Side) -> None:
    endless = template(labels={"x": "y"}, behaviour="run", restartPolicy="Never")
    await side.create(job(template=endless, backoffLimit=3))
    await until(side, "Job", "work", lambda obj: obj["status"].get("ready") == 1)
    (pod,) = side.list("Pod")
    await side.delete("Pod", pod["metadata"]["name"])
    await until(side, "Job", "work", lambda obj: obj["status"].get("failed") == 1 and obj["status"].get("ready") == 1)


async def job_shrinks(side: Side) -> None:
    endless = template(labels={"x": "y"}, behaviour="run", restartPolicy="Never")
    await side.create(job(template=endless, completions=3, parallelism=3))
    await until(side, "Job", "work", lambda obj: obj["status"].get("ready") == 3)
    await side.patch("Job", "work", {"spec": {"parallelism": 1}})
    await until(
        side, "Job", "work", lambda obj: obj["status"].get("active") == 1 and not obj["status"].get("terminating")
    )


async def job_fails_too_many_indexes(side: Side) -> None:
    spec = {"completions": 3, "parallelism": 1, "completionMode": "Indexed", "backoffLimitPerIndex": 0}
    await side.create(job(**spec, maxFailedIndexes=0, template=failing()))
    await until(side, "Job", "work", reason("Failed", "MaxFailedIndexesExceeded"))


async def job_is_managed_by_others(side: Side) -> None:
    await side.create(job(managedBy="example.com/other"))
    await side.pause(2)


async def cron_job_does_not_overlap(side: Side) -> None:
    endless = {"template": template(labels={"x": "y"}, behaviour="run", restartPolicy="Never")}
    spec = {"schedule": "@every 2s", "concurrencyPolicy": "Forbid", "jobTemplate": {"spec": endless}}
    await side.create({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "cron"}, "spec": spec})
    # Jobs are named by the minute: until the next one begins, what is due is what runs already, and nobody says a word.
    await told(side, "JobAlreadyActive")
    await side.patch("CronJob", "cron", {"spec": {"suspend": True}})


async def cron_job_keeps_no_history(side: Side) -> None:
    spec = {"schedule": "@every 2s", "successfulJobsHistoryLimit": 0, "jobTemplate": {"spec": job()["spec"]}}
    await side.create({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "cron"}, "spec": spec})
    await until(side, "CronJob", "cron", lambda obj: "lastScheduleTime" in obj["status"])
    await side.patch("CronJob", "cron", {"spec": {"suspend": True}})
    await no_job_is_left(side)


SCENES: tuple[Scene, ...] = (
    deployment_grows_and_shrinks,
    deployment_rolls_out_and_back,
    deployment_forgets_old_revisions,
    deployment_is_paused_and_resumed,
    deployment_stays_paused,
    deployment_gets_stuck,
    deployment_gets_stuck_halfway,
    deployment_is_recreated,
    deployment_waits_until_ready_for_long,
    replica_set_adopts_and_releases,
    replica_set_tells_many_events_as_one,
    replication_controller_runs,
    stateful_set_goes_one_by_one,
    stateful_set_rolls_and_stops_at_partition,
    stateful_set_rolls_out_and_back,
    stateful_set_deletes_claims,
    stateful_set_waits_to_be_asked,
    daemon_set_rolls,
    daemon_set_finds_no_node,
    daemon_set_surges,
    job_completes,
    job_fails,
    job_runs_out_of_time,
    job_counts_indexes,
    job_fails_index_by_index,
    job_fails_by_policy,
    job_succeeds_early,
    job_is_suspended_and_resumed,
    job_is_suspended_while_it_runs,
    job_is_gone_after_a_while,
    cron_job_ticks,
    deployment_is_scaled_halfway,
    deployment_leaves_a_stuck_rollout,
    deployment_changes_what_is_no_template,
    deployment_goes_to_zero,
    replica_set_replaces_what_ended,
    stateful_set_starts_all_at_once,
    stateful_set_waits_for_one_that_stalls,
    daemon_set_waits_to_be_asked,
    daemon_set_tolerates_what_it_must,
    job_tries_again,
    job_works_off_a_queue,
    job_replaces_a_deleted_pod,
    job_shrinks,
    job_fails_too_many_indexes,
    job_is_managed_by_others,
    cron_job_does_not_overlap,
    cron_job_keeps_no_history,
)
