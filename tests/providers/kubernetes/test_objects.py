import asyncio

import pytest

from plumbline.base.errors import InvalidInput, NotFound, Transient
from plumbline.base.json import encode
from plumbline.kube.client import Target, Writing
from plumbline.providers.kubernetes.objects import Objects
from plumbline.providers.kubernetes.referring import Referred

from .bench import CONFIG_MAPS, CRDS, SECRETS, config_map, story

SERVICES = CONFIG_MAPS._replace(resource="services")
PODS = CONFIG_MAPS._replace(resource="pods")
CLAIMS = CONFIG_MAPS._replace(resource="persistentvolumeclaims")


def managers(obj):
    return {entry["manager"] for entry in obj["metadata"]["managedFields"]}


@story
async def test_an_object_is_made_once_and_then_nothing_differs(bench):
    web = bench.resource(forProvider={"manifest": config_map(a="1")})
    assert not (await web.look()).exists
    observed = await web.reconcile()
    assert observed.differences == ()
    assert observed.state == "Available"
    await web.reconcile()
    assert web.writes == 1
    live = await bench.get(CONFIG_MAPS, "web")
    assert managers(live) == {"provider-kubernetes/o"}
    assert observed.at_provider["manifest"]["data"] == {"a": "1"}
    assert "managedFields" not in observed.at_provider["manifest"]["metadata"]


@story
async def test_a_manifest_without_a_name_has_the_objects(bench):
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "shop"}}
    await bench.resource(name="named", forProvider={"manifest": manifest}).reconcile()
    assert await bench.get(CONFIG_MAPS, "named")


@story
async def test_defaults_of_the_server_are_no_difference(bench):
    spec = {"ports": [{"port": 80}], "selector": {"app": "web"}}
    manifest = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"}, "spec": spec}
    web = bench.resource(forProvider={"manifest": manifest})
    assert (await web.reconcile()).differences == ()
    assert (await bench.get(SERVICES, "web"))["spec"]["ports"][0]["protocol"] == "TCP"


@story
async def test_fields_that_we_apply_are_kept_and_those_of_others_are_theirs(bench):
    web = bench.resource(forProvider={"manifest": config_map(a="1", b="2")})
    await web.reconcile()
    await bench.patch(CONFIG_MAPS, "web", {"data": {"a": "changed", "theirs": "x"}})
    (difference,) = (await web.look()).differences
    assert (difference.path, difference.wanted, difference.found) == ("manifest.data.a", "1", "changed")
    assert (await web.reconcile()).differences == ()
    assert (await bench.get(CONFIG_MAPS, "web"))["data"] == {"a": "1", "b": "2", "theirs": "x"}
    web.spec["forProvider"] = {"manifest": config_map(a="1")}
    assert [each.path for each in (await web.look()).differences] == ["manifest.data.b"]
    await web.reconcile()
    assert (await bench.get(CONFIG_MAPS, "web"))["data"] == {"a": "1", "theirs": "x"}


@story
async def test_what_exists_already_is_taken_over(bench):
    await bench.create(CONFIG_MAPS, config_map(a="0", theirs="x"))
    web = bench.resource(forProvider={"manifest": config_map(a="1")})
    assert (await web.reconcile()).differences == ()
    assert (await bench.get(CONFIG_MAPS, "web"))["data"] == {"a": "1", "theirs": "x"}


@story
async def test_an_object_goes_and_is_gone_and_that_twice(bench):
    web = bench.resource(forProvider={"manifest": config_map(a="1")})
    await web.reconcile()
    assert not (await web.leave()).exists
    assert not (await web.leave()).exists
    assert await bench.get(CONFIG_MAPS, "web") is None


@story
async def test_an_object_that_others_hold_is_waited_for_and_asked_only_once(bench):
    web = bench.resource(forProvider={"manifest": config_map(a="1")})
    await web.reconcile()
    await bench.patch(CONFIG_MAPS, "web", {"metadata": {"finalizers": ["example.org/hold"]}})
    going = await web.leave()
    assert (going.exists, going.state) == (True, "Deleting")
    assert "example.org/hold" in going.message
    await (await web.external()).delete(web.managed, going)
    await bench.patch(CONFIG_MAPS, "web", {"metadata": {"finalizers": None}})
    assert not (await web.look()).exists


@pytest.mark.parametrize(("said", "finalizer"), [("Foreground", "foregroundDeletion"), ("Orphan", "orphan")])
@story
async def test_how_dependants_go_is_said(bench, said, finalizer):
    web = bench.resource(forProvider={"manifest": config_map(), "deletionPropagationPolicy": said})
    await web.reconcile()
    await bench.patch(CONFIG_MAPS, "web", {"metadata": {"finalizers": ["example.org/hold"]}})
    await web.leave()
    assert finalizer in (await bench.get(CONFIG_MAPS, "web"))["metadata"]["finalizers"]


