"""Which cluster a ProviderConfig means."""

import asyncio

import pytest

from plumbline.base.errors import BadKubeconfig, InvalidInput, NotFound
from plumbline.kube.names import Ref
from plumbline.managed.external import Config
from plumbline.providers.kubernetes import Clusters
from plumbline.providers.kubernetes import clusters as module

from .bench import GROUP, KUBECONFIG, Secrets, story


def config(version="1", namespace="", values=None, **credentials):
    kind = "ProviderConfig"
    return Config(Ref(GROUP, kind, namespace, "default"), {"credentials": credentials}, Secrets(values or {}), version)


def in_secret(version="1", port=1):
    values = {("shop", "far", "kubeconfig"): KUBECONFIG % port}
    reference = {"name": "far", "namespace": "shop", "key": "kubeconfig"}
    return config(version, values=values, source="Secret", secretRef=reference)


@pytest.mark.parametrize("source", ["None", "InjectedIdentity"])
@story
async def test_without_a_kubeconfig_it_is_the_cluster_at_hand(bench, source):
    assert await bench.clusters.find(config(source=source)) is bench.clusters.local


async def test_a_kubeconfig_in_a_secret_leads_to_another_and_its_connection_is_kept_by_version():
    clusters = Clusters(None)
    first = await clusters.find(in_secret("1"))
    assert await clusters.find(in_secret("1", port=2)) is first
    second = await clusters.find(in_secret("2", port=2))
    assert second is not first
    assert first is not clusters.local
    await clusters.close()


async def test_only_so_many_connections_are_kept(monkeypatch):
    monkeypatch.setattr(module, "_CLUSTERS", 1)
    clusters = Clusters(None)
    first = await clusters.find(in_secret())
    other = in_secret()
    await clusters.find(type(other)(other.ref._replace(name="other"), other.spec, other.secrets, "1"))
    assert await clusters.find(in_secret()) is not first
    await clusters.close()


async def test_one_connection_is_opened_however_many_ask_at_once():
    clusters = Clusters(None)
    found = await asyncio.gather(*(clusters.find(in_secret()) for _ in range(5)))
    assert len(set(map(id, found))) == 1
    await clusters.close()


async def test_a_kubeconfig_may_be_in_the_environment_or_in_a_file(monkeypatch, tmp_path):
    monkeypatch.setenv("FAR", KUBECONFIG % 1)
    (tmp_path / "far").write_text(KUBECONFIG % 2)
    clusters = Clusters(None)
    await clusters.find(config(source="Environment", env={"name": "FAR"}))
    await clusters.find(config("2", source="Filesystem", fs={"path": str(tmp_path / "far")}))
    for credentials in (
        {"source": "Environment", "env": {"name": "FAR"}},
        {"source": "Filesystem", "fs": {"path": "/x"}},
    ):
        with pytest.raises(InvalidInput):
            await clusters.find(config(namespace="shop", **credentials))
    await clusters.close()


@pytest.mark.parametrize(
    ("credentials", "error"),
    [
        ({"source": "Secret"}, InvalidInput),
        ({"source": "Secret", "secretRef": {"name": "far"}}, InvalidInput),
        ({"source": "Secret", "secretRef": {"name": "far", "key": "k"}}, NotFound),
        ({"source": "Environment", "env": {}}, InvalidInput),
        ({"source": "Environment", "env": {"name": "PLUMBLINE_NO_SUCH_VARIABLE"}}, BadKubeconfig),
        ({"source": "Filesystem", "fs": {"path": "/no/such/file"}}, BadKubeconfig),
        ({"source": "Upbound"}, BadKubeconfig),
        ({}, BadKubeconfig),
    ],
)
async def test_what_cannot_be_used_is_refused(credentials, error):
    with pytest.raises(error):
        await Clusters(None).find(config(**credentials))


async def test_a_kubeconfig_from_elsewhere_runs_nothing_here():
    text = KUBECONFIG.replace(
        "{token: hush}", "{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}}"
    )
    values = {("shop", "far", "kubeconfig"): text % 1}
    reference = {"name": "far", "namespace": "shop", "key": "kubeconfig"}
    with pytest.raises(BadKubeconfig):
        await Clusters(None).find(config(values=values, source="Secret", secretRef=reference))


async def test_identities_of_clouds_are_refused_with_a_way_out():
    given = in_secret()
    with pytest.raises(InvalidInput) as refused:
        await Clusters(None).find(
            type(given)(given.ref, {**given.spec, "identity": {"type": "UpboundTokens"}}, given.secrets)
        )
    assert "kubeconfig" in refused.value.hint


async def test_a_kubeconfig_that_is_replaced_in_its_file_is_used(tmp_path):
    file = tmp_path / "far"
    file.write_text(KUBECONFIG % 1)
    clusters = Clusters(None)
    said = config(source="Filesystem", fs={"path": str(file)})
    first = await clusters.find(said)
    assert await clusters.find(said) is first
    (tmp_path / "new").write_text(KUBECONFIG % 2)
    (tmp_path / "new").rename(file)
    assert await clusters.find(said) is not first
    await clusters.close()
