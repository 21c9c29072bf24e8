"""Who owns which field after what: the turns that a random walk rarely takes."""

import pytest

from plumbline.base.json import encode_sorted

from .story import Story
from .subjects.custom import GADGET
from .subjects.plain import CONFIG_MAP, SERVICE
from .subjects.pods import container
from .subjects.workloads import DEPLOYMENT
from .trail import Drop, Put

pytestmark = pytest.mark.conformance

_MANAGED = ("metadata", "managedFields")
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@pytest.fixture
def config_map(real_cluster, namespace):
    return Story(real_cluster, CONFIG_MAP, namespace)


@pytest.fixture
def deployment(real_cluster, namespace):
    return Story(real_cluster, DEPLOYMENT, namespace)


def test_more_than_ten_updaters_melt_into_ancient_changes(config_map):
    config_map.create(config_map.whole, by="updater-00")
    for number in range(1, 15):
        config_map.merge({"data": {f"key-{number:02}": "set"}}, by=f"updater-{number:02}")
    assert "ancient-changes Update" in config_map.managers
    assert len(config_map.managers) == 10


def test_the_oldest_updaters_melt_first_whatever_their_names(config_map):
    config_map.create(config_map.whole, by="zulu")
    for number in range(9):
        config_map.merge({"data": {f"key-{number}": "set"}}, by=f"updater-{number}")
    aged = [
        {**entry, "time": f"2026-01-{20 - number:02}T00:00:00Z"}
        for number, entry in enumerate(config_map.live["metadata"]["managedFields"])
    ]
    config_map.update(Put(_MANAGED, aged), Put(("data", "more"), "yes"), by="yankee")
    config_map.merge({"data": {"last": "straw"}}, by="xray")
    assert "ancient-changes Update" in config_map.managers


def test_appliers_do_not_count_as_updaters(config_map):
    config_map.create(config_map.whole, by="updater")
    for number in range(12):
        config_map.apply({"data": {f"key-{number}": "set"}}, by=f"applier-{number:02}")
    assert len(config_map.managers) == 13


@pytest.mark.parametrize("reset", [[{}], []], ids=["one empty entry", "no entry"])
def test_a_reset_record_starts_again_with_before_first_apply(config_map, reset):
    config_map.create(config_map.whole, by="creator")
    config_map.update(Put(_MANAGED, reset), by="resetter")
    assert config_map.managers == []
    config_map.merge({"data": {"untracked": "yes"}}, by="updater")
    assert config_map.managers == []
    config_map.apply({"data": {"kept": "as it was"}}, by="applier", status=409)
    config_map.apply({"data": {"kept": "as is", "new": "too"}}, by="applier")
    assert config_map.managers == ["applier Apply", "before-first-apply Update"]
    config_map.apply({"data": {"kept": "mine"}}, by="applier", force=True)


def test_a_json_patch_can_reset_the_record_and_write_at_once(config_map):
    config_map.apply(config_map.whole, by="applier")
    config_map.json(
        [
            {"op": "replace", "path": "/metadata/managedFields", "value": [{}]},
            {"op": "add", "path": "/data/more", "value": "yes"},
        ],
        by="resetter",
    )
    assert config_map.managers == []


def test_a_merge_patch_of_null_keeps_the_record(config_map):
    config_map.apply(config_map.whole, by="applier")
    config_map.merge({"metadata": {"managedFields": None}, "data": {"more": "yes"}}, by="updater")
    assert config_map.managers == ["applier Apply", "updater Update"]


def test_a_record_that_cannot_be_read_is_ignored(config_map):
    config_map.apply(config_map.whole, by="applier")
    broken = [{"manager": "x", "operation": "Frobnicate", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}}]
    config_map.update(Put(_MANAGED, broken), Put(("data", "more"), "yes"), by="updater")
    assert config_map.managers == ["applier Apply", "updater Update"]


def test_a_record_sent_to_a_subresource_is_ignored(deployment):
    deployment.create(deployment.whole, by="creator")
    deployment.update(Put(_MANAGED, [{}]), Put(("status", "observedGeneration"), 1), by="controller", via="status")
    assert sorted(deployment.managers) == ["controller Update", "creator Update"]


def test_times_alone_change_nothing(config_map):
    config_map.create(config_map.whole, by="creator")
    entries = config_map.live["metadata"]["managedFields"]
    verdict = config_map.update(Put(_MANAGED, [{**entry, "time": "2026-01-01T00:00:00Z"} for entry in entries]), by="x")
    assert verdict.answer.body["metadata"]["managedFields"] == entries


def test_entries_can_be_handed_to_another_name(config_map):
    config_map.create(config_map.whole, by="old")
    entries = [
        {**entry, "manager": "new", "operation": "Apply"} for entry in config_map.live["metadata"]["managedFields"]
    ]
    config_map.update(Put(_MANAGED, entries), by="migrator")
    assert config_map.managers == ["new Apply"]
    config_map.apply({"data": {}}, by="new")


def test_the_same_value_from_two_appliers_is_owned_by_both(deployment):
    deployment.apply(deployment.whole, by="first")
    deployment.apply({"spec": {"replicas": 1}}, by="second")
    deployment.apply({"spec": {"replicas": 2}}, by="second", status=409)
    whole = deployment.whole
    del whole["spec"]["replicas"]
    deployment.apply(whole, by="first")
    deployment.apply({"spec": {"replicas": 2}}, by="second")


