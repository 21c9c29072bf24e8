"""What the tests of comparing share: objects as clusters hold them, and who wrote them."""

from plumbline.base.json import encode
from plumbline.delivery.values import Observed
from plumbline.kernel.cache import Relevance, cached
from plumbline.kinds.application import ResourceIgnoreDifferences
from plumbline.kube.apply import Writer, apply, track_update
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import FREE, builtin_shape

US = "argocd-controller"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
TRACKING_ID = "argocd.argoproj.io/tracking-id"


def shape_of(obj):
    return builtin_shape(GroupVersionKind.of(obj)) or FREE


def applied(obj, by=US, live=None, at="2026-01-01T00:00:00Z"):
    return apply(live, obj, Writer(by, obj["apiVersion"], at), shape_of(obj), force=True)


def updated(live, changes, by, at="2026-01-01T00:00:01Z", subresource=""):
    return track_update(live, {**live, **changes}, Writer(by, live["apiVersion"], at, subresource), shape_of(live))


def ignore(kind="*", group="*", **more):
    return ResourceIgnoreDifferences(group=group, kind=kind, **more)


def deployment(replicas=3, image="web:1", **spec):
    container = {"name": "web", "image": image, "resources": {"limits": {"cpu": "500m"}}}
    body = {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": ({} if replicas is None else {"replicas": replicas}) | body | spec,
    }


def config_map(name="c", **entries):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": entries}


def secret(**fields):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, **fields}


def scaled(live, replicas, by="kube-controller-manager"):
    """As an autoscaler or `kubectl scale` does it."""
    return updated(live, {"spec": {**live["spec"], "replicas": replicas}}, by, subresource="scale")


def observed(obj, health=None):
    return Observed(cached(encode(obj), Relevance(status=False)), health)
