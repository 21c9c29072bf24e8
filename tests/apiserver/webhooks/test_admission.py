"""Writes that webhooks are asked about, from the request to the store."""

import asyncio
import base64

import pytest
from tests.apiserver.webhooks.hookserver import Asked, Said, patch, review
from tests.apiserver.webhooks.planes import HookedPlane, collection, configuration, hook

from plumbline.apiserver.webhooks import Place
from plumbline.apiserver.webhooks.configurations import Configurations
from plumbline.base.json import encode

CM = "/api/v1/namespaces/default/configmaps"
CONFIG_MAPS = [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["configmaps"]}]


def cm(name="a", **extra):
    return {"metadata": {"name": name}, "data": {"k": "v"}, **extra}


async def configured(plane, sort, name, hooks, path, **extra):
    written = hook("h.example.com", hooks.client_config(path), **{"rules": CONFIG_MAPS, **extra})
    await plane.make(collection(sort), configuration(sort, name, written))


async def test_without_webhooks_nobody_is_asked(plane, hooks):
    assert (await plane.ask("POST", CM, cm())).status == 201
    assert not hooks.asked
    assert plane.caller._poster is None


async def test_a_change_is_stored_and_owned_by_nobody(plane, hooks):
    hooks.behaviours["add"] = lambda asked: patch(asked, [{"op": "add", "path": "/data/new", "value": "x"}])
    await configured(plane, "Mutating", "m", hooks, "/add")
    made = await plane.make(CM, cm())
    assert made["data"] == {"k": "v", "new": "x"}
    assert made["metadata"]["managedFields"][0]["fieldsV1"] == {"f:data": {".": {}, "f:k": {}}}


async def test_a_webhook_is_asked_until_it_is_gone(plane, hooks):
    await configured(plane, "Validating", "v", hooks, "/deny")
    assert (await plane.ask("POST", CM, cm())).status == 400
    assert (await plane.ask("DELETE", f"{collection('Validating')}/v")).status == 200
    assert (await plane.ask("POST", CM, cm())).status == 201


async def test_what_was_configured_before_a_restart_counts(plane, hooks):
    await configured(plane, "Validating", "v", hooks, "/deny")
    await configured(plane, "Mutating", "m", hooks, "/allow")
    found = Configurations(plane.plane.store)
    assert [each.uid for each in found.validating] == ["v/h.example.com/0"]
    assert [each.uid for each in found.mutating] == ["m/h.example.com/0"]


async def test_a_configuration_that_cannot_be_read_does_not_stop_the_others(plane, hooks):
    await configured(plane, "Validating", "good", hooks, "/deny")
    store = plane.plane.store
    key = next(
        iter(
            store.shelf(
                plane.plane.registry.find(
                    "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"
                ).resource.collection
            ).entries()
        )
    ).key
    broken = key._replace(name="broken")
    await store.put(broken, None, lambda _: encode({"metadata": {}, "webhooks": 1}))
    assert (await plane.ask("POST", CM, cm())).status == 400


async def test_validating_webhooks_are_asked_all_at_once(plane, hooks):
    waiting = asyncio.Event()
    loop = asyncio.get_running_loop()
    arrived: list[str] = []

    def together(asked: Asked) -> Said:
        arrived.append(asked.path)
        if len(arrived) == 3:
            loop.call_soon_threadsafe(waiting.set)
            hooks.released.set()
        hooks.released.wait(10)
        return review(asked)

    hooks.behaviours["together"] = together
    for name in ("a", "b", "c"):
        await configured(plane, "Validating", name, hooks, f"/together/{name}")
    assert (await plane.ask("POST", CM, cm())).status == 201
    assert waiting.is_set()


async def test_all_have_answered_before_a_refusal_is_told(plane, hooks):
    await configured(plane, "Validating", "a", hooks, "/deny")
    await configured(plane, "Validating", "b", hooks, "/allow")
    assert (await plane.ask("POST", CM, cm())).status == 400
    assert {asked.path for asked in hooks.asked} == {"/deny", "/allow"}


async def test_mutating_webhooks_are_asked_one_after_another_until_one_refuses(plane, hooks):
    await configured(plane, "Mutating", "b", hooks, "/deny")
    await configured(plane, "Mutating", "a", hooks, "/allow/a")
    await configured(plane, "Mutating", "c", hooks, "/allow/c")
    assert (await plane.ask("POST", CM, cm())).status == 400
    assert [asked.path for asked in hooks.asked] == ["/allow/a", "/deny"]


