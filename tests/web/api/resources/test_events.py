"""Events of the application, and of one object of its tree."""

import pytest
from tests.web.api.resources.scene import deployment, told

from plumbline.web.api.resources.events import event_list

FILES = {"web/a.yaml": deployment()}


@told(files=FILES)
async def test_events_of_an_object_are_told(scene):
    (pod,) = await scene.pods()
    found = await scene.json(
        f"events?resourceName={pod['name']}&resourceUID={pod['uid']}&resourceNamespace=shop", who="rita"
    )
    assert found["items"]
    assert {each["involvedObject"]["uid"] for each in found["items"]} == {pod["uid"]}
    assert all(each["count"] >= 1 and each["lastTimestamp"] for each in found["items"])


@told(files=FILES)
async def test_events_of_the_application_are_its_own(scene):
    event = {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "web.1", "namespace": "argocd"}, "reason": "Told",
        "message": "Something", "type": "Normal",
        "involvedObject": {"kind": "Application", "name": "web", "namespace": "argocd", "uid": (await scene.place.app())["metadata"]["uid"]},
    }  # fmt: skip
    await scene.place.create("v1/events", event, "argocd")
    found = await scene.json("events")
    assert "Told" in {each["reason"] for each in found["items"]}
    assert {each["involvedObject"]["name"] for each in found["items"]} == {"web"}


@told(files=FILES)
async def test_events_of_what_is_not_in_the_tree_are_nobodys_business(scene):
    (pod,) = await scene.pods()
    for query in ("resourceName=web&resourceUID=other&resourceNamespace=shop", f"resourceName={pod['name']}",
                  f"resourceUID={pod['uid']}&resourceName=another&resourceNamespace=shop"):  # fmt: skip
        assert (await scene.ask("GET", f"events?{query}")).status == 403, query


CASES = [
    ({"eventTime": "2026-01-01T00:00:00.123456Z"}, (1, "2026-01-01T00:00:00Z"), "one that happened once"),
    ({"series": {"count": 7, "lastObservedTime": "2026-01-02T00:00:00.5Z"}}, (7, "2026-01-02T00:00:00Z"), "a series"),
    ({"count": 3, "lastTimestamp": "2026-01-03T00:00:00Z"}, (3, "2026-01-03T00:00:00Z"), "the older form"),
    ({}, (None, None), "one that says nothing"),
]


@pytest.mark.parametrize(("event", "expected", "why"), CASES, ids=[each[2] for each in CASES])
def test_the_older_fields_are_filled_in_from_the_newer_ones(event, expected, why):
    (told_,) = event_list([event], "7")["items"]
    assert (told_.get("count"), told_["lastTimestamp"]) == expected, why