@story
async def test_what_would_be_lost_is_told(bench):
    manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "disk", "namespace": "shop"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    disk = bench.resource(forProvider={"manifest": manifest})
    assert (await disk.reconcile()).holds == "a volume"
    disk.metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert (await disk.look()).holds == "a volume"


@story
async def test_who_only_observes_is_told_what_is_there_and_of_no_differences(bench):
    web = bench.resource(forProvider={"manifest": config_map(a="1")}, managementPolicies=["Observe"])
    assert not (await web.look()).exists
    await bench.create(CONFIG_MAPS, config_map(a="other"))
    observed = await web.look()
    assert observed.differences == ()
    assert observed.at_provider["manifest"]["data"] == {"a": "other"}


@pytest.mark.parametrize(
    ("said", "made", "goes"),
    [("Default", True, True), ("ObserveCreateUpdate", True, False), ("ObserveDelete", False, True), ("Observe", False, False)],
)  # fmt: skip
@story
async def test_the_policy_of_v1alpha1_still_binds(bench, said, made, goes):
    web = bench.resource(forProvider={"manifest": config_map(a="1")}, managementPolicy=said)
    if not made:
        with pytest.raises(NotFound):
            await web.look()
        await bench.create(CONFIG_MAPS, config_map(a="other"))
    assert (await web.reconcile()).differences == ()
    assert web.writes == (1 if made else 0)
    assert not (await web.leave()).exists
    assert (await bench.get(CONFIG_MAPS, "web") is None) == goes


@story
async def test_a_secret_is_compared_and_never_shown(bench):
    manifest = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key", "namespace": "shop"}, "stringData": {"p": "hunter2"}}  # fmt: skip
    key = bench.resource(forProvider={"manifest": manifest})
    observed = await key.reconcile()
    assert observed.differences == ()
    assert observed.at_provider["manifest"]["data"] == {"redacted": None}
    await bench.patch(SECRETS, "key", {"stringData": {"p": "changed!"}})
    observed = await key.look()
    assert [each.path for each in observed.differences] == ["manifest.data.p"]
    for value in ("hunter2", "aHVudGVyMg", "changed!", "Y2hhbmdlZCE"):
        assert value not in repr(observed)


@story
async def test_values_become_connection_details_once_all_is_well(bench):
    await bench.create(SECRETS, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "made"}, "stringData": {"p": "secret"}})  # fmt: skip
    details = [
        {"apiVersion": "v1", "kind": "Secret", "name": "made", "namespace": "shop", "fieldPath": "data.p", "toConnectionSecretKey": "password"},
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "namespace": "shop", "fieldPath": "data.host", "toConnectionSecretKey": "endpoint"},
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "namespace": "shop", "fieldPath": "metadata.labels", "toConnectionSecretKey": "labels"},
    ]  # fmt: skip
    manifest = config_map(host="db")
    manifest["metadata"]["labels"] = {"a": "b"}
    web = bench.resource(forProvider={"manifest": manifest}, connectionDetails=details)
    observed = await web.reconcile()
    revealed = {key: value.reveal() for key, value in observed.connection.items()}
    assert revealed == {"password": b"secret", "endpoint": b"db", "labels": b"map[a:b]"}
    web.spec["connectionDetails"] = [{**details[1], "fieldPath": "data.none"}]
    with pytest.raises(Transient):
        await web.look()
    web.spec["connectionDetails"] = [{**details[1], "name": "none"}]
    with pytest.raises(Transient):
        await web.look()
    web.spec["connectionDetails"] = [{**details[0], "fieldPath": "data"}]
    with pytest.raises(InvalidInput):
        await web.look()


CONDITIONS = [
    ("SuccessfulCreate", {}, [], True, ""),
    ("DeriveFromObject", {}, [], False, "it has no condition Ready"),
    ("DeriveFromObject", {}, [("Ready", "False", "no room")], False, "no room"),
    ("DeriveFromObject", {}, [("Ready", "True", ""), ("Other", "False", "")], True, ""),
    ("AllTrue", {}, [], False, "it has no conditions"),
    ("AllTrue", {}, [("A", "True", ""), ("B", "False", "")], False, "not true: B"),
    ("AllTrue", {}, [("A", "True", ""), ("B", "True", "")], True, ""),
    ("DeriveFromCelQuery", {"celQuery": "object.status.conditions.exists(c, c.type == 'A' && c.status == 'True')"}, [("A", "True", "")], True, ""),
    ("DeriveFromCelQuery", {"celQuery": "object.metadata.name == 'other'"}, [], False, "celQuery is not true"),
    ("DeriveFromCelQuery", {"celQuery": "object.status.conditions.size() > 0"}, [], False, "celQuery: "),
    ("DeriveFromCelQuery", {"celQuery": "((("}, [], False, "celQuery: "),
    ("DeriveFromCelQuery", {"celQuery": "'text'"}, [], False, "celQuery: "),
    ("DeriveFromCelQuery", {}, [], False, "cel query cannot be empty"),
    ("Whenever", {}, [], False, "unknown readiness policy"),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "more", "conditions", "ready", "why"), CONDITIONS)
