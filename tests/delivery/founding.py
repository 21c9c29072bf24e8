"""A control plane that has everything but Applications, as it is stored: set up once in a process, and loaded by every test."""

import asyncio
from functools import cache

from tests import planes

from plumbline.base.errors import NotFound, UnknownKind
from plumbline.base.json import encode
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.crd import crd_manifest
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

CRDS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
EVERYTHING = {
    "sourceRepos": ["*"],
    "destinations": [{"server": "*", "namespace": "*"}],
    "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
}


@cache
def founded():
    return planes.founded(found, authority_pem="the authority", workloads=True)


async def found(client, project=EVERYTHING):
    """What an installation has before anybody delivers: kinds, namespaces, and the project `default`."""
    for kind in (APPLICATION, APP_PROJECT):
        await client.create(Target(CRDS), encode(crd_manifest(kind)))
    for name in ("argocd", "shop"):
        await client.create(Target(NAMESPACES), encode(_named("v1", "Namespace", name)))
    default = {**_named("argoproj.io/v1alpha1", "AppProject", "default"), "spec": project}
    await _once_served(lambda: client.create(Target(APP_PROJECT.resource, "argocd"), encode(default)))


def _named(api_version, kind, name):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}


async def _once_served(work):
    for _ in range(50):
        try:
            return await work()
        except (NotFound, UnknownKind):
            await asyncio.sleep(0.1)
    return await work()
