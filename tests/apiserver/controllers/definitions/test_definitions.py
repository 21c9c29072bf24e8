"""CRDs at work: what they define is served, changes with them, and goes with them."""

import asyncio
from collections.abc import Sequence

import pytest

from plumbline.apiserver.admission import BuiltinAdmission
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.controllers.definitions import CustomResources
from plumbline.apiserver.crds.definition import Definition
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.apiserver.requests.views import View
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.statuses import failure
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "/apis/example.org/v1/namespaces/default/widgets"
MERGE = "application/merge-patch+json"


def version(name: str, *, storage: bool = False, **extra: Json) -> JsonObject:
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"size": {"type": "integer"}, "colour": {"type": "string", "default": "red"}},
            },
            "status": {"type": "object", "properties": {"size": {"type": "integer"}}},
        },
    }
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}, **extra}


def crd(*versions: JsonObject, plural: str = "widgets", kind: str = "Widget") -> JsonObject:
    names = {"plural": plural, "singular": plural[:-1], "kind": kind}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.org"},
        "spec": {
            "group": "example.org",
            "scope": "Namespaced",
            "names": names,
            "versions": list(versions or (version("v1", storage=True, subresources={"status": {}}),)),
        },
    }


def widget(name: str = "w", api_version: str = "example.org/v1", **extra: Json) -> JsonObject:
    return {"apiVersion": api_version, "kind": "Widget", "metadata": {"name": name}, "spec": {"size": 3}, **extra}


class House:
    """A plane on virtual time, and the shortest way to talk to it."""

    def __init__(self, stored: Stored | None = None) -> None:
        self.plane = Plane(LoopClock(), Ids(1), stored=stored)

    async def ask(
        self, method: str, path: str, body: Json = None, query: str = "", kind: str = "application/json"
    ) -> Answer:
        headers = {"content-type": kind, "user-agent": "test/1"}
        payload = encode(body) if body is not None else b""
        return await self.plane.answer(Call(method, path, query, headers, payload, identity=ADMIN))

    async def got(self, method: str, path: str, body: Json = None, **extra: str) -> JsonObject:
        answer = await self.ask(method, path, body, **extra)
        assert answer.status < 300, answer.body
        return decode(answer.body)

    async def serve(self, definition: JsonObject) -> None:
        await self.got("POST", CRDS, definition)
        await settled()


async def settled() -> None:
    await asyncio.sleep(5)


def in_house(story, stored: Stored | None = None):
    async def tell():
        house = House(stored)
        async with house.plane.running():
            return await story(house)

    return run_virtually(tell)


def condition(obj: JsonObject, type_: str) -> str:
    found = obj.get("status", {}).get("conditions") or ()
    return next((each["status"] for each in found if each["type"] == type_), "")


def test_a_definition_is_established_and_its_objects_are_defaulted_and_counted():
    async def story(house: House):
        await house.serve(crd())
        assert condition(await house.got("GET", f"{CRDS}/widgets.example.org"), "Established") == "True"
        made = await house.got("POST", WIDGETS, widget(status={"size": 9}))
        assert made["spec"] == {"size": 3, "colour": "red"}
        assert "status" not in made, "that is written through its subresource"
        assert made["metadata"]["generation"] == 1
        changed = await house.got("PATCH", f"{WIDGETS}/w", {"spec": {"size": 4}}, kind=MERGE)
        assert changed["metadata"]["generation"] == 2
        seen = {"status": {"size": 4}, "spec": {"size": 9}, "metadata": {"labels": {"a": "b"}}}
        observed = await house.got("PATCH", f"{WIDGETS}/w/status", seen, kind=MERGE)
        assert (observed["status"], observed["spec"]["size"]) == ({"size": 4}, 4)
        assert "labels" not in observed["metadata"]
        assert observed["metadata"]["generation"] == 2
        table = await house.ask("GET", WIDGETS)
        assert decode(table.body)["items"][0]["kind"] == "Widget"

    in_house(story)


def test_without_a_status_subresource_every_change_counts():
    async def story(house: House):
        await house.serve(crd(version("v1", storage=True)))
        await house.got("POST", WIDGETS, widget(status={"size": 1}))
        changed = await house.got("PATCH", f"{WIDGETS}/w", {"status": {"size": 2}}, kind=MERGE)
        assert (changed["status"], changed["metadata"]["generation"]) == ({"size": 2}, 2)
        same = await house.got("PATCH", f"{WIDGETS}/w", {"metadata": {"labels": {"a": "b"}}}, kind=MERGE)
        assert same["metadata"]["generation"] == 2

    in_house(story)


