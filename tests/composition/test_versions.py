"""Kinds of what is composed that change while composites are there."""

from tests.composition.test_hostile import CRDS, SPACES
from tests.composition.works import CLAIMS, Function, claim, state, story

from plumbline.base.errors import UnknownKind
from plumbline.composition.functions.values import Resource

OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def version(name, schema=None, **more):
    return {"name": name, "served": True, "storage": False, "schema": {"openAPIV3Schema": schema or OPEN}, **more}


def things(*versions):
    return {**SPACES, "spec": {**SPACES["spec"], "versions": list(versions)}}


def thing(api, **spec):
    named = {"namespace": "shop", "generateName": "old-"}
    return {"apiVersion": f"example.net/{api}", "kind": "Thing", "metadata": named, "spec": spec}


def named(name, api="v1"):
    """As Crossplane made it: under a name that nobody can tell from what people wrote."""
    return {**thing(api, size=1), "metadata": {"namespace": "shop", "name": name}}


@story
async def test_what_is_composed_stays_the_same_when_the_version_that_it_was_made_in_is_served_no_more(works):
    api = ["v1beta1"]
    works.functions["compose"] = Function(lambda call: {"thing": Resource(named("old-x7k2p", api[0]), ready="True")})
    await works.apply(things(version("v1beta1", storage=True), version("v1")), CRDS)
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    works.functions["compose"].wanted = lambda call: {"thing": Resource(thing(api[0], size=1), ready="True")}
    await works.settle(70)
    (made,) = await works.list("example.net/v1/things", "shop")
    assert made["metadata"]["name"] == "old-x7k2p"

    await works.apply(things(version("v1beta1", served=False), version("v1", storage=True)), CRDS)
    works.client.discovery.forget()
    await works.settle(130)
    api[0] = "v1"
    await works.settle(130)
    assert [each["metadata"]["name"] for each in await works.list("example.net/v1/things", "shop")] == ["old-x7k2p"]
    composite = await works.composite()
    assert [each["name"] for each in composite["spec"]["resourceRefs"]] == ["old-x7k2p"]
    assert state(composite, "Synced") == "True"


@story
async def test_what_is_composed_is_not_forgotten_while_its_kind_is_not_listed(works):
    works.functions["compose"] = Function(lambda call: {"thing": Resource(named("old-x7k2p"), ready="True")})
    await works.apply(things(version("v1", storage=True)), CRDS)
    await works.define()
    await works.apply(claim(), CLAIMS)
    await works.ready()
    works.functions["compose"].wanted = lambda call: {"thing": Resource(thing("v1", size=1), ready="True")}
    await works.settle(70)

    discovery, listed = works.client.discovery, works.client.discovery.resource

    async def less(kind):
        if getattr(kind, "kind", "") == "Thing":
            raise UnknownKind("Thing is not served")
        return await listed(kind)

    discovery.resource = less
    await works.settle(130)
    discovery.resource = listed
    await works.ready()
    await works.settle(130)
    assert [each["metadata"]["name"] for each in await works.list("example.net/v1/things", "shop")] == ["old-x7k2p"]
    assert [each["name"] for each in (await works.composite())["spec"]["resourceRefs"]] == ["old-x7k2p"]
