"""Fields that are given by naming or selecting another resource."""

import pytest

from plumbline.base.errors import Unresolved
from plumbline.base.json import encode
from plumbline.kernel.cache import Relevance, cached
from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Reference
from plumbline.managed.references import From, Others, resolved

from .town import conditions, story

NETS = GroupKind("net.cloud.example.org", "Network")
ONE = Reference("networkId", NETS)
MANY = Reference("networkIds", NETS, many=True)
DEEP = Reference("place.subnets", NETS, many=True)
ARN = Reference("roleArn", NETS, extract="status.atProvider.arn")


def network(name, external="", *, labels=None, owner="", arn="", namespace=""):
    metadata = {"name": name, "namespace": namespace, "uid": name, "labels": labels or {}, "resourceVersion": "1"}
    if external:
        metadata["annotations"] = {"crossplane.io/external-name": external}
    if owner:
        metadata["ownerReferences"] = [{"uid": owner, "controller": True}]
    status = {"atProvider": {"arn": arn}} if arn else {}
    return cached(encode({"metadata": metadata, "status": status}), Relevance())


def others(*networks):
    known = {(each.meta.namespace, each.meta.name): each for each in networks}
    return Others(
        lambda _, namespace, name: known.get((namespace, name)),
        lambda _, namespace: [known[key] for key in sorted(known) if not namespace or key[0] == namespace],
    )


TOWN = others(
    network("a", "net-a", labels={"tier": "web"}, owner="xr-1", arn="arn:a"),
    network("b", "net-b", labels={"tier": "web"}, owner="xr-2"),
    network("young"),
    network("z", "net-0", labels={"tier": "web"}),
)
OPTIONAL = {"policy": {"resolution": "Optional"}}
ALWAYS = {"policy": {"resolve": "Always"}}
CASES = [
    (ONE, {"networkIdRef": {"name": "a"}}, {"networkId": "net-a", "networkIdRef": {"name": "a"}}, "by name"),
    (ONE, {"networkId": "mine", "networkIdRef": {"name": "a"}}, {"networkId": "mine", "networkIdRef": {"name": "a"}}, "a value that is there stays"),
    (ONE, {"networkId": "old", "networkIdRef": {"name": "a", **ALWAYS}}, {"networkId": "net-a", "networkIdRef": {"name": "a", **ALWAYS}}, "unless it is to be resolved always"),
    (ONE, {"networkIdSelector": {"matchLabels": {"tier": "web"}}}, {"networkId": "net-a", "networkIdRef": {"name": "a"}, "networkIdSelector": {"matchLabels": {"tier": "web"}}}, "the first that fits"),
    (ONE, {"networkIdSelector": {"matchControllerRef": True}}, {"networkId": "net-a", "networkIdRef": {"name": "a"}, "networkIdSelector": {"matchControllerRef": True}}, "with the same controller"),
    (MANY, {"networkIdSelector": {"matchLabels": {"tier": "web"}}}, {"networkIds": ["net-0", "net-a", "net-b"], "networkIdRefs": [{"name": "z"}, {"name": "a"}, {"name": "b"}], "networkIdSelector": {"matchLabels": {"tier": "web"}}}, "all that fit, by value"),
    (MANY, {"networkIdRefs": [{"name": "b"}, {"name": "a"}]}, {"networkIds": ["net-b", "net-a"], "networkIdRefs": [{"name": "b"}, {"name": "a"}]}, "several, in their order"),
    (DEEP, {"place": {"subnetRefs": [{"name": "a"}]}}, {"place": {"subnets": ["net-a"], "subnetRefs": [{"name": "a"}]}}, "below an object"),
    (DEEP, {"place": [{"subnetRefs": [{"name": "a"}]}, {}]}, {"place": [{"subnets": ["net-a"], "subnetRefs": [{"name": "a"}]}, {}]}, "below a list of one"),
    (ARN, {"roleArnRef": {"name": "a"}}, {"roleArn": "arn:a", "roleArnRef": {"name": "a"}}, "another field than the name"),
    (ONE, {"networkIdRef": {"name": "none", **OPTIONAL}}, {"networkIdRef": {"name": "none", **OPTIONAL}}, "missing, and said to be no problem"),
    (ONE, {"networkIdSelector": {"matchLabels": {"x": "y"}, **OPTIONAL}}, {"networkIdSelector": {"matchLabels": {"x": "y"}, **OPTIONAL}}, "nothing fits, no problem"),
    (ONE, {}, {}, "nothing to resolve"),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "said", "expect", "why"), CASES, ids=[case[-1] for case in CASES])
