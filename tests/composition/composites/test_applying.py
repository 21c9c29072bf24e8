"""What is composed is applied side by side, and a look is over when all of that is."""

import asyncio

import pytest

from plumbline.base.errors import Forbidden, ServerFault
from plumbline.base.virtualtime import run_virtually
from plumbline.composition.composites.applying import Applier
from plumbline.composition.composites.planning import Wanted
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import GroupVersionKind

MAPS = GroupVersionKind("", "v1", "ConfigMap")
COMPOSITE = {
    "apiVersion": "example.org/v1",
    "kind": "XDatabase",
    "metadata": {"name": "orders", "uid": "u", "resourceVersion": "1"},
}


class Hands:
    def __init__(self, **failing):
        self.failing, self.begun, self.done = failing, [], []

    async def apply(self, target, body, writing, behalf, why):
        del target, writing, behalf, why
        name = body["metadata"]["name"]
        self.begun.append(name)
        if name in self.failing:
            raise self.failing[name]
        await asyncio.sleep(20)
        self.done.append(name)


class Kinds:
    async def resource(self, gvk):
        return Resource(group=gvk.group, version=gvk.version, name="configmaps", kind=gvk.kind, namespaced=True)


class Composed:
    async def informer(self, _): ...

    async def find(self, *_): ...


def wanted(*names):
    bodies = {name: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}} for name in names}  # fmt: skip
    return tuple(Wanted(name, MAPS, body, ready=False, live=None) for name, body in bodies.items())


def applied(hands, *names):
    return run_virtually(lambda: Applier(hands, Composed(), Kinds()).apply(COMPOSITE, wanted(*names)))


def test_nothing_is_under_way_any_more_when_a_look_ends_with_an_error():
    hands = Hands(bad=ServerFault("the webhook is down"))
    with pytest.raises(ServerFault):
        applied(hands, "bad", "slow")
    assert hands.done == ["slow"]


def test_what_a_policy_forbids_is_named_and_the_rest_is_made():
    hands = Hands(bad=Forbidden("exceeded quota"))
    (unsynced,) = applied(hands, "bad", "slow")
    assert unsynced == ("bad", "cannot apply composed resource 'bad': exceeded quota")
    assert hands.done == ["slow"]
