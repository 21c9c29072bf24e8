"""What is not done before somebody has agreed: indirect deletions of data, replacements, what the provider protects."""

from plumbline.base.errors import Forbidden
from plumbline.base.json import decode, encode
from plumbline.gate.consent import CONSENT_ANNOTATION
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

from .town import SHORT, annotations, conditions, story

TEAMS = GroupVersionResource("platform.example.org", "v1", "xteams")


async def agree(town, short, name, namespace=""):
    """As the message asks for it."""
    message = conditions(await town.get(short, name, namespace))["Synced"]["message"]
    token = message.rsplit(f"{CONSENT_ANNOTATION}=", 1)[1]
    await town.patch(short, name, {"metadata": {"annotations": {CONSENT_ANNOTATION: token}}}, namespace)


@story()
async def test_a_namespace_that_goes_takes_no_data_along(town):
    await town.create("m.stores", "photos", "shop", size=7)
    await town.create("m.networks", "blue", "shop")
    await town.ready("m.stores", "photos", "shop")
    await town.ready("m.networks", "blue", "shop")
    await town.settle(60)
    await town.delete("namespaces", "shop")
    obj = await town.has("m.stores", "photos", "shop", Synced="NeedsConsent", Ready="Deleting")
    message = conditions(obj)["Synced"]["message"]
    assert "This descent would destroy 1 resource" in message
    assert "Store.data.cloud.m.example.org/photos (7 GB)" in message
    await town.gone("m.networks", "blue", "shop")
    assert [each.sort for each in town.cloud.live()] == ["Store"]
    await agree(town, "m.stores", "photos", "shop")
    await town.gone("m.stores", "photos", "shop")
    assert town.cloud.live() == []


@story()
async def test_a_namespace_may_say_that_it_is_all_right(town):
    await town.patch("namespaces", "shop", {"metadata": {"annotations": {"plumbline.dev/destruction-policy": "warn"}}})
    await town.create("m.stores", "photos", "shop")
    await town.ready("m.stores", "photos", "shop")
    await town.settle(60)
    await town.delete("namespaces", "shop")
    await town.gone("m.stores", "photos", "shop")
    assert town.cloud.live() == []


@story()
async def test_what_was_deleted_before_its_namespace_was_meant(town):
    await town.create("m.stores", "photos", "shop")
    await town.ready("m.stores", "photos", "shop")
    await town.settle(60)
    await town.patch("m.stores", "photos", {"metadata": {"finalizers": ["finalizer.managedresource.crossplane.io", "example.org/wait"]}}, "shop")  # fmt: skip
    await town.delete("m.stores", "photos", "shop")
    obj = await town.has("m.stores", "photos", "shop", Ready="Deleting")
    assert conditions(obj)["Ready"]["message"] == "Waiting until example.org/wait let go of it"
    assert len(town.cloud.live()) == 1
    await town.settle(5)
    await town.delete("namespaces", "shop")
    await town.patch("m.stores", "photos", {"metadata": {"finalizers": ["finalizer.managedresource.crossplane.io"]}}, "shop")  # fmt: skip
    await town.gone("m.stores", "photos", "shop")
    assert town.cloud.live() == []


async def define_teams(town):
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "xteams.platform.example.org", "finalizers": ["example.org/hold"]},
        "spec": {
            "group": "platform.example.org",
            "scope": "Cluster",
            "names": {"kind": "XTeam", "plural": "xteams", "singular": "xteam", "listKind": "XTeamList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}],
        },
    }  # fmt: skip
    await town.client.create(Target(SHORT["crds"]), encode(crd))
    await town.settle(2)
    team = {"apiVersion": "platform.example.org/v1", "kind": "XTeam", "metadata": {"name": "red"}}
    raw = await town.client.create(Target(TEAMS), encode(team))
    return decode(raw)["metadata"]["uid"]


def of_team(uid):
    owner = {"apiVersion": "platform.example.org/v1", "kind": "XTeam", "name": "red", "uid": uid, "controller": True}
    return {"ownerReferences": [owner], "labels": {"crossplane.io/composite": "red"}}