async def test_built_in_plugins_look_again_after_a_change(plane, hooks):
    """A priority class that a webhook sets has to be resolved, as if the client had set it."""
    pods = [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["pods"]}]
    wanted = [
        {"op": "add", "path": "/spec/priorityClassName", "value": "high"},
        {"op": "remove", "path": "/spec/priority"},
        {"op": "remove", "path": "/spec/preemptionPolicy"},
    ]
    hooks.behaviours["high"] = lambda asked: patch(asked, wanted)
    await plane.make("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 7})
    await configured(plane, "Mutating", "m", hooks, "/high", rules=pods)
    body = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    pod = await plane.make("/api/v1/namespaces/default/pods", body)
    assert pod["spec"]["priority"] == 7


async def test_a_webhook_found_by_a_room_s_address(plane, hooks):
    plane.addresses.announce(Place("services", "default", "hook", 443), hooks.url)
    client = {"service": {"namespace": "default", "name": "hook", "path": "/deny"}, "caBundle": hooks.ca_bundle}
    written = hook("h.example.com", client, rules=CONFIG_MAPS)
    await plane.make(collection("Validating"), configuration("Validating", "v", written))
    reply = await plane.ask("POST", CM, cm())
    assert reply.json["message"] == 'admission webhook "h.example.com" denied the request without explanation'


async def test_a_request_that_is_given_up_gives_up_its_webhooks(plane, hooks):
    await configured(plane, "Validating", "v", hooks, "/hang")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await plane.ask("POST", CM, cm())
    hooks.released.set()
    assert (await plane.ask("GET", f"{CM}/a")).status == 404


async def test_a_dry_run_is_not_told_to_those_with_side_effects(plane, hooks):
    await configured(plane, "Validating", "v", hooks, "/allow", sideEffects="NoneOnDryRun")
    assert (await plane.ask("POST", f"{CM}?dryRun=All", cm())).status == 201
    assert hooks.asked[0].request["dryRun"] is True


async def test_a_webhook_that_speaks_no_version_we_know_is_a_failure(plane, hooks):
    await configured(plane, "Validating", "v", hooks, "/allow", admissionReviewVersions=["v1", "v9"])
    store = plane.plane.store
    shelf = plane.plane.registry.find("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations")
    (entry,) = store.shelf(shelf.resource.collection).entries()
    body = entry.object()
    body["webhooks"][0]["admissionReviewVersions"] = ["v9"]
    body["webhooks"][0]["sideEffects"] = "Some"
    await store.put(entry.key, entry, lambda _: encode(body))
    reply = await plane.ask("POST", CM, cm())
    assert reply.status == 500
    assert "could not create admission objects: webhook does not accept known AdmissionReview" in reply.json["message"]
    reply = await plane.ask("POST", f"{CM}?dryRun=All", cm())
    assert reply.json["message"] == 'admission webhook "h.example.com" does not support dry run'


@pytest.mark.parametrize(
    ("operations", "status"),
    [
        (b"[]", 201),
        (b"null", 201),
        (b'[{"op":"add","path":"/data/x","value":1}]', 500),
        (b'[{"op":"remove","path":"/data"}]', 201),
        (b'[{"op":"replace","path":"","value":[]}]', 500),
        (b'[{"op":"replace","path":"","value":null}]', 500),
        (b"[" * 5000, 500),
        (b'[{"op":"copy","from":"/data","path":"/data/a"}]', 500),
    ],
)
async def test_any_patch_is_an_object_or_a_refusal(plane, hooks, operations, status):
    encoded = base64.b64encode(operations).decode()
    hooks.behaviours["odd"] = lambda asked: review(asked, patch=encoded, patchType="JSONPatch")
    await configured(plane, "Mutating", "m", hooks, "/odd")
    reply = await plane.ask("POST", CM, cm())
    assert reply.status == status
    assert reply.json["kind"] in ("ConfigMap", "Status")


async def test_too_many_operations_are_refused(plane, hooks):
    operation = {"op": "test", "path": "/data/k", "value": "v"}
    hooks.behaviours["many"] = lambda asked: patch(asked, [operation] * 10_001)
    await configured(plane, "Mutating", "m", hooks, "/many")
    reply = await plane.ask("POST", CM, cm())
    assert reply.status == 500
    assert "allowed maximum operations" in reply.json["message"]


async def test_controllers_writes_are_asked_about_too(plane: HookedPlane, hooks):
    await configured(plane, "Validating", "v", hooks, "/allow")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    await plane.cluster.create(body)
    (asked,) = hooks.asked
    assert asked.request["userInfo"]["username"] == "system:kube-controller-manager"
    assert asked.request["options"] == {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}
