"""The pure part of kube on a Deployment of 200 lines."""

from bench.timing import best_ms, line
from plumbline.base.json import decode, encode
from plumbline.kube.apply import Writer, apply, track_update
from plumbline.kube.diff import diff
from plumbline.kube.health import assess
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.patch import merge_patch, strategic_patch
from plumbline.kube.schema import builtin_shape

SHAPE = builtin_shape(GroupVersionKind("apps", "v1", "Deployment"))
US = "argocd-controller"


def container(index):
    def probe(path):
        return {"httpGet": {"path": path, "port": "http", "scheme": "HTTP"}, "periodSeconds": 10, "failureThreshold": 3}

    return {
        "name": f"c{index}",
        "image": f"registry.example.com/team/app-{index}:1.2.3",
        "args": ["--verbose", "--listen=:8080"],
        "ports": [
            {"name": "http", "containerPort": 8080, "protocol": "TCP"},
            {"name": "metrics", "containerPort": 9090},
        ],
        "env": [{"name": f"SETTING_{n}", "value": str(n)} for n in range(9)],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
        "livenessProbe": probe("/healthz"),
        "readinessProbe": probe("/readyz"),
        "volumeMounts": [{"name": "config", "mountPath": "/etc/app"}, {"name": "cache", "mountPath": "/cache"}],
        "securityContext": {"runAsNonRoot": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }


def deployment(image="registry.example.com/team/app-0:1.2.3"):
    containers = [container(0), container(1)]
    containers[0]["image"] = image
    pod = {
        "serviceAccountName": "web",
        "containers": containers,
        "volumes": [{"name": "config", "configMap": {"name": "web"}}, {"name": "cache", "emptyDir": {}}],
        "tolerations": [{"key": "spot", "operator": "Exists"}],
        "terminationGracePeriodSeconds": 30,
    }
    labels = {f"example.com/label-{n}": "x" for n in range(5)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "labels": labels, "annotations": dict(labels)},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "web"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod},
        },
    }


def live_object():
    obj = apply(None, deployment(), Writer(US, "apps/v1", "2026-01-01T00:00:00Z"), SHAPE)
    status = {"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "availableReplicas": 3, "readyReplicas": 3}
    controller = Writer("kube-controller-manager", "apps/v1", "2026-01-01T00:00:01Z", "status")
    return track_update(obj, {**obj, "status": status}, controller, SHAPE)


def run():
    live, same, changed = live_object(), deployment(), deployment(image="registry.example.com/team/app-0:1.2.4")
    later = Writer(US, "apps/v1", "2026-01-02T00:00:00Z")
    fewer = deployment()
    del fewer["spec"]["template"]["spec"]["containers"][0]["env"][3]
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "c0", "image": "x"}]}}}}
    assert diff(same, live, SHAPE, manager=US) == []
    assert len(diff(changed, live, SHAPE, manager=US)) == 1
    figures = (
        ("diff, nothing differs", lambda: diff(same, live, SHAPE, manager=US), "<= 0.3 ms"),
        ("diff, the image differs", lambda: diff(changed, live, SHAPE, manager=US), "<= 0.3 ms"),
        ("server-side apply, nothing changes", lambda: apply(live, same, later, SHAPE), "<= 1.5 ms"),
        ("server-side apply, the image changes", lambda: apply(live, changed, later, SHAPE), "<= 1.5 ms"),
        ("server-side apply, a variable is given up", lambda: apply(live, fewer, later, SHAPE), "<= 1.5 ms"),
        ("tracking an update", lambda: track_update(live, {**live, **changed, "metadata": live["metadata"]}, later, SHAPE), ""),
        ("strategic merge patch", lambda: strategic_patch(live, patch, SHAPE), ""),
        ("merge patch", lambda: merge_patch(live, patch), ""),
        ("health", lambda: assess(live), ""),
        ("decode and encode, for comparison", lambda: encode(decode(encode(live))), ""),
    )  # fmt: skip
    for what, action, budget in figures:
        line(what, f"{best_ms(action):.3f} ms", budget)
