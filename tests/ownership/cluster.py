"""A small read-only API in this process: it lists and gets what a test puts there, whole or as metadata."""

from urllib.parse import parse_qs

from plumbline.base.json import encode
from plumbline.kube.client import Client, Response

KINDS = {
    ("", "v1"): [("configmaps", "ConfigMap", True), ("secrets", "Secret", True), ("pods", "Pod", True), ("namespaces", "Namespace", False)],
    ("apps", "v1"): [("deployments", "Deployment", True), ("replicasets", "ReplicaSet", True)],
    ("argoproj.io", "v1alpha1"): [("applications", "Application", True)],
    ("apiextensions.crossplane.io", "v1"): [("compositeresourcedefinitions", "CompositeResourceDefinition", False)],
    ("example.org", "v1"): [("xdatabases", "XDatabase", False), ("databases", "Database", True)],
    ("rds.aws.upbound.io", "v1beta3"): [("instances", "Instance", False)],
    ("kubernetes.crossplane.io", "v1alpha2"): [("objects", "Object", False), ("providerconfigs", "ProviderConfig", False)],
    ("infra.contrib.fluxcd.io", "v1alpha2"): [("terraforms", "Terraform", True)],
    ("metrics.k8s.io", "v1beta1"): [("nodes", "NodeMetrics", False)],
}  # fmt: skip
METADATA = "PartialObjectMetadata"


class SmallCluster:
    def __init__(self, *objects, refused=(), absent=()):
        self.objects = objects
        self.refused = frozenset(refused)
        self.kinds = {at: [each for each in kinds if each[1] not in absent] for at, kinds in KINDS.items()}
        self.requests = []

    @property
    def client(self):
        return Client(self)

    async def close(self): ...

    async def send(self, request):
        self.requests.append(request)
        return self._answer(request)

    def _answer(self, request):
        if request.path == "/api":
            return _json({"kind": "APIVersions", "versions": ["v1"]})
        if request.path == "/apis":
            versions = [(group, version) for group, version in self.kinds if group]
            groups = [
                {"name": g, "versions": [{"version": v}], "preferredVersion": {"version": v}} for g, v in versions
            ]
            return _json({"kind": "APIGroupList", "groups": groups})
        for (group, version), kinds in self.kinds.items():
            root = f"/apis/{group}/{version}" if group else f"/api/{version}"
            if request.path == root:
                return _json({"kind": "APIResourceList", "resources": [_resource(*each) for each in kinds]})
            for plural, kind, _ in kinds:
                if request.path.startswith(root) and plural in request.path.split("/"):
                    return self._serve(request, f"{group}/{version}" if group else version, kind, plural)
        return _status(404, "NotFound")

    def _serve(self, request, version, kind, plural):
        if kind in self.refused:
            return _status(403, "Forbidden")
        found = [each for each in self.objects if (each["apiVersion"], each["kind"]) == (version, kind)]
        partial = METADATA in dict(request.headers)["Accept"]
        shown = [_partial(each) if partial else each for each in found]
        tail = request.path.split("/")
        if tail[-1] != plural:
            namespace = tail[tail.index("namespaces") + 1] if "namespaces" in tail else ""
            for each, form in zip(found, shown, strict=True):
                if (each["metadata"].get("namespace", ""), each["metadata"]["name"]) == (namespace, tail[-1]):
                    return _json(form)
            return _status(404, "NotFound")
        query = parse_qs(request.query)
        items = [form for each, form in zip(found, shown, strict=True) if _selected(each, query)]
        name = f"{METADATA}List" if partial else f"{kind}List"
        return _json({"kind": name, "apiVersion": version, "metadata": {"resourceVersion": "1"}, "items": items})


def _selected(obj, query):
    metadata = obj["metadata"]
    if labels := query.get("labelSelector"):
        key, _, value = labels[0].partition("=")
        return metadata.get("labels", {}).get(key) == value
    if fields := query.get("fieldSelector"):
        return metadata["name"] == fields[0].partition("=")[2]
    return True


def _partial(obj):
    return {"kind": METADATA, "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}


def _resource(plural, kind, namespaced):
    return {
        "name": plural,
        "kind": kind,
        "namespaced": namespaced,
        "verbs": ["get", "list"],
        "singularName": kind.lower(),
    }


def _json(value):
    return Response(200, {"content-type": "application/json"}, encode(value))


def _status(code, reason):
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": reason,
        "code": code,
        "message": reason,
    }
    return Response(code, {"content-type": "application/json"}, encode(body))
