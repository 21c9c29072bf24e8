"""A namespace goes when everything in it has gone, and says until then what it waits for."""

import asyncio

import pytest
from tests.apiserver.controllers.housekeeping.house import (
    EVENT,
    NAMESPACE,
    SECRET,
    Guarding,
    RequestRefused,
    house,
    virtually,
)

from plumbline.kube.names import GroupKind

POD = GroupKind("", "Pod")


async def namespace(there, name: str = "team", **spec):
    return await there.make({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": spec})


def conditions(there, name: str = "team") -> dict[str, tuple[str, str, str]]:
    status = there.get(name, "", NAMESPACE)["status"]
    return {each["type"]: (each["status"], each["reason"], each["message"]) for each in status["conditions"]}


@virtually
async def test_everything_in_it_goes_with_it():
    async with house() as there:
        await namespace(there)
        await there.config("a", namespace="team")
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "team"}}
        await there.make(secret)
        await there.rest()
        await there.cluster.delete(there.get("team", "", NAMESPACE))
        await there.rest(for_s=2)
        assert there.find("team", "", NAMESPACE) is None
        assert there.find("s", "team", SECRET) is None
        assert there.names("team") == set()


@virtually
async def test_it_says_what_is_left_and_why():
    async with house() as there:
        await namespace(there)
        await there.config("a", namespace="team", finalizers=["example.org/a", "example.org/b"])
        await there.config("b", namespace="team", finalizers=["example.org/a"])
        await there.rest()
        await there.cluster.delete(there.get("team", "", NAMESPACE))
        await there.rest(for_s=5)
        assert there.get("team", "", NAMESPACE)["status"]["phase"] == "Terminating"
        assert conditions(there) == {
            "NamespaceDeletionDiscoveryFailure": (
                "False",
                "ResourcesDiscovered",
                "All resources successfully discovered",
            ),
            "NamespaceDeletionGroupVersionParsingFailure": (
                "False",
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
            ),
            "NamespaceDeletionContentFailure": (
                "False",
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
            "NamespaceContentRemaining": (
                "True",
                "SomeResourcesRemain",
                "Some resources are remaining: configmaps. has 2 resource instances",
            ),
            "NamespaceFinalizersRemaining": (
                "True",
                "SomeFinalizersRemain",
                (
                    "Some content in the namespace has finalizers remaining: example.org/a in 2 resource instances, "
                    "example.org/b in 1 resource instances"
                ),
            ),
        }
        for name in "ab":
            await there.finish(name, "team")
        await there.rest(for_s=20)
        assert there.find("team", "", NAMESPACE) is None


@virtually
async def test_pods_go_first():
    async with house() as there:
        await namespace(there)
        await there.rest()
        spec = {"containers": [{"name": "c", "image": "x"}], "nodeName": "none", "serviceAccountName": "default"}
        await there.make(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "team"}, "spec": spec}
        )
        await there.config("a", namespace="team")
        await there.cluster.delete(there.get("team", "", NAMESPACE))
        await there.rest(for_s=10)
        assert there.get("p", "team", POD)["metadata"]["deletionGracePeriodSeconds"] == 30
        assert there.names("team") == {"a"}, "what pods may need stays until they are gone"
        await there.cluster.delete(there.get("p", "team", POD), grace_s=0)
        await there.rest(for_s=5)
        assert there.find("team", "", NAMESPACE) is None


@virtually
async def test_conditions_keep_the_time_since_when_they_hold():
    async with house() as there:
        await namespace(there)
        await there.config("a", namespace="team", finalizers=["example.org/a"])
        await there.cluster.delete(there.get("team", "", NAMESPACE))
        await there.rest(for_s=1)
        before = there.get("team", "", NAMESPACE)["status"]["conditions"]
        await there.rest(for_s=60)
        assert there.get("team", "", NAMESPACE)["status"]["conditions"] == before


@virtually
async def test_nothing_new_gets_in_and_its_basics_are_not_put_back():
    async with house() as there:
        await namespace(there)
        await there.config("a", namespace="team", finalizers=["example.org/a"])
        await there.rest()
        await there.cluster.delete(there.get("team", "", NAMESPACE))
        await there.rest(for_s=5)
        with pytest.raises(RequestRefused) as refused:
            await there.config("late", namespace="team")
        assert refused.value.status["details"]["causes"][0]["reason"] == "NamespaceTerminating"
        assert {each["metadata"]["name"] for each in there.cluster.objects(EVENT, "team")} == set()
        assert there.names("team") == {"a"}


@virtually
async def test_finalizers_of_others_keep_it_after_its_content_is_gone():
    async with house() as there:
        await namespace(there, finalizers=["example.org/mine"])
        await there.config("a", namespace="team")
        await there.rest()
        await there.cluster.delete(there.get("team", "", NAMESPACE))
        await there.rest(for_s=5)
        assert there.get("team", "", NAMESPACE)["spec"] == {"finalizers": ["example.org/mine"]}
        assert there.names("team") == set()
        team = there.get("team", "", NAMESPACE)
        await there.cluster.edit(team, lambda live: {**live, "spec": {"finalizers": []}}, subresource="finalize")
        await there.rest()
        assert there.find("team", "", NAMESPACE) is None


@virtually
async def test_namespaces_that_nobody_deletes_are_left_alone():
    async with house() as there:
        await namespace(there)
        await there.rest()
        before = there.get("team", "", NAMESPACE)
        await there.rest(for_s=60)
        assert there.get("team", "", NAMESPACE) == before


@virtually
async def test_one_object_that_is_not_let_go_keeps_no_other_and_is_said():
    async with house() as there:
        guard = there.guard(Guarding("b"))
        await namespace(there)
        for name in "abc":
            await there.config(name, namespace="team")
        await there.make({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "team"}})
        await there.rest()
        await there.cluster.delete(there.get("team", "", NAMESPACE))
        await there.rest(for_s=5)
        assert there.names("team") == {"b"}
        assert there.find("s", "team", SECRET) is None
        denied = 'admission webhook "guard.example.org" denied the request: b stays'
        assert conditions(there)["NamespaceDeletionContentFailure"] == (
            "True",
            "ContentDeletionFailed",
            f"Failed to delete all resource types, 1 remaining: {denied}",
        )
        guard.names.clear()
        await there.rest(for_s=90)
        assert there.find("team", "", NAMESPACE) is None


@virtually
async def test_a_webhook_that_is_slow_about_one_namespace_keeps_no_other():
    async with house() as there:
        guard = there.guard(Guarding("slow"))
        guard.slow_s = 25
        for name in ("one", "two"):
            await namespace(there, name)
        await there.config("slow", namespace="one")
        await there.config("quick", namespace="two")
        await there.rest()
        await there.cluster.delete(there.get("one", "", NAMESPACE))
        await there.cluster.delete(there.get("two", "", NAMESPACE))
        await asyncio.sleep(5)
        assert there.find("two", "", NAMESPACE) is None
        assert there.find("one", "", NAMESPACE) is not None
        guard.names.clear()
        await there.rest(for_s=90)