def test_versions_show_the_same_object_and_old_ones_warn():
    async def story(house: House):
        old = version("v1", deprecated=True)
        await house.serve(crd(old, version("v2", storage=True)))
        answer = await house.ask("POST", WIDGETS, widget())
        assert ("Warning", '299 - "example.org/v1 Widget is deprecated"') in answer.headers
        newer = await house.got("GET", "/apis/example.org/v2/namespaces/default/widgets/w")
        assert newer["apiVersion"] == "example.org/v2"
        assert (await house.got("GET", f"{WIDGETS}/w"))["apiVersion"] == "example.org/v1"

    in_house(story)


def test_a_default_that_came_later_is_shown_in_objects_that_were_there_before():
    async def story(house: House):
        first = version("v1", storage=True)
        await house.serve(crd(first))
        await house.got("POST", WIDGETS, widget())
        later = version("v1", storage=True)
        later["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["shape"] = {
            "type": "string",
            "default": "round",
        }
        current = await house.got("GET", f"{CRDS}/widgets.example.org")
        await house.got("PUT", f"{CRDS}/widgets.example.org", {**current, "spec": crd(later)["spec"]})
        await settled()
        assert (await house.got("GET", f"{WIDGETS}/w"))["spec"]["shape"] == "round"

    in_house(story)


def test_a_definition_takes_its_objects_along_and_its_path_with_them():
    async def story(house: House):
        await house.serve(crd())
        await house.got("POST", WIDGETS, widget("a"))
        held = widget("b")
        held["metadata"]["finalizers"] = ["example.org/wait"]
        await house.got("POST", WIDGETS, held)
        going = await house.got("DELETE", f"{CRDS}/widgets.example.org")
        assert condition(going, "Terminating") == "True"
        await settled()
        assert [each["metadata"]["name"] for each in (await house.got("GET", WIDGETS))["items"]] == ["b"]
        assert (await house.ask("POST", WIDGETS, widget("c"))).status == 405
        live = house.plane.cluster.objects(
            house.plane.registry.find("example.org", "v1", "widgets").resource.group_kind
        )
        await house.plane.cluster.edit(live[0], lambda obj: {**obj, "metadata": {**obj["metadata"], "finalizers": []}})
        await settled()
        assert (await house.ask("GET", f"{CRDS}/widgets.example.org")).status == 404
        assert (await house.ask("GET", WIDGETS)).status == 404

    in_house(story)


class Guarding:
    """A webhook that lets the widgets of some names not go, after it has thought about it."""

    def __init__(self, *names: str, slow_s: float = 0.0) -> None:
        self.names = set(names)
        self.slow_s = slow_s

    async def mutated(self, attributes: Attributes) -> JsonObject:
        return attributes.obj or {}

    async def check(self, attributes: Attributes) -> None:
        if attributes.operation is Operation.DELETE and attributes.scope.name in self.names:
            await asyncio.sleep(self.slow_s)
            raise failure(403, "Forbidden", "denied: it stays")


def guarded(house: House, guard: Guarding) -> Guarding:
    admission = house.plane.context.admission
    assert isinstance(admission, BuiltinAdmission)
    admission.webhooks = guard
    return guard


def test_one_object_that_is_not_let_go_keeps_none_of_the_others_of_its_definition():
    async def story(house: House):
        guard = guarded(house, Guarding("b"))
        await house.serve(crd())
        for name in "abc":
            await house.got("POST", WIDGETS, widget(name))
        await house.got("DELETE", f"{CRDS}/widgets.example.org")
        await settled()
        assert [each["metadata"]["name"] for each in (await house.got("GET", WIDGETS))["items"]] == ["b"]
        going = await house.got("GET", f"{CRDS}/widgets.example.org")
        (said,) = (each for each in going["status"]["conditions"] if each["type"] == "Terminating")
        assert (said["status"], said["reason"]) == ("True", "InstanceDeletionFailed")
        assert "denied: it stays" in said["message"]
        guard.names.clear()
        await asyncio.sleep(90)
        assert (await house.ask("GET", f"{CRDS}/widgets.example.org")).status == 404

    in_house(story)


