"""Webhooks for custom objects, in versions that another webhook makes."""

import pytest
from tests.apiserver.webhooks.hookserver import Asked, Said, patch
from tests.apiserver.webhooks.planes import collection, configuration, hook

from plumbline.apiserver.controllers.definitions.serving import CustomResources
from plumbline.apiserver.webhooks import webhook_conversion
from plumbline.base.ids import Ids

WIDGETS = "/apis/example.com/{version}/namespaces/default/widgets"
SCHEMA = {"type": "object", "properties": {"size": {"type": "integer"}, "length": {"type": "integer"}}}


def converted(asked: Asked) -> Said:
    """`size` of v1 is `length` of v2."""
    version = asked.request["desiredAPIVersion"]
    old, new = ("size", "length") if version.endswith("/v2") else ("length", "size")
    made = [
        {**{name: value for name, value in obj.items() if name != old}, "apiVersion": version, new: obj[old]}
        for obj in asked.request["objects"]
    ]
    answer = {"uid": asked.request["uid"], "convertedObjects": made, "result": {"status": "Success"}}
    return Said({"kind": "ConversionReview", "apiVersion": asked.json["apiVersion"], "response": answer})


@pytest.fixture
async def widgets(plane, hooks):
    hooks.behaviours["convert"] = converted
    versions = [
        {"name": name, "served": True, "storage": name == "v1", "schema": {"openAPIV3Schema": SCHEMA}}
        for name in ("v1", "v2")
    ]
    webhook = {"clientConfig": hooks.client_config("/convert"), "conversionReviewVersions": ["v1"]}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    crd = {
        "metadata": {"name": "widgets.example.com", "generation": 1},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": versions,
            "conversion": {"strategy": "Webhook", "webhook": webhook},
        },
        "status": {"acceptedNames": names, "conditions": [{"type": "Established", "status": "True"}]},
    }
    CustomResources(plane.plane.registry, webhook_conversion(plane.caller, Ids())).offer(crd, 1)
    return plane


async def configured(plane, hooks, path, version, **extra):
    rule = {"operations": ["*"], "apiGroups": ["example.com"], "apiVersions": [version], "resources": ["widgets"]}
    written = hook("h.example.com", hooks.client_config(path), rules=[rule], **extra)
    await plane.make(collection("Mutating"), configuration("Mutating", "m", written))


def widget(version, **fields):
    return {"apiVersion": f"example.com/{version}", "kind": "Widget", "metadata": {"name": "w"}, **fields}


async def test_a_webhook_sees_and_changes_the_version_it_asked_for(widgets, hooks):
    hooks.behaviours["longer"] = lambda asked: patch(asked, [{"op": "replace", "path": "/length", "value": 9}])
    await configured(widgets, hooks, "/longer", "v2")
    made = await widgets.make(WIDGETS.format(version="v1"), widget("v1", size=3))
    assert (made["apiVersion"], made["size"]) == ("example.com/v1", 9)
    asked = next(each for each in hooks.asked if each.path == "/longer")
    assert asked.request["object"]["length"] == 3
    assert asked.request["kind"] == {"group": "example.com", "version": "v2", "kind": "Widget"}
    assert asked.request["requestKind"]["version"] == "v1"


async def test_conditions_see_the_same_version(widgets, hooks):
    conditions = [{"name": "long", "expression": "object.length > 5"}]
    await configured(widgets, hooks, "/deny", "v2", matchConditions=conditions)
    reply = await widgets.ask("POST", WIDGETS.format(version="v1"), widget("v1", size=7))
    assert reply.status == 400
    reply = await widgets.ask("POST", WIDGETS.format(version="v1"), widget("v1", size=3))
    assert reply.status == 201


async def test_a_custom_object_cannot_become_another_kind(widgets, hooks):
    hooks.behaviours["other"] = lambda asked: patch(asked, [{"op": "replace", "path": "/kind", "value": "Gadget"}])
    await configured(widgets, hooks, "/other", "v1")
    reply = await widgets.ask("POST", WIDGETS.format(version="v1"), widget("v1", size=3))
    assert reply.status == 500
    assert "unknown conversion" in reply.json["message"]


async def test_a_custom_object_without_a_kind_keeps_its_own(widgets, hooks):
    whole = {"metadata": {"name": "w", "namespace": "default"}, "size": 4}
    hooks.behaviours["whole"] = lambda asked: patch(asked, [{"op": "replace", "path": "", "value": whole}])
    await configured(widgets, hooks, "/whole", "v1")
    made = await widgets.make(WIDGETS.format(version="v1"), widget("v1", size=3))
    assert (made["kind"], made["size"]) == ("Widget", 4)
