"""Custom objects from one version to another, by the webhook of their definition."""

import asyncio

import pytest
from tests.apiserver.webhooks.hookserver import Asked, Said, hook_server

from plumbline.apiserver.crds.definition import Definition
from plumbline.apiserver.webhooks import HookCaller, LocalAddresses, webhook_conversion
from plumbline.base.clock import SystemClock
from plumbline.base.errors import RequestRefused
from plumbline.base.ids import Ids


def answered(asked: Asked, **response) -> Said:
    answer = {"uid": asked.request["uid"], "result": {"status": "Success"}, **response}
    return Said({"kind": "ConversionReview", "apiVersion": asked.json["apiVersion"], "response": answer})


def doubled(asked: Asked) -> Said:
    version = asked.request["desiredAPIVersion"]
    made = [{**obj, "apiVersion": version, "size": obj["size"] * 2} for obj in asked.request["objects"]]
    return answered(asked, convertedObjects=made)


BEHAVIOURS = {
    "double": doubled,
    "sorry": lambda asked: answered(asked, result={"status": "Failed", "message": "sorry"}),
    "few": lambda asked: answered(asked, convertedObjects=[]),
    "broken": lambda _: Said(b"boom", 500, {"Content-Type": "text/plain"}),
}


@pytest.fixture(scope="module")
def hooks():
    with hook_server(BEHAVIOURS) as server:
        yield server


@pytest.fixture
async def conversion():
    caller = HookCaller(SystemClock(), LocalAddresses(), lambda *_: None)
    yield webhook_conversion(caller, Ids())
    await caller.close()
    await asyncio.sleep(0.05)


def definition(conversion) -> Definition:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    versions = [{"name": name, "served": True, "storage": name == "v1", "schema": schema} for name in ("v1", "v2")]
    names = {"plural": "ws", "singular": "w", "kind": "W", "listKind": "WList"}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions}
    return Definition({"metadata": {"name": "ws.example.com"}, "spec": {**spec, "conversion": conversion}})


def by_webhook(hooks, path) -> Definition:
    webhook = {"clientConfig": hooks.client_config(path), "conversionReviewVersions": ["v1"]}
    return definition({"strategy": "Webhook", "webhook": webhook})


def made(name, version="v1", size=1):
    metadata = {"name": name, "uid": name}
    return {"apiVersion": f"example.com/{version}", "kind": "W", "metadata": metadata, "size": size}


async def test_objects_are_converted_together_and_stay_in_order(hooks, conversion):
    hooks.asked.clear()
    objects = [made("a"), made("b", "v2", 5), made("c", size=3)]
    found = await conversion(by_webhook(hooks, "/double"), "example.com/v2", objects)
    assert [each["size"] for each in found] == [2, 5, 6]
    assert {each["apiVersion"] for each in found} == {"example.com/v2"}
    (asked,) = hooks.asked
    assert len(asked.request["objects"]) == 2


async def test_nobody_is_asked_for_nothing(hooks, conversion):
    hooks.asked.clear()
    assert await conversion(by_webhook(hooks, "/double"), "example.com/v2", [made("a", "v2")]) == [made("a", "v2")]
    assert await conversion(by_webhook(hooks, "/double"), "example.com/v2", []) == []
    assert not hooks.asked


async def test_without_a_webhook_only_the_version_changes(conversion):
    found = await conversion(definition({"strategy": "None"}), "example.com/v2", [made("a")])
    assert found == [made("a", "v2")]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/sorry", "conversion webhook for example.com/v1, Kind=W failed: sorry"),
        ("/broken", 'conversion webhook for example.com/v1, Kind=W failed: an error on the server ("boom")'),
        ("/few", "conversion webhook for example.com/v1, Kind=W returned 0 objects, expected 1"),
    ],
)
async def test_a_conversion_that_fails_is_told_as_the_server_tells_it(hooks, conversion, path, said):
    with pytest.raises(RequestRefused) as refused:
        await conversion(by_webhook(hooks, path), "example.com/v2", [made("a")])
    assert refused.value.status["code"] == 500
    assert "reason" not in refused.value.status
    assert refused.value.status["message"].startswith(said)


async def test_a_webhook_that_speaks_no_version_we_know(hooks, conversion):
    webhook = {"clientConfig": hooks.client_config("/double"), "conversionReviewVersions": ["v9"]}
    with pytest.raises(RequestRefused) as refused:
        await conversion(definition({"strategy": "Webhook", "webhook": webhook}), "example.com/v2", [made("a")])
    assert refused.value.status["message"] == "no supported conversion review versions"