def test_objects_that_take_their_time_to_go_keep_no_other_definition_from_being_served():
    async def story(house: House):
        guarded(house, Guarding("b", slow_s=25.0))
        await house.serve(crd())
        await house.got("POST", WIDGETS, widget("b"))
        await house.got("DELETE", f"{CRDS}/widgets.example.org")
        await asyncio.sleep(1)
        await house.serve(crd(plural="gadgets", kind="Gadget"))
        assert condition(await house.got("GET", f"{CRDS}/gadgets.example.org"), "Established") == "True"

    in_house(story)


def test_a_name_that_is_given_up_goes_to_the_one_that_waits_for_it():
    async def story(house: House):
        await house.serve(crd())
        await house.serve(crd(plural="gadgets", kind="Widget"))
        waiting = await house.got("GET", f"{CRDS}/gadgets.example.org")
        assert condition(waiting, "NamesAccepted") == "False"
        await house.got("DELETE", f"{CRDS}/widgets.example.org")
        await settled()
        accepted = await house.got("GET", f"{CRDS}/gadgets.example.org")
        assert condition(accepted, "NamesAccepted") == "True"

    in_house(story)


def test_what_was_served_before_a_restart_is_served_from_the_first_request_on():
    async def first(house: House):
        await house.serve(crd())
        await house.got("POST", WIDGETS, widget())
        store = house.plane.store
        entries = [entry for each in store.collections for entry in store.shelf(each).entries()]
        return Stored(store.revision, entries)

    async def second(house: House):
        return await house.got("GET", f"{WIDGETS}/w")

    assert in_house(second, in_house(first))["spec"]["size"] == 3


async def test_objects_that_a_webhook_converts_are_converted_all_at_once():
    asked: list[int] = []

    async def convert(_: Definition, api_version: str, objects: Sequence[JsonObject]) -> list[JsonObject]:
        asked.append(len(objects))
        return [{**obj, "apiVersion": api_version, "spec": {"size": 99}} for obj in objects]

    definition = crd(version("v1"), version("v2", storage=True))
    definition["metadata"]["generation"] = 1
    definition["spec"]["conversion"] = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}
    accepted = {"type": "Established", "status": "True"}
    definition["status"] = {"acceptedNames": definition["spec"]["names"], "conditions": [accepted]}
    registry = Registry(())
    resources = CustomResources(registry, convert)
    resources.offer(definition, 5)
    resources.offer(definition, 6)
    model = registry.find("example.org", "v1", "widgets")
    assert model is not None
    assert model.remote
    entries = [
        Entry(Key(Collection("example.org", "widgets"), "default", name), 7, encode(widget(name, "example.org/v2")))
        for name in "ab"
    ]
    view = View(model)
    await view.prepare(entries)
    assert asked == [2]
    assert [decode(view.whole(entry))["spec"] for entry in entries] == [{"size": 99}, {"size": 99}]
    resources.withdraw("widgets.example.org")
    assert registry.find("example.org", "v1", "widgets") is None


def stored_in(name: str) -> JsonObject:
    """The spec of a definition of two versions that differ in nothing but what is the stored one."""
    spec: JsonObject = crd(version("v1", storage=name == "v1"), version("v2", storage=name == "v2"))["spec"]
    return spec


async def redefined(house: House, spec: JsonObject) -> None:
    current = await house.got("GET", f"{CRDS}/widgets.example.org")
    await house.got("PUT", f"{CRDS}/widgets.example.org", {**current, "spec": spec})


def test_a_watch_ends_when_its_kind_is_defined_otherwise_and_goes_on_in_its_own_version():
    async def story(house: House):
        await house.serve({**crd(), "spec": stored_in("v1")})
        made = await house.got("POST", WIDGETS, widget())
        since = f"watch=1&resourceVersion={made['metadata']['resourceVersion']}"
        seen: list[JsonObject] = []

        async def watching() -> None:
            answer = await house.ask("GET", WIDGETS, query=since)
            assert answer.stream is not None
            async for piece in answer.stream:
                seen.extend(decode(line) for line in piece.splitlines())

        first = asyncio.ensure_future(watching())
        await asyncio.sleep(1)
        await redefined(house, stored_in("v2"))
        await settled()
        await house.got("PATCH", f"{WIDGETS}/w", {"spec": {"size": 4}}, kind=MERGE)
        await settled()
        assert [each["object"]["apiVersion"] for each in seen] in ([], ["example.org/v1"])
        assert first.done(), "whoever watches begins anew under the new definition"
        second = asyncio.ensure_future(watching())
        await settled()
        second.cancel()
        assert [(each["object"]["apiVersion"], each["object"]["spec"]["size"]) for each in seen] == [
            ("example.org/v1", 4)
        ]

    in_house(story)


