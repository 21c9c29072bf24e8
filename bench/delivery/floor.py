"""What nobody can save: the writes of a first sync and nothing else. No comparison, health, project, journal, event or restart.

    python -m bench.delivery.floor KUBECONFIG

Whoever is told of an Application applies the five objects of its folder and writes one status, as short as a status
that says all of that can be. What this takes is the cluster's, and any engine's least.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from contextlib import aclosing
from pathlib import Path

import uvloop
import yaml

from bench.delivery.progress import APPLICATIONS
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.kube.client import Client, Connection, Target, Writing
from plumbline.kube.names import GroupVersionResource

READY = "floor is ready"
_NAMESPACE = "argocd"
_IN_FLIGHT = 32
_APPLY = Writing(field_manager="floor", force=True)
_RECORD = Writing(field_manager="floor", validation="Ignore")
_RESOURCES = {
    "ConfigMap": GroupVersionResource("", "v1", "configmaps"),
    "Service": GroupVersionResource("", "v1", "services"),
    "Deployment": GroupVersionResource("apps", "v1", "deployments"),
}


class Tree:
    """A clone, made when the first Application names its repository."""

    def __init__(self, folder):
        self._folder = folder / "tree"
        self.revision = ""

    def documents(self, source):
        if not self.revision:
            subprocess.run(["git", "clone", "--quiet", source["repoURL"], self._folder], check=True)
            asked = ["git", "-C", self._folder, "rev-parse", "HEAD"]
            self.revision = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
        text = (self._folder / source["path"] / "all.yaml").read_text()
        return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


async def delivered(client, tree, raw):
    application = decode(raw)
    spec = application["spec"]
    namespace = spec["destination"]["namespace"]
    manifests = tree.documents(spec["source"])
    for manifest in manifests:
        await client.apply(target_of(manifest, namespace), encode(marked(manifest, application, namespace)), _APPLY)
    application["status"] = status_of(manifests, spec["source"], namespace, tree.revision)
    await client.update(Target(APPLICATIONS, _NAMESPACE, application["metadata"]["name"]), encode(application), _RECORD)


def target_of(manifest, namespace):
    return Target(_RESOURCES[manifest["kind"]], namespace, manifest["metadata"]["name"])


def marked(manifest, application, namespace):
    group = manifest["apiVersion"].rpartition("/")[0]
    name = manifest["metadata"]["name"]
    mark = f"{application['metadata']['name']}:{group}/{manifest['kind']}:{namespace}/{name}"
    annotations = {"argocd.argoproj.io/tracking-id": mark}
    return manifest | {"metadata": {"name": name, "namespace": namespace, "annotations": annotations}}


def status_of(manifests, source, namespace, revision):
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    resources = [
        {"kind": each["kind"], "name": each["metadata"]["name"], "namespace": namespace, "status": "Synced"}
        for each in manifests
    ]
    return {
        "sync": {"status": "Synced", "revision": revision},
        "health": {"status": "Progressing"},
        "resources": resources,
        "history": [{"id": 0, "revision": revision, "deployedAt": now, "source": source}],
        "operationState": {"phase": "Succeeded", "operation": {}, "startedAt": now, "finishedAt": now},
    }


async def run(kubeconfig):
    seen, waiting = set(), asyncio.Queue()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder))

        async def work(client):
            while True:
                await delivered(client, tree, await waiting.get())

        async with Client.connect(Connection.load(kubeconfig), in_flight=_IN_FLIGHT) as client, task_group() as group:
            for _ in range(_IN_FLIGHT):
                group.create_task(work(client))
            print(READY, flush=True)
            async with aclosing(client.follow(Target(APPLICATIONS, _NAMESPACE))) as events:
                async for event in events:
                    if getattr(event, "type", "") == "ADDED" and event.name not in seen:
                        seen.add(event.name)
                        waiting.put_nowait(event.raw)


if __name__ == "__main__":
    uvloop.run(run(Path(sys.argv[1])))