def test_a_field_is_deleted_when_its_last_applier_stops_saying_it(config_map):
    config_map.apply({"data": {"a": "1", "b": "1"}}, by="first")
    config_map.apply({"data": {"a": "1"}}, by="second")
    config_map.apply({"data": {}}, by="first")
    assert config_map.live["data"] == {"a": "1"}
    config_map.apply({}, by="second")
    assert "data" not in config_map.live


def test_a_shared_item_outlives_the_applier_that_made_it(deployment):
    deployment.apply(deployment.whole, by="first")
    proxy = container("proxy")
    deployment.apply({"spec": {"template": {"spec": {"containers": [proxy]}}}}, by="second")
    deployment.apply(
        {"spec": {"template": {"spec": {"containers": [{"name": "proxy", "image": proxy["image"]}]}}}}, by="third"
    )
    deployment.apply({"spec": {"template": {"spec": {"containers": [proxy, container("log")]}}}}, by="second")
    deployment.apply(
        {"spec": {"template": {"spec": {"containers": [{**proxy, "image": "other"}]}}}}, by="second", status=409
    )
    deployment.apply({"spec": {"template": {"spec": {"containers": [container("log")]}}}}, by="third")
    deployment.apply({"spec": {"template": {"spec": {"containers": [proxy]}}}}, by="second")
    assert [each["name"] for each in deployment.live["spec"]["template"]["spec"]["containers"]] == [
        "web",
        "proxy",
        "log",
    ]


def test_applying_the_same_again_changes_nothing_not_even_times(deployment):
    deployment.apply(deployment.whole, by="applier")
    before = deployment.live
    deployment.apply(deployment.whole, by="applier")
    assert deployment.live == before


def test_a_conflict_names_every_owner(deployment):
    deployment.create(deployment.whole, by="creator")
    deployment.apply({"metadata": {"labels": {"tier": "red"}}}, by="labeller")
    deployment.update(Put(("status", "replicas"), 1), by="controller", via="status")
    config = {"metadata": {"labels": {"tier": "blue"}}, "spec": {"replicas": 9, "revisionHistoryLimit": 9}}
    deployment.apply(config, by="newcomer", status=409)
    deployment.apply({"status": {"replicas": 5}}, by="newcomer", via="status", status=409)
    deployment.apply(config, by="newcomer", force=True)


def test_status_said_to_the_main_resource_is_owned_by_nobody(deployment):
    deployment.create(deployment.whole, by="creator")
    oracle = deployment._oracle("")
    config = {**deployment.identity, "spec": {"replicas": 1}, "status": {"replicas": 7}}
    verdict = oracle.apply(deployment.live, config, "applier")
    told = [line for line in verdict.wrong if not line.startswith("object .status")]
    assert (verdict.answer.status, told) == (200, [])


def test_metadata_said_to_the_status_is_owned_as_the_server_says(deployment):
    deployment.create(deployment.whole, by="creator")
    config = {
        **deployment.identity,
        "metadata": {**deployment.identity["metadata"], "labels": {"tier": "red"}, "annotations": {"note": "x"}},
        "spec": {"replicas": 4},
        "status": {"replicas": 7},
    }
    verdict = deployment._oracle("status").apply(deployment.live, config, "applier")
    told = [line for line in verdict.wrong if not line.startswith(("object .spec", "object .metadata.labels"))]
    assert (verdict.answer.status, told) == (200, [])


def test_kubectl_may_take_over_what_it_applied_on_the_client(config_map):
    applied = {**config_map.whole, "data": {"a": "1", "b": "1"}}
    note = {"annotations": {LAST_APPLIED: encode_sorted(applied).decode() + "\n"}}
    config_map.create({**applied, "metadata": {**applied["metadata"], **note}}, by="kubectl-client-side-apply")
    config_map.apply({"data": {"a": "2"}}, by="somebody", status=409)
    config_map.apply({"data": {"a": "2", "b": "1"}}, by="kubectl")
    assert config_map.live["data"] == {"a": "2", "b": "1"}


def test_kubectl_may_not_take_over_what_others_changed_since(config_map):
    applied = {**config_map.whole, "data": {"a": "1", "b": "1"}}
    note = {"annotations": {LAST_APPLIED: encode_sorted(applied).decode() + "\n"}}
    config_map.create({**applied, "metadata": {**applied["metadata"], **note}}, by="kubectl-client-side-apply")
    config_map.merge({"data": {"a": "changed"}}, by="somebody")
    config_map.apply({"data": {"a": "2", "b": "2"}}, by="kubectl", status=409)
    config_map.apply({"data": {"b": "2"}}, by="kubectl")


def test_a_whole_item_taken_away_by_an_update_is_nobodys(real_cluster, namespace):
    service = Story(real_cluster, SERVICE, namespace)
    service.apply(service.whole, by="applier")
    port = {"name": "web", "port": 80, "protocol": "TCP", "targetPort": 80}
    service.apply({"spec": {"ports": [port]}}, by="second")
    service.update(Put(("spec", "ports"), service.whole["spec"]["ports"]), by="updater")
    assert "second Apply" not in service.managers


def test_an_emptied_map_is_still_owned_by_a_custom_kind(real_cluster, matrix_namespace, namespace):
    gadget = Story(real_cluster, GADGET, namespace)
    gadget.create({**gadget.identity, "spec": {"settings": {}, "tags": [], "parts": []}}, by="creator")
    gadget.apply({"spec": {"settings": {"a": "1"}}}, by="applier")
    gadget.apply({"spec": {"settings": {}}}, by="applier")
    gadget.apply({"spec": {}}, by="applier")
    gadget.update(Drop(("spec", "tags")), by="updater")
