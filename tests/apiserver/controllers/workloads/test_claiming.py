"""Taking in and letting go, where others do the same at the same time."""

import pytest
from tests.apiserver.controllers.workloads.world import kinds, template, virtually, workload, world

from plumbline.apiserver import statuses
from plumbline.apiserver.controllers.workloads.claiming import Claim, adopted, claimed
from plumbline.apiserver.controllers.workloads.watching import selector_of
from plumbline.apiserver.objects.admission import NoAdmission
from plumbline.base.errors import RequestRefused
from plumbline.kube.object import Object
from plumbline.kube.selectors.labels import NOTHING, LabelSelector

WEB = LabelSelector.from_labels({"app": "web"})
OWNER = Object(
    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "default", "uid": "u"}}
)


def pod(name="stray", **metadata):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "web"}, **metadata},
        "spec": template()["spec"],
    }


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ({"deletionTimestamp": "2026-01-01T00:00:00Z"}, "it is going"),
        ({"ownerReferences": [{"uid": "x", "controller": True}]}, "somebody else was quicker"),
    ],
)
def test_nobody_is_taken_in_who_cannot_be(metadata, why):
    assert adopted({"metadata": metadata}, Claim(OWNER, kinds.POD, WEB)) is None, why


def test_an_owner_that_did_not_control_does_now():
    loose = {"uid": "u", "name": "web", "kind": "ReplicaSet", "apiVersion": "apps/v1"}
    taken = adopted(
        {"metadata": {"ownerReferences": [loose, {"uid": "x"}]}}, Claim(OWNER, kinds.POD, WEB, finalizer="f")
    )
    assert [each.get("controller") for each in taken["metadata"]["ownerReferences"]] == [None, True]
    assert taken["metadata"]["finalizers"] == ["f"]


class Gate(NoAdmission):
    code = 0

    async def check(self, attributes):
        if self.code and attributes.scope.resource.plural == "pods" and attributes.old is not None:
            raise statuses.failure(self.code, "", "no")


@virtually
async def test_what_disappears_while_it_is_taken_in_is_no_error_and_a_refusal_is():
    gate = Gate()
    async with world(admission=gate) as at:
        owner = Object(await at.create(workload("ReplicaSet", replicas=0)))
        await at.create(pod(finalizers=["test/hold"]) | {"spec": {**template()["spec"], "nodeName": "nowhere"}})
        await at.create(pod("other") | {"metadata": {"name": "other", "labels": {"app": "other"}}})
        other = LabelSelector.from_labels({"app": "other"})
        gate.code = 404
        assert await claimed(at.cluster, Claim(owner, kinds.POD, other)) == []
        gate.code = 403
        with pytest.raises(RequestRefused):
            await claimed(at.cluster, Claim(owner, kinds.POD, other))
        gate.code = 0
        found = await claimed(at.cluster, Claim(owner, kinds.POD, other))
        assert [entry.key.name for entry in found] == ["other"]


@virtually
async def test_an_owner_that_is_gone_by_now_takes_nobody_in():
    async with world() as at:
        gone = Object({**OWNER.raw, "metadata": {**OWNER.metadata, "uid": "long-gone"}})
        await at.create(pod())
        assert await claimed(at.cluster, Claim(gone, kinds.POD, WEB)) == []


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (None, NOTHING),
        ({}, NOTHING),
        ({"matchLabels": {}}, NOTHING),
        ({"matchExpressions": [{"key": "a", "operator": "Like"}]}, NOTHING),
        ({"app": "web"}, WEB),
        ({"matchLabels": {"app": "web"}}, WEB),
    ],
)
def test_a_selector_that_says_nothing_selects_nothing(selector, expected):
    assert selector_of(selector) == expected
