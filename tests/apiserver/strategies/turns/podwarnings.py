"""Pods that are taken, with a warning."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script
from tests.apiserver.strategies.turns.samples import container, made_pod

SECCOMP = "container.seccomp.security.alpha.kubernetes.io"
NODE = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "beta.kubernetes.io/os", "operator": "Exists"}]}]
    }
}

SCRIPTS: Mapping[str, Script] = {
    "warned of labels and annotations": [
        made_pod("a.b"),
        made_pod("x", nodeSelector={"beta.kubernetes.io/arch": "a", "fine": "c"}),
        made_pod("y", affinity={"nodeAffinity": NODE}),
        made_pod(
            "z",
            affinity={
                "nodeAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "weight": 1,
                            "preference": {"matchExpressions": [{"key": "k", "operator": "In", "values": ["-bad"]}]},
                        }
                    ]
                }
            },
        ),
        made_pod(
            "t",
            topologySpreadConstraints=[
                {"maxSkew": 1, "topologyKey": "beta.kubernetes.io/os", "whenUnsatisfiable": "DoNotSchedule"}
            ],
        ),
        made_pod(
            "n",
            metadata={
                "annotations": {
                    "scheduler.alpha.kubernetes.io/critical-pod": "",
                    "security.alpha.kubernetes.io/sysctls": "a=b",
                }
            },
        ),
        made_pod(
            "s",
            metadata={
                "annotations": {"seccomp.security.alpha.kubernetes.io/pod": "unconfined", f"{SECCOMP}/c": "localhost/x"}
            },
        ),
    ],
    "warned of volumes": [
        made_pod(
            "gone",
            volumes=[
                {"name": "a", "gitRepo": {"repository": "r"}},
                {"name": "b", "rbd": {"monitors": ["m"], "image": "i"}},
                {"name": "c", "storageos": {"volumeName": "v"}},
                {"name": "d", "cephfs": {"monitors": ["m"]}},
                {"name": "e", "glusterfs": {"endpoints": "e", "path": "p"}},
            ],
        ),
        made_pod(
            "over",
            volumes=[
                {
                    "name": "a",
                    "configMap": {"name": "x", "items": [{"key": "k", "path": "p"}, {"key": "l", "path": "p/q"}]},
                },
                {
                    "name": "b",
                    "secret": {"secretName": "y", "items": [{"key": "k", "path": "p"}, {"key": "l", "path": "p"}]},
                },
            ],
        ),
        made_pod(
            "proj",
            volumes=[
                {
                    "name": "a",
                    "projected": {
                        "sources": [
                            {"serviceAccountToken": {"path": "t"}},
                            {"secret": {"name": "s", "items": [{"key": "k", "path": "t"}]}},
                            {"downwardAPI": {"items": [{"path": "t/u", "fieldRef": {"fieldPath": "metadata.name"}}]}},
                        ]
                    },
                }
            ],
        ),
        made_pod("none", volumes=[{"name": "a", "projected": {"sources": [{}]}}]),
        made_pod(
            "down",
            volumes=[
                {
                    "name": "a",
                    "downwardAPI": {
                        "items": [
                            {"path": "t", "fieldRef": {"fieldPath": "metadata.name"}},
                            {"path": "t/u", "fieldRef": {"fieldPath": "metadata.name"}},
                        ]
                    },
                }
            ],
        ),
        made_pod(
            "claim",
            volumes=[
                {
                    "name": "a",
                    "ephemeral": {
                        "volumeClaimTemplate": {
                            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1500m"}}}
                        }
                    },
                }
            ],
        ),
    ],
    "warned of the rest": [
        made_pod(
            "alias",
            hostAliases=[
                {"ip": "1.2.3.4", "hostnames": ["a"]},
                {"ip": "1.2.3.4", "hostnames": ["b"]},
                {"ip": "::ffff:1.2.3.4", "hostnames": ["b"]},
            ],
        ),
        made_pod("secrets", imagePullSecrets=[{"name": "a"}, {"name": "a"}, {}]),
        made_pod(
            "amount",
            [
                container(
                    resources={
                        "limits": {"memory": "1500m", "ephemeral-storage": "1500m"},
                        "requests": {"memory": "1200m"},
                    }
                )
            ],
        ),
        made_pod(
            "env",
            [
                container(
                    env=[
                        {"name": "A", "value": "1"},
                        {"name": "A", "value": "$(A)2"},
                        {"name": "A", "value": "3"},
                        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                    ]
                )
            ],
        ),
        made_pod(
            "ports",
            [
                container(
                    ports=[
                        {"containerPort": 80, "name": "x"},
                        {"containerPort": 80, "hostPort": 81},
                        {"containerPort": 80},
                    ]
                ),
                container("d", ports=[{"containerPort": 80, "name": "x"}, {"containerPort": 90, "hostIP": "1.2.3.4"}]),
            ],
        ),
        made_pod(
            "ambiguous",
            [
                container(ports=[{"containerPort": 80, "hostPort": 80}]),
                container("d", ports=[{"containerPort": 80, "hostPort": 80, "hostIP": "1.2.3.4"}]),
            ],
        ),
        made_pod("grace", terminationGracePeriodSeconds=-1),
        made_pod(
            "affinity",
            affinity={
                "podAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "t"}],
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 1, "podAffinityTerm": {"topologyKey": "t"}}
                    ],
                }
            },
        ),
        made_pod("dns", dnsPolicy="None", dnsConfig={"nameservers": ["001.2.3.4", "fd00:0::1"]}),
    ],
}