@story()
async def test_deleting_the_composite_means_what_it_composed(town):
    uid = await define_teams(town)
    await town.create("stores", "photos", metadata=of_team(uid))
    await town.ready("stores", "photos")
    await town.settle(60)
    await town.client.delete(Target(TEAMS, name="red"))
    await town.delete("stores", "photos")
    await town.gone("stores", "photos")
    assert town.cloud.live() == []


@story()
async def test_deleting_the_definition_of_the_composite_means_no_data(town):
    uid = await define_teams(town)
    await town.create("stores", "photos", metadata=of_team(uid))
    await town.ready("stores", "photos")
    await town.settle(60)
    await town.client.delete(Target(SHORT["crds"], name="xteams.platform.example.org"))
    await town.settle(2)
    await town.delete("stores", "photos")
    await town.has("stores", "photos", Synced="NeedsConsent")
    await town.settle(400)
    assert len(town.cloud.live()) == 1
    await agree(town, "stores", "photos")
    await town.gone("stores", "photos")


@story()
async def test_what_waits_for_something_else_to_go_goes_soon_after_it(town):
    await town.create("stores", "photos")
    await town.ready("stores", "photos")
    (thing,) = town.cloud.live()
    thing.emptied_s = town.cloud.clock.monotonic() + 10
    await town.delete("stores", "photos")
    obj = await town.has("stores", "photos", Synced="Protected")
    assert conditions(obj)["Synced"]["message"] == "delete failed: there is something in it"
    await town.gone("stores", "photos", within_s=20)
    assert town.cloud.calls["delete"] == 1


@story()
async def test_what_the_provider_protects_waits_and_says_so(town):
    await town.create("stores", "photos", protected=True)
    await town.ready("stores", "photos")
    await town.settle(60)
    await town.delete("stores", "photos")
    obj = await town.has("stores", "photos", Synced="Protected")
    assert conditions(obj)["Synced"]["message"] == "delete failed: deletion protection is on"
    town.cloud.change_outside("photos", protected=False)
    await town.gone("stores", "photos")


@story()
async def test_nothing_is_replaced_before_somebody_agrees_to_exactly_that(town):
    await town.create("stores", "photos", engine="a", size=9)
    await town.ready("stores", "photos")
    await town.settle(60)
    await town.patch("stores", "photos", {"spec": {"forProvider": {"engine": "b"}}})
    obj = await town.has("stores", "photos", Synced="NeedsConsent", Ready="Available", UpToDate="UpdateRestricted")
    message = conditions(obj)["Synced"]["message"]
    assert "cannot change engine to b in place" in message
    assert "(9 GB)" in message
    assert conditions(obj)["UpToDate"]["message"] == "engine is a, wanted b"
    await town.settle(1300)
    assert town.cloud.calls["delete"] == 0
    await agree(town, "stores", "photos")
    await town.ready("stores", "photos")
    (thing,) = town.cloud.live()
    assert thing.fields["engine"] == "b"
    assert [verb for verb, _ in await town.effects()] == ["create", "replace", "create"]
    await town.patch("stores", "photos", {"spec": {"forProvider": {"engine": "c"}}})
    await town.has("stores", "photos", Synced="NeedsConsent")
    await town.settle(60)
    assert town.cloud.calls["delete"] == 1


@story()
async def test_a_replaced_thing_with_an_assigned_name_gets_another(town):
    await town.create("networks", "blue", engine="a")
    await town.ready("networks", "blue")
    await town.settle(60)
    await town.patch("networks", "blue", {"spec": {"forProvider": {"engine": "b"}}})
    await town.has("networks", "blue", Synced="NeedsConsent")
    await agree(town, "networks", "blue")
    await town.settle(5)
    obj = await town.ready("networks", "blue", within_s=200)
    (thing,) = town.cloud.live()
    assert annotations(obj)["crossplane.io/external-name"] == thing.name == "network-0002"


@story()
async def test_a_deletion_that_the_cloud_refuses_is_said(town):
    await town.create("stores", "photos")
    await town.ready("stores", "photos")
    await town.settle(60)
    town.cloud.refuses["delete"] = [Forbidden("You may not delete it")]
    await town.delete("stores", "photos")
    obj = await town.has("stores", "photos", Synced="ReconcileError", Ready="Deleting")
    assert conditions(obj)["Synced"]["message"].startswith("delete failed: You may not delete it")
    await town.gone("stores", "photos")
