"""What somebody who may write in one namespace only can reach with an Object there."""

import asyncio

import pytest

from plumbline.base.errors import Refused
from plumbline.base.json import encode
from plumbline.kube.client import Target
from plumbline.kube.names import GroupKind, GroupVersionResource, Ref
from plumbline.managed.external import Config
from plumbline.providers.kubernetes.kinds import NAMESPACED_GROUP

from .bench import CONFIG_MAPS, KUBECONFIG, SECRETS, Secrets, config_map, serve, story

NAMESPACES = GroupVersionResource("", "v1", "namespaces")
KEY = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key", "namespace": "safe"}, "stringData": {"p": "x"}}
THEIRS = {"apiVersion": "v1", "kind": "Secret", "name": "key", "namespace": "safe"}


def config(kind="ProviderConfig", **credentials):
    namespace = "shop" if kind == "ProviderConfig" else ""
    values = {("shop", "far", "kubeconfig"): KUBECONFIG % 1}
    return Config(Ref(NAMESPACED_GROUP, kind, namespace, "default"), {"credentials": credentials}, Secrets(values), "1")


OURS = {"source": "InjectedIdentity"}
FAR = {"source": "Secret", "secretRef": {"name": "far", "namespace": "shop", "key": "kubeconfig"}}


async def with_a_safe(bench, config):
    bench.config = config
    await bench.client.create(Target(NAMESPACES), encode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "safe"}}))  # fmt: skip
    await bench.create(SECRETS, KEY, "safe")


def mine(bench, manifest, **spec):
    return bench.resource(namespace="shop", forProvider={"manifest": manifest}, **spec)


@story
async def test_a_config_of_a_namespace_leads_to_that_namespace_of_the_cluster_at_hand(bench):
    await with_a_safe(bench, config(**OURS))
    web = mine(bench, config_map(a="1"))
    assert (await web.reconcile()).exists
    assert not (await web.leave()).exists
    for manifest in (
        config_map("web", "safe", a="1"),
        KEY,
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine"}},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "all"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}},
    ):  # fmt: skip
        with pytest.raises(Refused) as refused:
            await mine(bench, manifest).reconcile()
        assert "ClusterProviderConfig" in refused.value.hint
        with pytest.raises(Refused):
            await mine(bench, manifest, managementPolicies=["Observe"]).look()
    assert await bench.get(CONFIG_MAPS, "web", "safe") is None


@story
async def test_nor_are_connection_details_of_another_namespace_read_with_it(bench):
    await with_a_safe(bench, config(**OURS))
    detail = {**THEIRS, "fieldPath": "data.p", "toConnectionSecretKey": "p"}
    with pytest.raises(Refused):
        await mine(bench, config_map(a="1"), connectionDetails=[detail]).reconcile()


@pytest.mark.parametrize("credentials", [OURS, FAR], ids=["here", "elsewhere"])
@pytest.mark.parametrize("reference", [{"dependsOn": THEIRS}, {"patchesFrom": {**THEIRS, "fieldPath": "data.p"}}])
@story
async def test_nor_does_it_copy_from_another_namespace_or_hold_what_is_there(bench, credentials, reference):
    await with_a_safe(bench, config(**credentials))
    with pytest.raises(Refused):
        await asyncio.wait_for(mine(bench, config_map(), references=[reference]).reconcile(), 5)
    assert "finalizers" not in (await bench.get(SECRETS, "key", "safe"))["metadata"]


@story
async def test_nor_does_a_collection_show_what_is_elsewhere(bench):
    await serve(bench, GroupKind(NAMESPACED_GROUP, "Object"))
    await with_a_safe(bench, config(**OURS))
    for namespace in ("safe", ""):
        asked = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "selector": {},
            **({"namespace": namespace} if namespace else {}),
        }
        with pytest.raises(Refused):
            await bench.resource("ObservedObjectCollection", namespace="shop", observeObjects=asked).look()


@story
async def test_a_cluster_provider_config_lends_what_it_says(bench):
    """Whoever made it was asked: it is not of a namespace."""
    await with_a_safe(bench, config("ClusterProviderConfig", **OURS))
    reference = {"patchesFrom": {**THEIRS, "fieldPath": "data.p"}}
    web = mine(bench, config_map("web", "safe", a="1"), references=[reference])
    assert (await web.reconcile()).differences == ()
    await web.leave()
    assert not (await web.leave()).exists


@story
async def test_what_was_held_elsewhere_before_is_let_go_of(bench):
    await with_a_safe(bench, config("ClusterProviderConfig", **OURS))
    web = mine(bench, config_map(a="1"), references=[{"dependsOn": THEIRS}])
    await web.reconcile()
    bench.config = config(**OURS)
    await web.leave()
    assert not (await web.leave()).exists
    assert "finalizers" not in (await bench.get(SECRETS, "key", "safe"))["metadata"]
