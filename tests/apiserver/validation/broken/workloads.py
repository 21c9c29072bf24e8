"""Workloads that are refused."""

from .case import GONE, table

_BAD = {"matchExpressions": [{"key": "app", "operator": "Is"}]}


def _template(base):
    return table(
        base,
        ("a selector for others", {"template|metadata|labels": {"app": "other"}}),
        ("no labels", {"template|metadata": {}}),
        ("a bad label", {"template|metadata|labels": {"app": "web", "a": "b c"}}),
        ("a bad annotation", {"template|metadata|annotations": {"a b": "c"}}),
        ("a bad cost", {"template|metadata|annotations": {"controller.kubernetes.io/pod-deletion-cost": "x"}}),
        ("pods that end", {"template|spec|restartPolicy": "Never"}),
        ("pods with a deadline", {"template|spec|activeDeadlineSeconds": 5}),
        ("no containers", {"template|spec|containers": []}),
        ("a padded image is fine", {"template|spec|containers|0|image": " nginx"}),
        (
            "visitors",
            {
                "template|spec|ephemeralContainers": [
                    {"name": "v", "image": "a", "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}
                ]
            },
        ),
        (
            "a port of the host",
            {
                "template|spec|hostNetwork": True,
                "template|spec|containers|0|ports": [{"containerPort": 80, "hostPort": 81, "protocol": "TCP"}],
            },
        ),
        (
            "a token",
            {
                "template|spec|volumes": [
                    {
                        "name": "a",
                        "projected": {
                            "defaultMode": 420,
                            "sources": [{"serviceAccountToken": {"path": "a", "expirationSeconds": 600}}],
                        },
                    }
                ]
            },
        ),
        at="spec|",
    )


def _selecting(base):
    return table(
        base,
        ("no selector", {"selector": GONE}),
        ("an empty selector", {"selector": {}}),
        ("a selector that is none", {"selector": _BAD}),
        ("a bad label to select", {"selector": {"matchLabels": {"app": "b c"}}}),
        (
            "a bad value to select",
            {"selector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a b"]}]}},
        ),
        ("replicas below zero", {"replicas": -1}),
        ("readiness below zero", {"minReadySeconds": -1}),
        at="spec|",
    )


def _fixed(base):
    return table(
        base,
        ("another selector", {"selector|matchLabels": {"app": "other"}}),
        ("a selector and its labels", {"selector|matchLabels|b": "c", "template|metadata|labels|b": "c"}),
        ("more replicas", {"replicas": 3}),
        ("another image", {"template|spec|containers|0|image": "nginx:2"}),
        ("no image", {"template|spec|containers|0|image": ""}),
        at="spec|",
        verb="update",
    )


def _rolling(why, **held):
    return why, {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0, **held}}}


