"""Sound objects of every kind, to be broken."""

from typing import NamedTuple

from plumbline.base.json import Json, JsonObject

from .rich import RICH, RICH_POD

POD = {
    "volumes": [
        {"name": "scratch", "emptyDir": {}},
        {"name": "claimed", "persistentVolumeClaim": {"claimName": "some"}},
    ],
    "initContainers": [{"name": "first", "image": "busybox"}],
    "containers": [{"name": "main", "image": "nginx"}, {"name": "other", "image": "redis"}],
}
_LABELS = {"app": "web"}
_TEMPLATE = {"metadata": {"labels": _LABELS}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}
_ONCE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "nginx"}]}}
_SELECTING = {"selector": {"matchLabels": _LABELS}, "template": _TEMPLATE}
_SIZED = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "200m", "memory": "128Mi"}}


def _object(api_version: str, kind: str, name: str, **parts: object) -> JsonObject:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **parts}


def _pod(name: str, **spec: object) -> JsonObject:
    return _object("v1", "Pod", name, spec={**POD, **spec})


BASES: dict[str, JsonObject] = {
    "pod": _pod("pod"),
    "hasty": _pod("hasty", activeDeadlineSeconds=100, tolerations=[{"key": "a", "operator": "Exists"}]),
    "gated": _pod(
        "gated",
        schedulingGates=[{"name": "example.com/one"}, {"name": "example.com/two"}],
        nodeSelector={"disk": "ssd"},
        affinity={
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]
                }
            }
        },
    ),
    "sized": _object(
        "v1",
        "Pod",
        "sized",
        spec={
            "initContainers": [{"name": "first", "image": "busybox", "resources": _SIZED}],
            "containers": [{"name": "main", "image": "nginx", "resources": _SIZED}],
        },
    ),
    "visited": _pod("visited"),
    "ended": _object(
        "v1",
        "Pod",
        "ended",
        spec={
            "restartPolicy": "Never",
            "initContainers": [{"name": "first", "image": "busybox"}],
            "containers": [
                {"name": "main", "image": "nginx"},
                {"name": "again", "image": "nginx", "restartPolicy": "Always"},
                {"name": "failed", "image": "nginx", "restartPolicy": "OnFailure"},
                {
                    "name": "ruled",
                    "image": "nginx",
                    "restartPolicy": "Never",
                    "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}],
                },
                {
                    "name": "unruled",
                    "image": "nginx",
                    "restartPolicy": "Never",
                    "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "NotIn", "values": [1]}}],
                },
            ],
        },
    ),
    "restarting": _object(
        "v1",
        "Pod",
        "restarting",
        spec={
            "restartPolicy": "Never",
            "containers": [
                {
                    "name": "main",
                    "image": "nginx",
                    "restartPolicy": "Never",
                    "restartPolicyRules": [
                        {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}}
                    ],
                }
            ],
        },
    ),
    "bound": _pod("bound", nodeName="node"),
    "running": _object(
        "v1", "Pod", "running", spec={"containers": [{"name": "main", "image": "nginx", "resources": _SIZED}]}
    ),
    "whole": _object(
        "v1",
        "Pod",
        "whole",
        spec={
            "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}},
            "containers": [{"name": "main", "image": "nginx"}],
        },
    ),
    "dying": {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"name": "dying", "finalizers": ["example.com/one", "example.com/two"]},
        "template": _TEMPLATE,
    },
    "complete": _object("batch/v1", "Job", "complete", spec={"template": _ONCE, "completions": 3}),
    "paused": _object("batch/v1", "Job", "paused", spec={"template": _ONCE, "suspend": True}),
    "begun": _object("batch/v1", "Job", "begun", spec={"template": _ONCE, "completions": 3}),
    "picky": _object(
        "batch/v1",
        "Job",
        "picky",
        spec={
            "template": _ONCE,
            "completions": 3,
            "parallelism": 3,
            "completionMode": "Indexed",
            "successPolicy": {"rules": [{"succeededIndexes": "0-1"}]},
        },
    ),
    "rich": RICH,
    "richpod": RICH_POD,
    "collided": _object("apps/v1", "Deployment", "collided", spec=_SELECTING),
    "windows": _object("v1", "Pod", "windows", spec={"os": {"name": "windows"}, "containers": POD["containers"]}),
    "podtemplate": _object("v1", "PodTemplate", "podtemplate", template=_TEMPLATE),
    "deployment": _object("apps/v1", "Deployment", "deployment", spec=_SELECTING),
    "replicaset": _object("apps/v1", "ReplicaSet", "replicaset", spec=_SELECTING),
    "rc": _object("v1", "ReplicationController", "rc", spec={"selector": _LABELS, "template": _TEMPLATE}),
    "daemonset": _object("apps/v1", "DaemonSet", "daemonset", spec=_SELECTING),
    "statefulset": _object(
        "apps/v1",
        "StatefulSet",
        "statefulset",
        spec={
            **_SELECTING,
            "serviceName": "web",
            "volumeClaimTemplates": [
                {
                    "metadata": {"name": "files"},
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
                }
            ],
        },
    ),
    "revision": _object("apps/v1", "ControllerRevision", "revision", data={"a": 1}, revision=1),
    "job": _object("batch/v1", "Job", "job", spec={"template": _ONCE, "completions": 3, "parallelism": 2}),
    "indexed": _object(
        "batch/v1",
        "Job",
        "indexed",
        spec={
            "template": _ONCE,
            "completions": 3,
            "parallelism": 3,
            "completionMode": "Indexed",
            "backoffLimitPerIndex": 1,
        },
    ),
    "asleep": _object("batch/v1", "Job", "asleep", spec={"template": _ONCE, "suspend": True}),
    "manual": _object(
        "batch/v1",
        "Job",
        "manual",
        spec={
            "manualSelector": True,
            "selector": {"matchLabels": _LABELS},
            "template": {**_ONCE, "metadata": {"labels": _LABELS}},
        },
    ),
    "cronjob": _object(
        "batch/v1",
        "CronJob",
        "cronjob",
        spec={"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": _ONCE}}},
    ),
}


