"""A claim, what it is made of, and a workload, as objects in an API that nobody reconciles."""

import asyncio
import contextlib
import threading

from plumbline.apiserver.hosting import hosted
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Connection, Writing
from plumbline.kube.names import GroupVersionKind

SINCE = "2026-01-02T03:04:05Z"
GROUP = "platform.test"
WRITING = Writing(field_manager="test")


def crd(kind, *, namespaced, categories=()):
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": kind, "plural": plural, "categories": list(categories)}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": names,
            "scope": "Namespaced" if namespaced else "Cluster",
            "versions": [version],
        },
    }


CRDS = (
    crd("Shop", namespaced=True, categories=("claim",)),
    crd("XShop", namespaced=False, categories=("composite",)),
    crd("Bucket", namespaced=False, categories=("managed",)),
)


def conditions(synced, ready, *, synced_message="", ready_message="", reason="Creating"):
    def made(type_, status, reason, message):
        said = {"type": type_, "status": status, "reason": reason, "lastTransitionTime": SINCE}
        return said | ({"message": message} if message else {})

    return {
        "conditions": [
            made("Synced", synced, "ReconcileSuccess" if synced == "True" else "ReconcileError", synced_message),
            made("Ready", ready, "Available" if ready == "True" else reason, ready_message),
        ]
    }


def obj(kind, name, namespace="", spec=None, status=None, api_version=f"{GROUP}/v1", **metadata):
    place = {"namespace": namespace} if namespace else {}
    made = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place, **metadata}}
    return made | ({"spec": spec} if spec is not None else {}) | ({"status": status} if status is not None else {})


def ref(kind, name, api_version=f"{GROUP}/v1", **more):
    return {"apiVersion": api_version, "kind": kind, "name": name, **more}


def shop(name, composite, **more):
    waiting = conditions("True", "False", reason="Waiting", ready_message="Claim is waiting for composite resource")
    return obj("Shop", name, "default", {"resourceRef": ref("XShop", composite), **more}, waiting)


def composite(name, *refs, status=None):
    unready = conditions("True", "False", ready_message="Unready resources: bucket")
    return obj("XShop", name, "", {"resourceRefs": list(refs)}, status or unready)


def bucket(name, status, external="", resource="bucket", **annotations):
    noted = {"crossplane.io/composition-resource-name": resource, **annotations}
    if external:
        noted["crossplane.io/external-name"] = external
    return obj("Bucket", name, "", {"forProvider": {"region": "eu"}}, status, annotations=noted)


LONG = (
    "cannot create the bucket: AuthorizationHeaderMalformed: the authorization header is malformed; the region is wrong"
)
OBJECTS = (
    *CRDS,
    shop("media", "media-x"),
    composite("media-x", ref("Bucket", "media-b"), ref("ConfigMap", "settings", "v1", namespace="default"), ref("Bucket", "gone"), ref("Bucket", "media-a")),
    bucket("media-b", conditions("False", "False", synced_message=LONG), "my-bucket-7"),
    bucket("media-a", conditions("True", "True"), "arn:a", resource="other"),
    obj("ConfigMap", "settings", "default", api_version="v1"),
    shop("calm", "calm-x") | {"status": conditions("True", "True")},
    composite("calm-x", ref("Bucket", "calm-b"), status=conditions("True", "True")),
    bucket("calm-b", conditions("True", "True"), "calm-b"),
    composite("waiting-x", ref("Bucket", "waiting-b")),
    bucket("waiting-b", conditions("True", "False")),
    composite("paused-x", ref("Bucket", "paused-b")),
    bucket("paused-b", {"conditions": [{"type": "Synced", "status": "False", "reason": "ReconcilePaused", "lastTransitionTime": SINCE}]}, **{"crossplane.io/paused": "true"}),
    composite("held-x", status=conditions("False", "False", synced_message="Unsynced resources: db. This drop would destroy 1 resource. If it may be, annotate the XShop held-x with plumbline.dev/consent=0123456789abcdef")),
    shop("database", "database-x", writeConnectionSecretToRef={"name": "db-login"}),
    composite("database-x", ref("Bucket", "database-b")),
    bucket("database-b", conditions("False", "False", synced_message="api error AccessDenied: no")),
    obj("Pod", "web", "default", {"schedulerName": "nobody", "containers": [{"name": "main", "image": "registry.test/web:1"}]}, {"phase": "Pending", "containerStatuses": [{"name": "main", "ready": False, "restartCount": 0, "image": "", "imageID": "", "state": {"waiting": {"reason": "CreateContainerConfigError", "message": 'secret "db-login" not found'}}}]}, "v1"),
)  # fmt: skip


@contextlib.contextmanager
def plane(folder):
    """A control plane of Kubernetes' own controllers, on a thread of its own; gives its kubeconfig."""
    ready, over, at = threading.Event(), asyncio.Event(), {}

    async def serve():
        at["loop"] = asyncio.get_running_loop()
        async with hosted(folder, 0, SystemClock(), Ids()) as there:
            at["kubeconfig"] = there.kubeconfig
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield at["kubeconfig"]
    finally:
        at["loop"].call_soon_threadsafe(over.set)
        thread.join(30)


def fill(kubeconfig, objects=OBJECTS):
    """Create all of them, with their statuses."""
    asyncio.run(_filled(kubeconfig, objects))


async def _filled(kubeconfig, objects):
    async with Client.connect(Connection.load(kubeconfig)) as client:
        for each in objects:
            resource = await client.discovery.resource(GroupVersionKind.of(each))
            metadata = each["metadata"]
            await client.create(resource.target(metadata.get("namespace", "")), encode(each), WRITING)
            if each["kind"] == "CustomResourceDefinition":
                await _established(client, resource.target(name=metadata["name"]))
            elif "status" in each and each["kind"] == "Pod":
                place = resource.target(metadata.get("namespace", ""), metadata["name"], "status")
                await client.patch(place, encode({"status": each["status"]}), "merge", WRITING)


async def _established(client, target):
    for _ in range(200):
        status = decode(await client.get(target)).get("status") or {}
        if any(c["type"] == "Established" and c["status"] == "True" for c in status.get("conditions") or ()):
            client.discovery.forget()
            return
        await asyncio.sleep(0.05)
    raise AssertionError("not established")
