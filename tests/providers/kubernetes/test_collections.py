import pytest

from plumbline.base.errors import BadSelector, InvalidInput, Refused, Transient
from plumbline.base.json import decode
from plumbline.kube.client import Target
from plumbline.kube.client.bodies import Page
from plumbline.kube.names import GroupVersionKind
from plumbline.providers.kubernetes import collections as module
from plumbline.providers.kubernetes.collections import Collections, member_name

from .bench import CONFIG_MAPS, GROUP, NAMESPACED_GROUP, OBJECTS, GroupKind, config_map, serve, story

KIND = "ObservedObjectCollection"
ASKED = {"apiVersion": "v1", "kind": "ConfigMap", "selector": {"matchLabels": {"team": "a"}}}


async def labelled(bench, name, team="a"):
    body = config_map(name)
    body["metadata"]["labels"] = {"team": team}
    return await bench.create(CONFIG_MAPS, body)


async def members(bench, resource=OBJECTS, namespace=""):
    page = await bench.client.list(Target(resource, namespace))
    return {obj["metadata"]["name"]: obj for obj in map(decode, page.items)}


@story
async def test_every_object_that_is_selected_is_observed_by_an_object(bench):
    await serve(bench, GroupKind(GROUP, "Object"))
    for name, team in (("one", "a"), ("two", "a"), ("three", "b")):
        await labelled(bench, name, team)
    template = {"metadata": {"labels": {"of": "c"}, "annotations": {"note": "n"}}}
    made = bench.resource(KIND, "c", observeObjects=ASKED, objectTemplate=template, providerConfigRef={"name": "x"})
    observed = await made.reconcile()
    assert observed.differences == ()
    assert observed.status == {"membershipLabel": {"kubernetes.crossplane.io/owned-by-collection": "c"}}
    found = await members(bench)
    gvk = GroupVersionKind("", "v1", "ConfigMap")
    assert found.keys() == {member_name("c", gvk, "shop", "one"), member_name("c", gvk, "shop", "two")}
    one = found[member_name("c", gvk, "shop", "one")]
    assert one["spec"]["managementPolicies"] == ["Observe"]
    assert one["spec"]["providerConfigRef"] == {"name": "x"}
    assert one["spec"]["forProvider"]["manifest"]["metadata"] == {"name": "one", "namespace": "shop"}
    assert one["metadata"]["labels"] == {"of": "c", "kubernetes.crossplane.io/owned-by-collection": "c"}
    assert one["metadata"]["annotations"] == {"note": "n"}
    assert one["metadata"]["ownerReferences"][0]["uid"] == "u-1"
    await made.reconcile()
    assert made.writes == 1


@story
async def test_members_come_and_go_with_what_is_selected(bench):
    await serve(bench, GroupKind(GROUP, "Object"))
    await labelled(bench, "one")
    made = bench.resource(KIND, "c", observeObjects={**ASKED, "namespace": "shop"})
    await made.reconcile()
    await labelled(bench, "two")
    assert len((await made.look()).differences) == 1
    await made.reconcile()
    assert len(await members(bench)) == 2
    await bench.delete(CONFIG_MAPS, "one")
    assert (await made.reconcile()).differences == ()
    assert len(await members(bench)) == 1
    (name,) = await members(bench)
    await bench.patch(OBJECTS, name, {"spec": {"managementPolicies": ["*"]}}, "")
    assert len((await made.look()).differences) == 1
    assert (await made.reconcile()).differences == ()


@story
async def test_members_go_with_their_collection(bench):
    await serve(bench, GroupKind(GROUP, "Object"))
    await labelled(bench, "one")
    made = bench.resource(KIND, "c", observeObjects=ASKED)
    await made.reconcile()
    assert not (await made.leave()).exists
    assert await members(bench) == {}
    assert not (await made.leave()).exists


@story
async def test_members_of_a_namespaced_collection_are_in_its_namespace(bench):
    await serve(bench, GroupKind(NAMESPACED_GROUP, "Object"))
    await labelled(bench, "one")
    made = bench.resource(KIND, "c", namespace="shop", observeObjects=ASKED)
    external = await made.external()
    await external.create(made.managed)
    resource = OBJECTS._replace(group=NAMESPACED_GROUP, version="v1alpha1")
    assert len(await members(bench, resource, "shop")) == 1


def test_names_of_members_are_upstreams():
    gvk = GroupVersionKind("apps", "v1", "Deployment")
    # sha256 of `apps/v1, Kind=Deployment/shop/web`
    assert member_name("c", gvk, "shop", "web") == "c-2c15787"


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({}, InvalidInput),
        ({"apiVersion": "v1"}, InvalidInput),
        ({"apiVersion": "example.org/v1", "kind": "Thing", "selector": {}}, Transient),
        ({**ASKED, "selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}}, BadSelector),
    ],
)
@story
async def test_what_cannot_be_selected_is_refused(bench, asked, error):
    await serve(bench, GroupKind(GROUP, "Object"))
    with pytest.raises(error):
        await bench.resource(KIND, "c", observeObjects=asked).look()


@story
async def test_a_cluster_that_lists_without_end_is_asked_only_so_often(bench, monkeypatch):
    """Whoever wrote the kubeconfig may have written the server as well."""
    monkeypatch.setattr(module, "_MOST_MEMBERS", 1000)
    await serve(bench, GroupKind(GROUP, "Object"))
    item = b'{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x%d", "namespace": "shop"}}'
    asked = []

    class Endless:
        def __init__(self, kinds):
            self.kinds = kinds

        async def collection(self, gvk, namespace):
            return Target(CONFIG_MAPS, namespace)

        @property
        def client(self):
            return self

        async def list(self, target, selection):
            return Page([raw async for page in self.pages(target, selection) for raw in page.items], "1")

        async def pages(self, target, selection):
            while len(asked) < 100:
                asked.append(1)
                yield Page([item % index for index in range(500 * len(asked), 500 * len(asked) + 500)], "1", "more")

    made = bench.resource(KIND, "c", observeObjects=ASKED)
    external = Collections(Endless(bench.clusters.local.kinds), bench.clusters.local, OBJECTS)
    with pytest.raises(Refused) as refused:
        await external.observe(made.managed)
    assert "selector" in refused.value.hint
    assert len(asked) == 3