class Step(NamedTuple):
    """What happens to a stored object before it is broken."""

    verb: str
    edits: dict[str, Json]


def _status(name: str, **state: Json) -> JsonObject:
    return {"name": name, "image": "", "imageID": "", "ready": False, "restartCount": 0, "state": state}


_EXITED = {"exitCode": 1, "startedAt": None, "finishedAt": None}
_START, _END = "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"

LATER: dict[str, Step] = {
    "visited": Step(
        "ephemeralcontainers",
        {
            "spec|ephemeralContainers": [
                {
                    "name": "visitor",
                    "image": "busybox",
                    "imagePullPolicy": "Always",
                    "terminationMessagePolicy": "File",
                    "terminationMessagePath": "/dev/termination-log",
                }
            ]
        },
    ),
    "ended": Step(
        "status",
        {
            "status|initContainerStatuses": [_status("first", terminated={"exitCode": 0})],
            "status|containerStatuses": [
                _status(name, terminated=_EXITED) for name in ("main", "again", "failed", "ruled", "unruled")
            ],
            "status|ephemeralContainerStatuses": [_status("visitor", terminated=_EXITED)],
        },
    ),
    "restarting": Step("status", {"status|containerStatuses": [_status("main", terminated=_EXITED)]}),
    "running": Step("status", {"status|containerStatuses": [_status("main", running={})]}),
    "dying": Step("delete", {}),
    "complete": Step(
        "status",
        {
            "status|conditions": [{"type": each, "status": "True"} for each in ("SuccessCriteriaMet", "Complete")],
            "status|startTime": _START,
            "status|completionTime": _END,
            "status|succeeded": 3,
            "status|failed": 2,
        },
    ),
    "paused": Step(
        "status",
        {
            "status|startTime": _START,
            "status|active": 1,
            "status|conditions": [{"type": "Suspended", "status": "True"}],
        },
    ),
    "begun": Step("status", {"status|startTime": _START, "status|active": 2}),
    "collided": Step("status", {"status|collisionCount": 2}),
}