def test_a_watch_of_a_kind_that_is_no_more_ends():
    async def story(house: House):
        await house.serve(crd())
        answer = await house.ask("GET", WIDGETS, query="watch=1")
        assert answer.stream is not None
        reading = asyncio.ensure_future(anext(answer.stream, b""))
        await asyncio.sleep(1)
        await house.got("DELETE", f"{CRDS}/widgets.example.org")
        await settled()
        assert reading.done()
        assert reading.result() == b""

    in_house(story)


def test_a_watch_of_a_kind_that_is_no_more_tells_the_end_of_its_objects_first():
    async def story(house: House):
        await house.serve(crd())
        await house.got("POST", WIDGETS, widget("one"))
        answer = await house.ask("GET", WIDGETS, query="watch=1&resourceVersion=0")
        assert answer.stream is not None
        told = await anext(answer.stream)
        await house.got("DELETE", f"{CRDS}/widgets.example.org")
        await settled()
        told += b"".join([piece async for piece in answer.stream])
        assert [decode(line)["type"] for line in told.splitlines()] == ["ADDED", "DELETED"]

    in_house(story)


@pytest.mark.parametrize("plural", ["networkpolicies", "networkpolicyz"])
def test_what_is_built_in_is_nobodys_to_define(plural):
    policies = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies"
    policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "one"}}
    definition = crd(plural=plural, kind="NetworkPolicy")
    definition["spec"] |= {"group": "networking.k8s.io"}
    approved = {"api-approved.kubernetes.io": "https://example.org/approved"}
    definition["metadata"] = {"name": f"{plural}.networking.k8s.io", "annotations": approved}

    async def story(house: House):
        await house.got("POST", policies, policy | {"spec": {"podSelector": {}}})
        await house.serve(definition)
        made = await house.ask("POST", policies, policy | {"metadata": {"name": "two"}, "spec": {"colour": "red"}})
        assert b"colour" not in bytes(made.body), "nobody's schema but the built-in one counts"
        await house.got("DELETE", f"{CRDS}/{plural}.networking.k8s.io")
        await settled()
        assert (await house.ask("GET", f"{CRDS}/{plural}.networking.k8s.io")).status == 404
        assert (await house.got("GET", f"{policies}/one"))["metadata"]["name"] == "one"

    in_house(story)


def test_status_alone_ends_no_watch():
    async def story(house: House):
        await house.serve(crd())
        answer = await house.ask("GET", WIDGETS, query="watch=1")
        assert answer.stream is not None
        reading = asyncio.ensure_future(anext(answer.stream, b""))
        await asyncio.sleep(1)
        await house.got("PATCH", f"{CRDS}/widgets.example.org", {"metadata": {"labels": {"a": "b"}}}, kind=MERGE)
        await house.got(
            "PATCH", f"{CRDS}/widgets.example.org/status", {"status": {"storedVersions": ["v1"]}}, kind=MERGE
        )
        await settled()
        assert not reading.done()
        await house.got("POST", WIDGETS, widget())
        assert decode(await reading)["type"] == "ADDED"

    in_house(story)


def test_what_is_written_while_a_definition_changes_is_shown_in_the_version_that_is_asked_for():
    async def story(house: House):
        await house.serve({**crd(), "spec": stored_in("v1")})
        await redefined(house, stored_in("v2"))
        # Nobody has looked at the definition yet: this one is still written as before.
        await house.got("POST", WIDGETS, widget())
        await settled()
        for name in ("v1", "v2"):
            path = f"/apis/example.org/{name}/namespaces/default/widgets"
            assert (await house.got("GET", f"{path}/w"))["apiVersion"] == f"example.org/{name}"
            assert (await house.got("GET", path))["items"][0]["apiVersion"] == f"example.org/{name}"

    in_house(story)