_DEPLOYMENT = [
    *_template("deployment"),
    *_selecting("deployment"),
    *_fixed("deployment"),
    *table(
        "deployment",
        _rolling("no progress", maxSurge=0),
        _rolling("no progress in percent", maxSurge="0%", maxUnavailable="0%"),
        _rolling("counts below zero", maxSurge=-1, maxUnavailable=-2),
        _rolling("no percentages", maxSurge="a", maxUnavailable="5"),
        _rolling("more than all", maxUnavailable="101%", maxSurge="200%"),
        ("an unknown strategy", {"strategy": {"type": "Sideways"}}),
        (
            "a strategy for another",
            {"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}},
        ),
        ("history below zero", {"revisionHistoryLimit": -1}),
        ("a deadline before readiness", {"minReadySeconds": 10, "progressDeadlineSeconds": 10}),
        ("a deadline below zero", {"progressDeadlineSeconds": -1}),
        at="spec|",
    ),
    *table(
        "deployment",
        (
            "counts below zero",
            {
                "replicas": -1,
                "updatedReplicas": -1,
                "readyReplicas": -1,
                "availableReplicas": -1,
                "unavailableReplicas": -1,
                "collisionCount": -1,
                "observedGeneration": -1,
            },
        ),
        (
            "more ready than there are",
            {"replicas": 1, "readyReplicas": 2, "updatedReplicas": 2, "availableReplicas": 3},
        ),
        ("fewer than none", {"replicas": -1, "readyReplicas": -2}),
        ("what is right", {"replicas": 1, "readyReplicas": 1}),
        at="status|",
        verb="status",
    ),
]
_REPLICAS = [
    *_template("replicaset"),
    *_selecting("replicaset"),
    *_fixed("replicaset"),
    *table(
        "replicaset",
        (
            "counts below zero",
            {
                "replicas": -1,
                "fullyLabeledReplicas": -1,
                "readyReplicas": -1,
                "availableReplicas": -1,
                "observedGeneration": -1,
            },
        ),
        (
            "more ready than there are",
            {"replicas": 1, "readyReplicas": 2, "fullyLabeledReplicas": 2, "availableReplicas": 3},
        ),
        at="status|",
        verb="status",
    ),
    *_template("rc"),
    *table(
        "rc",
        ("no selector for labels", {"selector": {"x": "y"}}),
        ("replicas below zero", {"replicas": -1, "minReadySeconds": -1}),
        at="spec|",
    ),
    *table(
        "rc",
        ("another selector", {"selector": {"x": "y"}}),
        ("no image", {"template|spec|containers|0|image": ""}),
        at="spec|",
        verb="update",
    ),
    *table("rc", ("more ready than there are", {"replicas": 1, "readyReplicas": 2}), at="status|", verb="status"),
]
_DAEMONS = [
    *_template("daemonset"),
    *_fixed("daemonset"),
    *table(
        "daemonset",
        ("no selector", {"selector": GONE}),
        ("an empty selector", {"selector": {}}),
        ("a selector that is none", {"selector": _BAD}),
        ("an unknown strategy", {"updateStrategy": {"type": "Sideways"}}),
        ("no progress", {"updateStrategy|rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}),
        ("too much progress", {"updateStrategy|rollingUpdate": {"maxSurge": "50%", "maxUnavailable": 1}}),
        ("more than all", {"updateStrategy|rollingUpdate": {"maxSurge": "150%", "maxUnavailable": "200%"}}),
        ("no percentage", {"updateStrategy|rollingUpdate": {"maxSurge": "a", "maxUnavailable": -1}}),
        ("counts below zero", {"minReadySeconds": -1, "revisionHistoryLimit": -1}),
        at="spec|",
    ),
    *table(
        "daemonset",
        (
            "counts below zero",
            {
                "currentNumberScheduled": -1,
                "numberMisscheduled": -1,
                "desiredNumberScheduled": -1,
                "numberReady": -1,
                "collisionCount": -1,
            },
        ),
        at="status|",
        verb="status",
    ),
]
_STATEFUL = [
    *_template("statefulset"),
    *_selecting("statefulset"),
    *table(
        "statefulset",
        ("an unknown management", {"podManagementPolicy": "Chaos"}),
        ("an unknown strategy", {"updateStrategy": {"type": "Sideways"}}),
        ("a strategy for another", {"updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 1}}}),
        ("a partition below zero", {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": -1}}}),
        (
            "an unknown retention",
            {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Burn", "whenScaled": "Bury"}},
        ),
        ("a claim without storage", {"volumeClaimTemplates|0|spec|resources": {}}),
        ("a claim without modes", {"volumeClaimTemplates|0|spec|accessModes": []}),
        ("a start below zero", {"ordinals": {"start": -1}}),
        ("a bad service", {"serviceName": "A"}),
        ("a mount of a claim", {"template|spec|containers|0|volumeMounts": [{"name": "files", "mountPath": "/x"}]}),
        ("a mount of nothing", {"template|spec|containers|0|volumeMounts": [{"name": "nope", "mountPath": "/x"}]}),
        (
            "a volume behind a claim",
            {"template|spec|volumes": [{"name": "A", "emptyDir": {}}, {"name": "files", "emptyDir": {}}]},
        ),
        ("host names are not looked at", {"template|spec|hostname": "A.B", "template|spec|subdomain": "C.D"}),
        at="spec|",
    ),
    *table(
        "statefulset",
        ("another service", {"serviceName": "other"}),
        ("another claim", {"volumeClaimTemplates|0|spec|resources|requests|storage": "2Gi"}),
        ("another selector", {"selector|matchLabels|b": "c"}),
        ("another management", {"podManagementPolicy": "Parallel"}),
        ("what may change", {"replicas": 2, "minReadySeconds": 1, "ordinals": {"start": 1}, "revisionHistoryLimit": 2}),
        ("no image", {"template|spec|containers|0|image": ""}),
        (
            "another retention",
            {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Burn"}},
        ),
        at="spec|",
        verb="update",
    ),
    *table(
        "statefulset",
        (
            "counts below zero",
            {
                "replicas": -1,
                "readyReplicas": -1,
                "currentReplicas": -1,
                "updatedReplicas": -1,
                "availableReplicas": -1,
                "collisionCount": -1,
            },
        ),
        (
            "more ready than there are",
            {"replicas": 1, "readyReplicas": 2, "currentReplicas": 3, "updatedReplicas": 4, "availableReplicas": 5},
        ),
        at="status|",
        verb="status",
    ),
]
_RICH = [
    *table("rich", ("nothing wrong", {})),
    *table(
        "rich",
        ("nothing wrong", {}),
        ("another image", {"spec|template|spec|containers|1|image": "redis:8"}),
        ("a volume less", {"spec|template|spec|volumes": []}),
        verb="update",
    ),
    *table("richpod", ("nothing wrong", {})),
    *table(
        "richpod",
        ("nothing wrong", {}),
        ("another image", {"spec|containers|1|image": "redis:8"}),
        ("another command", {"spec|containers|1|command": ["a"]}),
        ("other security", {"spec|securityContext": {}, "spec|hostIPC": True}),
        ("other probes", {"spec|containers|0|livenessProbe": GONE, "spec|containers|0|startupProbe|grpc|port": 1}),
        verb="update",
    ),
    *table("richpod", ("nothing wrong", {}), verb="status"),
]
_OTHERS = [
    *table(
        "podtemplate",
        ("no image", {"containers|0|image": ""}),
        ("no containers", {"containers": []}),
        at="template|spec|",
    ),
    *table(
        "podtemplate",
        ("no image", {"template|spec|containers|0|image": ""}),
        ("another image", {"template|spec|containers|0|image": "a"}),
        verb="update",
    ),
    *table(
        "revision", ("no content", {"data": GONE}), ("a list", {"data": [1]}), ("a number below zero", {"revision": -1})
    ),
    *table(
        "revision",
        ("other content", {"data": {"a": 2}}),
        ("a number below zero", {"revision": -1}),
        ("another number", {"revision": 2}),
        verb="update",
    ),
]

CASES = [*_DEPLOYMENT, *_REPLICAS, *_DAEMONS, *_STATEFUL, *_RICH, *_OTHERS]
