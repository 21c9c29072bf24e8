"""Claims, volumes and classes."""

import asyncio

import pytest
from tests.apiserver.nodes.objects import claim, mounting, pod, storage_class, volume
from tests.apiserver.nodes.stage import POD, on_stage

from plumbline.apiserver.nodes.volumes.matching import best_match, default_class

CLAIM, VOLUME = "PersistentVolumeClaim", "PersistentVolume"


@on_stage()
async def test_a_claim_gets_a_volume_of_the_default_class(stage):
    await stage.apply(claim(class_=None))
    await stage.settle()
    found = stage.get(CLAIM, "data")
    assert found["spec"]["storageClassName"] == "standard"
    assert found["status"] == {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}
    assert found["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] == "yes"
    assert found["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"] == "plumbline.dev/simulated"
    made = stage.get(VOLUME, found["spec"]["volumeName"], "")
    assert made["metadata"]["name"] == f"pvc-{found['metadata']['uid']}"
    assert made["status"]["phase"] == "Bound"
    assert made["spec"]["persistentVolumeReclaimPolicy"] == "Delete"
    assert made["spec"]["claimRef"]["uid"] == found["metadata"]["uid"]
    assert made["metadata"]["annotations"]["plumbline.dev/simulated"] == "true"
    assert [reason for reason, _ in stage.events("data")] == ["ProvisioningSucceeded"]


@on_stage()
async def test_a_claim_takes_the_smallest_volume_that_fits(stage):
    await stage.apply(volume("small", size="1Gi"), volume("large", size="20Gi"), volume("middle", size="10Gi"))
    await stage.apply(volume("other", size="5Gi", class_="else"))
    await stage.settle()
    assert stage.get(VOLUME, "small", "")["status"]["phase"] == "Available"
    await stage.apply(claim(class_="manual", size="2Gi"))
    await stage.settle()
    assert stage.get(CLAIM, "data")["spec"]["volumeName"] == "middle"
    assert stage.get(CLAIM, "data")["status"]["capacity"] == {"storage": "10Gi"}
    bound = stage.get(VOLUME, "middle", "")
    assert bound["metadata"]["annotations"] == {"pv.kubernetes.io/bound-by-controller": "yes"}
    assert bound["status"]["phase"] == "Bound"


@on_stage()
async def test_a_volume_may_be_reserved_for_a_claim(stage):
    reserved = {"namespace": "default", "name": "data"}
    await stage.apply(volume("free", size="2Gi"), volume("reserved", size="20Gi", claimRef=reserved))
    await stage.settle()
    assert stage.get(VOLUME, "reserved", "")["status"]["phase"] == "Available"
    await stage.apply(claim(class_="manual"))
    await stage.settle()
    assert stage.get(CLAIM, "data")["spec"]["volumeName"] == "reserved"
    assert stage.get(VOLUME, "reserved", "")["metadata"].get("annotations") is None


@on_stage()
async def test_a_claim_may_ask_for_a_volume_by_name(stage):
    await stage.apply(claim("later", class_="manual", volumeName="mine"))
    await stage.settle()
    assert stage.get(CLAIM, "later")["status"]["phase"] == "Pending"
    await stage.apply(volume("mine"))
    await stage.settle()
    assert stage.get(CLAIM, "later")["status"]["phase"] == "Bound"
    await stage.apply(claim("late", class_="manual", volumeName="mine"))
    await stage.settle()
    assert stage.events("late") == [("FailedBinding", 'volume "mine" already bound to a different claim.')]


WAITING = [
    ("", "FailedBinding", "no persistent volumes available for this claim and no storage class is set"),
    ("none", "ProvisioningFailed", 'storageclass.storage.k8s.io "none" not found'),
    ("lazy", "WaitForFirstConsumer", "waiting for first consumer to be created before binding"),
]


@pytest.mark.parametrize(("class_", "reason", "message"), WAITING)
def test_a_claim_says_what_it_waits_for(class_, reason, message):
    @on_stage()
    async def story(stage):
        lazy = storage_class("lazy", provisioner="x.y/z", volumeBindingMode="WaitForFirstConsumer")
        await stage.apply(lazy, claim(class_=class_))
        await stage.settle()
        assert stage.get(CLAIM, "data")["status"]["phase"] == "Pending"
        assert (reason, message) in stage.events("data")

    story()


@on_stage()
async def test_a_class_without_a_provisioner_waits_for_a_volume(stage):
    await stage.apply(storage_class("local", provisioner="kubernetes.io/no-provisioner"), claim(class_="local"))
    await stage.settle()
    assert stage.get(CLAIM, "data")["status"]["phase"] == "Pending"
    await stage.apply(volume("disk", class_="local"))
    await stage.settle()
    assert stage.get(CLAIM, "data")["status"]["phase"] == "Bound"


@on_stage()
async def test_a_claim_in_use_stays_until_nobody_uses_it(stage):
    await stage.apply(claim(), mounting("data", "web"))
    await stage.settle()
    await stage.delete(CLAIM, "data")
    assert stage.get(CLAIM, "data")["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    await stage.delete(POD, "web")
    await asyncio.sleep(2)
    assert stage.find(CLAIM, "data") is None
    assert stage.cluster.objects(stage.kind(VOLUME)) == [], "what was made for it goes with it"


@on_stage()
async def test_a_volume_that_is_retained_is_released(stage):
    await stage.apply(volume("kept"), claim(class_="manual"))
    await stage.settle()
    await stage.delete(CLAIM, "data")
    assert stage.get(VOLUME, "kept", "")["status"]["phase"] == "Released"
    await stage.apply(claim(class_="manual"))
    await stage.settle()
    assert stage.get(CLAIM, "data")["status"]["phase"] == "Pending", "it belongs to the claim that is gone"
    await stage.delete(VOLUME, "kept", "")
    assert stage.find(VOLUME, "kept", "") is None


@on_stage()
async def test_a_bound_volume_stays_until_its_claim_goes(stage):
    await stage.apply(volume("kept"), claim(class_="manual"))
    await stage.settle()
    await stage.delete(VOLUME, "kept", "")
    assert stage.get(VOLUME, "kept", "")["metadata"]["deletionTimestamp"]
    await stage.delete(CLAIM, "data")
    assert stage.find(VOLUME, "kept", "") is None


@on_stage()
async def test_a_claim_can_lose_its_volume(stage):
    await stage.apply(volume("kept"), claim(class_="manual"))
    await stage.settle()
    await stage.cluster.edit(
        stage.get(VOLUME, "kept", ""), lambda live: {**live, "metadata": {**live["metadata"], "finalizers": []}}
    )
    await stage.delete(VOLUME, "kept", "")
    assert stage.get(CLAIM, "data")["status"] == {"phase": "Lost"}
    lost = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
    assert ("ClaimLost", lost) in stage.events("data")


@on_stage()
async def test_a_claim_can_grow(stage):
    await stage.apply(claim())
    await stage.settle()
    larger = {"requests": {"storage": "5Gi"}}
    await stage.cluster.edit(
        stage.get(CLAIM, "data"), lambda live: {**live, "spec": {**live["spec"], "resources": larger}}
    )
    await stage.settle()
    found = stage.get(CLAIM, "data")
    assert found["status"]["capacity"] == {"storage": "5Gi"}
    assert stage.get(VOLUME, found["spec"]["volumeName"], "")["spec"]["capacity"] == {"storage": "5Gi"}


@on_stage()
async def test_a_pod_may_bring_its_claim_along(stage):
    template = {"metadata": {"labels": {"a": "b"}}, "spec": claim()["spec"]}
    await stage.apply(pod("web", volumes=[{"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}]))
    await stage.settle()
    made = stage.get(CLAIM, "web-scratch")
    assert made["metadata"]["labels"] == {"a": "b"}
    assert made["metadata"]["ownerReferences"][0]["name"] == "web"
    assert stage.status("web")["phase"] == "Running"
    await stage.delete(POD, "web")
    await asyncio.sleep(3)
    assert stage.find(CLAIM, "web-scratch") is None


FITS = [
    ({"volumeMode": "Block"}, {}, "another mode"),
    ({"accessModes": ["ReadWriteMany"]}, {}, "an access that the volume does not give"),
    ({"selector": {"matchLabels": {"a": "b"}}}, {}, "labels that it has not"),
    ({}, {"size": "1Mi"}, "too small"),
]


@pytest.mark.parametrize(("wanted", "there", "why"), FITS)
def test_what_does_not_fit_is_not_taken(wanted, there, why):
    free = {**volume("v", **there), "status": {"phase": "Available"}}
    assert best_match(claim(class_="manual", **wanted), [free]) is None, why


def test_the_newest_default_class_is_taken():
    def marked(name, created, value="true"):
        annotations = {"storageclass.kubernetes.io/is-default-class": value}
        return {"metadata": {"name": name, "creationTimestamp": created, "annotations": annotations}}

    classes = [
        marked("old", "2026-01-01"),
        marked("b", "2026-01-02"),
        marked("a", "2026-01-02"),
        marked("x", "9", "no"),
    ]
    found = default_class(classes)
    assert found is not None
    assert found["metadata"]["name"] == "a"
    assert default_class([]) is None
