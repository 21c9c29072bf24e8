"""Changes to pods that are refused."""

from .case import GONE, table

_TERMS = "affinity|nodeAffinity|requiredDuringSchedulingIgnoredDuringExecution|nodeSelectorTerms"
_VISITOR = {
    "name": "visitor",
    "image": "busybox",
    "imagePullPolicy": "Always",
    "terminationMessagePolicy": "File",
    "terminationMessagePath": "/dev/termination-log",
    "resources": {},
}
_ENDED = {"terminated": {"exitCode": 1}}

_PLAIN = [
    *table(
        "pod",
        ("another image", {"containers|0|image": "nginx:2"}),
        ("no image", {"containers|0|image": ""}),
        ("an image with a space", {"initContainers|0|image": " a"}),
        ("one container more", {"containers|2": {**_VISITOR}}),
        ("one container less", {"initContainers": GONE}),
        ("another name", {"containers|0|name": "renamed"}),
        ("a variable with markup", {"containers|0|env": [{"name": "A", "value": "<a>&b"}]}),
        ("an argument and a node selector", {"containers|1|args": ["a"], "nodeSelector": {"a": "b"}}),
        ("the network of the host", {"hostNetwork": True}),
        ("another service account", {"serviceAccountName": "x", "serviceAccount": "x"}),
        ("a volume less", {"volumes": [{"name": "scratch", "emptyDir": {}}]}),
        ("a deadline", {"activeDeadlineSeconds": 5}),
        ("a deadline below zero", {"activeDeadlineSeconds": -5}),
        ("one toleration more", {"tolerations|2": {"key": "a", "operator": "Exists"}}),
        ("one bad toleration more", {"tolerations|2": {"key": "a b", "operator": "Exists"}}),
        ("a longer toleration", {"tolerations|0|tolerationSeconds": 5}),
        ("a gate", {"schedulingGates": [{"name": "example.com/late"}]}),
        ("another grace period", {"terminationGracePeriodSeconds": 5}),
        (
            "a quantity of memory",
            {"containers|0|resources": {"limits": {"memory": "1Gi"}, "requests": {"memory": "1Gi"}}},
        ),
        ("a readiness gate", {"readinessGates": [{"conditionType": "a b"}]}),
        at="spec|",
        verb="update",
    ),
    *table(
        "pod",
        ("nothing", {}),
        ("a label", {"labels": {"a": "b"}}),
        ("a mirror", {"annotations": {"kubernetes.io/config.mirror": "x"}}),
        ("a profile", {"annotations": {"container.apparmor.security.beta.kubernetes.io/main": "unconfined"}}),
        ("a bad cost", {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "x"}}),
        at="metadata|",
        verb="update",
    ),
    *table(
        "hasty",
        ("a later deadline", {"activeDeadlineSeconds": 101}),
        ("an earlier deadline", {"activeDeadlineSeconds": 99}),
        ("no deadline", {"activeDeadlineSeconds": GONE}),
        ("another toleration", {"tolerations|0|key": "b"}),
        ("an older toleration first", {"tolerations|0": {"key": "b", "operator": "Exists"}}),
        at="spec|",
        verb="update",
    ),
]
_GATED = table(
    "gated",
    ("a gate less", {"schedulingGates": [{"name": "example.com/one"}]}),
    ("a gate more", {"schedulingGates|2": {"name": "example.com/three"}}),
    ("a node selector more", {"nodeSelector|zone": "a"}),
    ("a node selector less", {"nodeSelector": GONE}),
    ("another node selector", {"nodeSelector|disk": "hdd"}),
    ("an expression more", {f"{_TERMS}|0|matchExpressions|1": {"key": "c", "operator": "Exists"}}),
    ("another expression", {f"{_TERMS}|0|matchExpressions|0|key": "c"}),
    ("a term more", {f"{_TERMS}|1": {"matchExpressions": [{"key": "c", "operator": "Exists"}]}}),
    ("no affinity", {"affinity": GONE}),
    (
        "an affinity to pods",
        {"affinity|podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a"}]}},
    ),
    at="spec|",
    verb="update",
)
_VISITED = [
    *table(
        "pod",
        ("a visitor", {"ephemeralContainers": [_VISITOR]}),
        ("a visitor without an image", {"ephemeralContainers": [{**_VISITOR, "image": ""}]}),
        ("a visitor with a padded image", {"ephemeralContainers": [{**_VISITOR, "image": " a"}]}),
        ("a visitor by the name of another", {"ephemeralContainers": [{**_VISITOR, "name": "main"}]}),
        ("a visitor of nobody", {"ephemeralContainers": [{**_VISITOR, "targetContainerName": "x"}]}),
        (
            "a visitor with everything",
            {
                "ephemeralContainers": [
                    {
                        **_VISITOR,
                        "ports": [{"containerPort": 80, "protocol": "TCP"}],
                        "resources": {"limits": {"cpu": "1"}},
                        "lifecycle": {"preStop": {"exec": {"command": ["a"]}}},
                        "livenessProbe": {"exec": {"command": ["a"]}},
                        "readinessProbe": {"exec": {"command": ["a"]}},
                        "startupProbe": {"exec": {"command": ["a"]}},
                        "volumeMounts": [
                            {"name": "scratch", "mountPath": "/a", "subPath": "b"},
                            {"name": "scratch", "mountPath": "/b", "subPathExpr": "b"},
                        ],
                    }
                ]
            },
        ),
        at="spec|",
        verb="ephemeralcontainers",
    ),
]
_RESIZED = table(
    "sized",
    ("more CPU", {"containers|0|resources|requests|cpu": "150m"}),
    ("more CPU to start with", {"initContainers|0|resources|requests|cpu": "150m"}),
    (
        "no memory",
        {"containers|0|resources|requests": {"cpu": "100m"}, "containers|0|resources|limits": {"cpu": "200m"}},
    ),
    ("no limits", {"containers|0|resources|limits": GONE}),
    ("nothing to start with", {"initContainers|0|resources": {}}),
    ("more than the limit", {"containers|0|resources|requests|cpu": "3"}),
    (
        "another quality",
        {
            "containers|0|resources|requests": {"cpu": "200m", "memory": "128Mi"},
            "initContainers|0|resources|requests": {"cpu": "200m", "memory": "128Mi"},
        },
    ),
    ("a container more", {"containers|1": {**_VISITOR}}),
    ("another name", {"containers|0|name": "renamed"}),
    ("another name to start with", {"initContainers|0|name": "renamed"}),
    ("storage", {"containers|0|resources|limits|ephemeral-storage": "1Gi"}),
    ("resources of the pod", {"resources": {"requests": {"cpu": "1"}}}),
    at="spec|",
    verb="resize",
)
_REPORTED = table(
    "pod",
    (
        "conditions",
        {
            "conditions": [
                {"type": "a b", "status": "True", "observedGeneration": -1},
                {"type": "Ready", "status": "True"},
            ]
        },
    ),
    ("a bad nomination", {"nominatedNodeName": "A"}),
    ("a generation below zero", {"observedGeneration": -1}),
    ("another quality", {"qosClass": "Guaranteed"}),
    ("claims that nobody made", {"resourceClaimStatuses": [{"name": "a", "resourceClaimName": "A"}, {"name": "a"}]}),
    ("addresses that are none", {"podIP": "a", "podIPs": [{"ip": "a"}]}),
    ("two addresses of one family", {"podIP": "1.1.1.1", "podIPs": [{"ip": "1.1.1.1"}, {"ip": "1.1.1.2"}]}),
    ("two addresses of which one is none", {"podIP": "1.1.1.1", "podIPs": [{"ip": "1.1.1.1"}, {"ip": "b"}]}),
    ("two addresses", {"podIP": "1.1.1.1", "podIPs": [{"ip": "1.1.1.1"}, {"ip": "::1"}]}),
    ("another host", {"hostIP": "1.1.1.1", "hostIPs": [{"ip": "1.1.1.2"}]}),
    (
        "users below zero",
        {
            "containerStatuses": [
                {
                    "name": "main",
                    "image": "",
                    "imageID": "",
                    "ready": False,
                    "restartCount": 0,
                    "user": {"linux": {"uid": -1, "gid": -1, "supplementalGroups": [-1]}},
                }
            ]
        },
    ),
    (
        "resources that were not asked for",
        {
            "containerStatuses": [
                {
                    "name": "main",
                    "image": "",
                    "imageID": "",
                    "ready": False,
                    "restartCount": 0,
                    "allocatedResourcesStatus": [
                        {
                            "name": "example.com/gpu",
                            "resources": [
                                {"resourceID": "a", "health": "Ill", "message": ""},
                                {"resourceID": "a", "health": "Healthy", "message": "x" * 1025},
                            ],
                        },
                        {"name": "claim:a"},
                    ],
                }
            ],
            "ephemeralContainerStatuses": [
                {
                    "name": "x",
                    "image": "",
                    "imageID": "",
                    "ready": False,
                    "restartCount": 0,
                    "allocatedResourcesStatus": [{"name": "a"}],
                }
            ],
        },
    ),
    at="status|",
    verb="status",
)

CASES = [*_PLAIN, *_GATED, *_VISITED, *_RESIZED, *_REPORTED]
