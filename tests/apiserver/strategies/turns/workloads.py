"""What makes pods."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.turns.samples import (
    APPARMOR,
    APPS,
    BATCH,
    CORE,
    changed,
    container,
    job,
    made,
    patched,
    template,
    workload,
)

SCRIPTS: Mapping[str, Script] = {
    "jobs select their pods": [
        made(f"{BATCH}/jobs", job()),
        made(f"{BATCH}/jobs", job("manual", manualSelector=True, selector={"matchLabels": {"a": "b"}})),
        made(
            f"{BATCH}/jobs",
            job("unlabelled", template={"spec": {"restartPolicy": "Never", "containers": [container()]}}),
        ),
        made(f"{BATCH}/jobs", job("wrong", selector={"matchLabels": {"a": "b"}})),
        made(
            f"{BATCH}/jobs",
            job("own", template=template(restartPolicy="Never", metadata={"labels": {"job-name": "mine"}})),
        ),
        Step("DELETE", f"{BATCH}/jobs/j"),
        Step("GET", f"{BATCH}/jobs/j"),
        Step("DELETE", f"{BATCH}/jobs/manual", {"propagationPolicy": "Background"}),
    ],
    "templates counted": [
        made(f"{APPS}/daemonsets", workload()),
        patched(f"{APPS}/daemonsets/w", {"spec": {"template": {"spec": {"hostname": "h"}}}}),
        patched(f"{APPS}/daemonsets/w", {"spec": {"minReadySeconds": 3}}),
        patched(
            f"{APPS}/daemonsets/w", {"metadata": {"annotations": {"deprecated.daemonset.template.generation": "99"}}}
        ),
        changed(f"{APPS}/daemonsets/w", lambda obj: {**obj, "metadata": {**obj["metadata"], "annotations": {}}}),
    ],
    "annotations counted": [
        made(f"{APPS}/deployments", workload()),
        patched(f"{APPS}/deployments/w", {"metadata": {"annotations": {"x": "y"}}}),
        patched(f"{APPS}/deployments/w", {"metadata": {"labels": {"x": "y"}}}),
        changed(
            f"{APPS}/deployments/w/status",
            lambda obj: {
                **obj,
                "metadata": {**obj["metadata"], "labels": {"z": "z"}, "annotations": {"p": "q"}},
                "status": {"replicas": 3},
            },
        ),
        patched(f"{APPS}/deployments/w/scale", {"spec": {"replicas": 5}}),
        Step("GET", f"{APPS}/deployments/w"),
    ],
    "names that are no labels": [
        made(f"{APPS}/deployments", workload("a.b")),
        made(f"{APPS}/replicasets", workload("a.b")),
        made(
            f"{CORE}/replicationcontrollers",
            {"metadata": {"name": "a.b"}, "spec": {"template": template(), "selector": {"a": "b"}}},
        ),
        made(f"{BATCH}/jobs", job("a.b")),
        made(
            f"{BATCH}/cronjobs",
            {"metadata": {"name": "a.b"}, "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job()["spec"]}}},
        ),
        made(f"{APPS}/daemonsets", workload("a.b")),
    ],
    "warned of templates": [
        made(
            f"{APPS}/deployments",
            workload(
                "d",
                template=template(
                    nodeSelector={"beta.kubernetes.io/os": "x"},
                    metadata={"annotations": {f"{APPARMOR}/c": "unconfined"}},
                ),
            ),
        ),
        patched(f"{APPS}/deployments/d", {"spec": {"replicas": 2}}),
        patched(f"{APPS}/deployments/d", {"metadata": {"labels": {"x": "y"}}}),
        made(
            f"{CORE}/replicationcontrollers",
            {
                "metadata": {"name": "r"},
                "spec": {"template": template(nodeSelector={"beta.kubernetes.io/os": "x"}), "selector": {"a": "b"}},
            },
        ),
        patched(f"{CORE}/replicationcontrollers/r", {"spec": {"template": {"spec": {"nodeSelector": None}}}}),
        patched(f"{CORE}/replicationcontrollers/r", {"spec": {"replicas": 3}}),
        made(
            f"{APPS}/statefulsets",
            workload(
                "s",
                serviceName="s",
                revisionHistoryLimit=-1,
                volumeClaimTemplates=[
                    {
                        "metadata": {"name": "v"},
                        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1500m"}}},
                    }
                ],
            ),
        ),
        patched(f"{APPS}/statefulsets/s", {"metadata": {"labels": {"x": "y"}}}),
        made(f"{APPS}/daemonsets", workload("d", template=template(nodeSelector={"beta.kubernetes.io/os": "x"}))),
        patched(f"{APPS}/daemonsets/d", {"spec": {"minReadySeconds": 2}}),
        patched(f"{APPS}/daemonsets/d", {"spec": {"template": {"spec": {"hostname": "h"}}}}),
        made(
            f"{CORE}/podtemplates",
            {"metadata": {"name": "t"}, "template": template(nodeSelector={"beta.kubernetes.io/os": "x"})},
        ),
        patched(f"{CORE}/podtemplates/t", {"template": {"spec": {"hostname": "h"}}}),
        made(
            f"{BATCH}/cronjobs",
            {
                "metadata": {"name": "c"},
                "spec": {
                    "schedule": "* * * * *",
                    "jobTemplate": {
                        "spec": {
                            "template": template(restartPolicy="Never", nodeSelector={"beta.kubernetes.io/os": "x"})
                        }
                    },
                },
            },
        ),
        patched(f"{BATCH}/cronjobs/c", {"spec": {"suspend": True}}),
        made(f"{BATCH}/jobs", job("indexed", completionMode="Indexed", completions=100001, parallelism=10001)),
    ],
}