@pytest.mark.parametrize("part", ["forProvider", "initProvider"])
def test_references_come_to_values(reference, said, expect, why, part):
    found = resolved(From("", "xr-1", {part: said}), (reference,), TOWN)
    assert found.spec.get(part, {}) == expect, why
    assert bool(found.applied) == (expect != said), why


MISSING = [
    ({"networkIdRef": {"name": "none"}}, 'cannot get referenced resource: Network.net.cloud.example.org "none" not found', "none"),
    ({"networkIdRef": {"name": "young"}}, "referenced field was empty (referenced resource may not yet be ready)", "young"),
    ({"networkIdSelector": {"matchLabels": {"x": "y"}}}, "no resources matched selector", ""),
    ({"networkIdSelector": {"matchControllerRef": True, "matchLabels": {"tier": "db"}}}, "no resources matched selector", ""),
]  # fmt: skip


@pytest.mark.parametrize(("said", "message", "sought"), MISSING, ids=[case[1] for case in MISSING])
def test_what_leads_nowhere_is_said_in_upstreams_words(said, message, sought):
    with pytest.raises(Unresolved) as refused:
        resolved(From("", "xr-1", {"forProvider": said}), (ONE,), TOWN)
    assert str(refused.value) == f"cannot resolve references: spec.forProvider.networkId: {message}"
    assert refused.value.sought[3] == sought


def test_a_list_that_leads_there_is_applied_as_a_whole():
    said = {"forProvider": {"place": [{"keep": 1, "subnetRefs": [{"name": "a"}]}], "other": 1}}
    applied = resolved(From("", "", said), (DEEP,), TOWN).applied
    assert applied == {"forProvider": {"place": [{"keep": 1, "subnetRefs": [{"name": "a"}], "subnets": ["net-a"]}]}}


def test_what_was_resolved_before_is_applied_again_so_that_it_stays():
    both = (ONE, Reference("otherId", NETS))
    said = {"forProvider": {"networkId": "net-a", "networkIdRef": {"name": "a"}, "otherIdRef": {"name": "b"}}}
    applied = resolved(From("", "", said), both, TOWN).applied["forProvider"]
    assert (applied["networkId"], applied["otherId"]) == ("net-a", "net-b")


def test_a_namespaced_resource_refers_to_its_own_namespace_unless_it_says_otherwise():
    nets = others(network("a", "mine", namespace="shop"), network("a", "theirs", namespace="other"))
    said = {"forProvider": {"networkIdRef": {"name": "a"}}}
    assert resolved(From("shop", "", said), (ONE,), nets).spec["forProvider"]["networkId"] == "mine"
    said = {"forProvider": {"networkIdSelector": {"namespace": "other"}}}
    assert resolved(From("shop", "", said), (ONE,), nets).spec["forProvider"]["networkId"] == "theirs"


@story()
async def test_who_is_waited_for_wakes_whoever_waits(town):
    await town.create("stores", "photos", networkIdRef={"name": "blue"})
    obj = await town.has("stores", "photos", Synced="ReconcileError")
    assert conditions(obj)["Synced"]["message"].startswith("cannot resolve references: spec.forProvider.networkId")
    assert [reason for reason, _ in await town.events("photos")] == ["CannotResolveResourceReferences"]
    await town.create("networks", "blue")
    await town.ready("stores", "photos", within_s=3)
    obj = await town.get("stores", "photos")
    assert obj["spec"]["forProvider"]["networkId"] == "network-0001"
    managers = [each["manager"] for each in obj["metadata"]["managedFields"] if each["operation"] == "Apply"]
    assert managers == ["managed.crossplane.io/api-simple-reference-resolver"]


@story()
async def test_a_selector_in_a_namespace_finds_the_namespaced_twin(town):
    await town.create("networks", "cluster-wide", metadata={"labels": {"tier": "web"}})
    await town.create("m.stores", "photos", "shop", networkIdSelector={"matchLabels": {"tier": "web"}})
    await town.has("m.stores", "photos", "shop", Synced="ReconcileError")
    await town.create("m.networks", "own", "shop", metadata={"labels": {"tier": "web"}})
    obj = await town.ready("m.stores", "photos", "shop", within_s=5)
    assert obj["spec"]["forProvider"]["networkIdRef"] == {"name": "own"}


@story()
async def test_deletion_does_not_wait_for_references(town):
    await town.create("networks", "blue")
    await town.create("stores", "photos", networkIdRef={"name": "blue", "policy": {"resolve": "Always"}})
    await town.ready("stores", "photos")
    await town.delete("networks", "blue")
    await town.gone("networks", "blue")
    await town.delete("stores", "photos")
    await town.gone("stores", "photos")