@story
async def test_readiness_is_what_its_policy_says(bench, policy, more, conditions, ready, why):
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop"},
                "spec": {"containers": [{"name": "c", "image": "i"}]}}  # fmt: skip
    pod = bench.resource(forProvider={"manifest": manifest}, readiness={"policy": policy, **more})
    await pod.reconcile()
    said = [{"type": kind, "status": status, "message": message} for kind, status, message in conditions]
    if said:
        target = Target(PODS, "shop", "p", "status")
        await bench.client.patch(target, encode({"status": {"conditions": said}}), "merge", Writing(field_manager="k"))
    observed = await pod.look()
    assert (observed.state == "Available") == ready
    assert observed.message.startswith(why)
    assert observed.after_s == (None if ready else 30.0)


@story
async def test_without_an_evaluator_a_query_is_never_true(bench):
    web = bench.resource(
        forProvider={"manifest": config_map()}, readiness={"policy": "DeriveFromCelQuery", "celQuery": "true"}
    )
    await web.reconcile()
    observed = await Objects(bench.clusters.local, Referred(bench.clusters.local, bench.clusters.local), None).observe(
        web.managed
    )
    assert observed.state == "Unavailable"


@story
async def test_what_is_watched_is_looked_at_soon(bench):
    web = bench.resource(forProvider={"manifest": config_map()}, watch=True)
    assert (await web.reconcile()).after_s == 10.0


@pytest.mark.parametrize(
    ("provider", "spec", "why"),
    [
        ({}, {}, "no manifest"),
        ({"manifest": {"kind": "ConfigMap"}}, {}, "of which version?"),
        ({"manifest": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": []}}, {}, "metadata is no object"),
        ({"manifest": config_map(namespace="")}, {}, "in which namespace?"),
        ({"manifest": config_map()}, {"references": "none"}, "no list"),
        ({"manifest": config_map()}, {"references": [{"dependsOn": {"kind": "Secret"}}]}, "no name"),
        ({"manifest": config_map()}, {"managementPolicy": "Whatever"}, "no such policy"),
    ],
)
@story
async def test_what_cannot_be_meant_is_refused(bench, provider, spec, why):
    with pytest.raises(InvalidInput):
        await bench.resource(forProvider=provider, **spec).look()


@story
async def test_a_propagation_that_does_not_exist_is_refused(bench):
    web = bench.resource(forProvider={"manifest": config_map(), "deletionPropagationPolicy": "Sideways"})
    await web.reconcile()
    with pytest.raises(InvalidInput):
        await web.leave()


@story
async def test_a_kind_that_is_not_served_may_come_and_one_that_is_gone_has_no_objects(bench):
    web = bench.resource(
        forProvider={"manifest": {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "t"}}}
    )
    with pytest.raises(Transient):
        await web.look()
    assert not (await web.leave()).exists
    names = {"kind": "Thing", "plural": "things", "singular": "thing"}
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.org"},
           "spec": {"group": "example.org", "names": names, "scope": "Cluster",
                    "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]}}  # fmt: skip
    await bench.client.create(Target(CRDS), encode(crd))
    await asyncio.sleep(2)
    bench.client.discovery.forget()
    later = bench.resource(
        name="later", forProvider={"manifest": {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {"a": [1]}}}
    )
    assert (await later.reconcile()).differences == ()


@story
async def test_a_large_object_is_shown_as_far_as_its_object_can_still_be_written(bench):
    """No API server takes more than a megabyte and a half, manifest and status together."""
    large = bench.resource(forProvider={"manifest": config_map(a="x" * 900_000)})
    observed = await large.reconcile()
    assert (observed.exists, observed.differences) == (True, ())
    assert len(encode({**large.managed.object, "status": {"atProvider": observed.at_provider}})) < 1_400_000
    told = observed.at_provider["manifest"]
    assert (told["kind"], told["metadata"]["name"]) == ("ConfigMap", "web")
    assert "data" not in told
    await bench.create(CONFIG_MAPS, config_map("other", a="x" * 900_000))
    seen = bench.resource(forProvider={"manifest": config_map("other")}, managementPolicies=["Observe"])
    assert len((await seen.look()).at_provider["manifest"]["data"]["a"]) == 900_000
