import pytest

from plumbline.apiserver.tables import (
    columns,
    custom_columns,
    partial_metadata,
    partial_metadata_list_bytes,
    row_table_bytes,
    table_bytes,
)
from plumbline.base.json import decode, encode

from .objects import NOW, ago, kind, made

POD, CONFIG_MAP, DAEMON_SET = kind("v1", "Pod"), kind("v1", "ConfigMap"), kind("apps/v1", "DaemonSet")


def config_map(name="x", **metadata):
    return {"kind": "ConfigMap", "apiVersion": "v1", **made(name, metadata=metadata, data={"a": "1"})}


def table(kind_, *objects, list_metadata=None, **more):
    return decode(table_bytes(kind_, objects, list_metadata=list_metadata or {}, now=NOW, **more))


def test_a_table_names_itself_its_columns_and_its_rows():
    shown = table(CONFIG_MAP, config_map("a"), config_map("b"), list_metadata={"resourceVersion": "7"})
    assert list(shown) == ["kind", "apiVersion", "metadata", "columnDefinitions", "rows"]
    assert (shown["kind"], shown["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert shown["metadata"] == {"resourceVersion": "7"}
    assert shown["columnDefinitions"] == columns(CONFIG_MAP)
    assert [row["cells"] for row in shown["rows"]] == [["a", 1, "5d"], ["b", 1, "5d"]]


def test_metadata_of_a_list_keeps_its_order_and_drops_what_is_empty():
    given = {"remainingItemCount": 0, "continue": "", "resourceVersion": "7", "selfLink": None, "odd": 1}
    assert table_bytes(POD, [], list_metadata=given, now=NOW).startswith(
        b'{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7","remainingItemCount":0},'
    )


def test_bytes_and_what_they_were_decoded_to_give_the_same_table():
    objects = [config_map("a", labels={"x": "y"}), config_map("b")]
    for include in ("None", "Metadata", "Object"):
        assert table(CONFIG_MAP, *map(encode, objects), include=include) == table(CONFIG_MAP, *objects, include=include)


def test_rows_carry_as_much_of_the_object_as_asked_for():
    obj = config_map()
    assert table(CONFIG_MAP, obj, include="None")["rows"][0]["object"] is None
    assert table(CONFIG_MAP, obj, include="Object")["rows"][0]["object"] == obj
    partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}
    assert table(CONFIG_MAP, obj)["rows"][0]["object"] == partial


def test_the_old_version_of_a_table_is_old_within_too():
    shown = table(CONFIG_MAP, config_map(), version="v1beta1")
    assert shown["apiVersion"] == shown["rows"][0]["object"]["apiVersion"] == "meta.k8s.io/v1beta1"


def test_conditions_stand_between_cells_and_object():
    shown = table(POD, made("p", status={"phase": "Failed"}))
    assert list(shown["rows"][0]) == ["cells", "conditions", "object"]


def test_angle_brackets_are_escaped_as_the_server_escapes_them():
    assert b"\\u003cunknown\\u003e" in table_bytes(CONFIG_MAP, [{}], list_metadata={}, now=NOW)


EMPTY = [
    (POD, b'"rows":[]}', "a kind with a printer"),
    (kind("v1", "LimitRange"), b'"rows":null}', "a kind without one"),
    (custom_columns({}), b'"rows":[]}', "a custom kind"),
]


@pytest.mark.parametrize(("printed", "end", "why"), EMPTY, ids=[row[2] for row in EMPTY])
def test_an_empty_list_says_so_in_its_own_way(printed, end, why):
    assert table_bytes(printed, [], list_metadata={}, now=NOW).endswith(end)


def test_flow_schemas_are_listed_by_what_comes_first():
    flow = kind("flowcontrol.apiserver.k8s.io/v1", "FlowSchema")
    schemas = [made(name, spec={"matchingPrecedence": at}) for name, at in [("c", 5), ("b", 9), ("a", 9), ("d", 1)]]
    for objects in (schemas, list(map(encode, schemas))):
        assert [row["cells"][0] for row in table(flow, *objects)["rows"]] == ["d", "c", "a", "b"]


def test_only_the_first_event_of_a_watch_names_the_columns():
    obj = config_map(resourceVersion="9")
    for given in (obj, encode(obj)):
        first = decode(row_table_bytes(CONFIG_MAP, given, now=NOW))
        later = decode(row_table_bytes(CONFIG_MAP, given, now=NOW, first=False))
        assert first["columnDefinitions"] == columns(CONFIG_MAP)
        assert later == {**first, "columnDefinitions": None}
        assert later["metadata"] == {"resourceVersion": "9"}


def test_api_services_name_them_in_every_event():
    service = kind("apiregistration.k8s.io/v1", "APIService")
    assert decode(row_table_bytes(service, made(), now=NOW, first=False))["columnDefinitions"] == columns(service)


def test_a_bookmark_that_ends_the_first_events_says_so_to_everybody():
    bookmark = {"metadata": {"resourceVersion": "9", "annotations": {"k8s.io/initial-events-end": "true"}}}
    for given in (bookmark, encode(bookmark)):
        shown = decode(row_table_bytes(POD, given, now=NOW, include="None", first=False))["rows"][0]
        assert shown["cells"][:5] == ["", "0/0", "", "0", "<unknown>"]
        assert shown["object"]["metadata"] == bookmark["metadata"]


def test_who_only_mentions_it_is_no_such_bookmark():
    for value in ("false", 5):
        obj = encode(config_map(annotations={"k8s.io/initial-events-end": value}))
        assert table(CONFIG_MAP, obj, include="None")["rows"][0]["object"] is None


def test_metadata_is_written_in_the_servers_order():
    metadata = {
        "managedFields": [
            {"fieldsV1": {}, "subresource": "status", "manager": "m", "time": "t", "operation": "Update"}
        ],
        "ownerReferences": [{"uid": "u", "controller": True, "name": "o", "kind": "K", "apiVersion": "v1"}],
        "uid": "u",
        "labels": {"b": "1", "a": "2"},
        "name": "n",
    }
    assert partial_metadata(encode({"metadata": metadata})) == (
        b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"n","uid":"u",'
        b'"labels":{"b":"1","a":"2"},'
        b'"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"u","controller":true}],'
        b'"managedFields":[{"manager":"m","operation":"Update","time":"t","fieldsV1":{},"subresource":"status"}]}}'
    )


GARBLED = [
    ({}, {}, "none at all"),
    ({"metadata": 5}, {}, "a number"),
    ({"metadata": ["a"]}, {}, "a list"),
    ({"metadata": {"name": 5}}, {"name": 5}, "a name that is none"),
    ({"metadata": {"managedFields": {"a": 1}}}, {"managedFields": {"a": 1}}, "managed fields that are no list"),
    ([], {}, "no object"),
]


@pytest.mark.parametrize(("obj", "metadata", "why"), GARBLED, ids=[row[2] for row in GARBLED])
def test_garbled_metadata_is_shown_as_far_as_it_goes(obj, metadata, why):
    assert decode(partial_metadata(encode(obj)))["metadata"] == metadata


def test_annotations_that_stand_for_fields_are_left_out():
    generation = {"deprecated.daemonset.template.generation": "1"}
    both = encode(made(metadata={"annotations": {**generation, "a": "b"}}))
    assert decode(partial_metadata(both, kind=DAEMON_SET))["metadata"]["annotations"] == {"a": "b"}
    alone = encode(made(metadata={"annotations": generation}))
    assert "annotations" not in decode(partial_metadata(alone, kind=DAEMON_SET))["metadata"]
    assert decode(partial_metadata(alone, kind=POD))["metadata"]["annotations"] == generation
    assert decode(partial_metadata(alone))["metadata"]["annotations"] == generation
    odd = encode(made(metadata={"annotations": 5}))
    assert decode(partial_metadata(odd, kind=DAEMON_SET))["metadata"]["annotations"] == 5


def test_a_list_of_metadata():
    objects = [config_map("a"), encode(config_map("b"))]
    shown = decode(partial_metadata_list_bytes(objects, {"resourceVersion": "7", "continue": "c"}, "v1beta1"))
    assert (shown["kind"], shown["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1beta1")
    assert shown["metadata"] == {"resourceVersion": "7", "continue": "c"}
    assert [item["metadata"]["name"] for item in shown["items"]] == ["a", "b"]
    assert {item["apiVersion"] for item in shown["items"]} == {"meta.k8s.io/v1beta1"}


def test_an_empty_list_of_metadata_has_no_items():
    assert partial_metadata_list_bytes([], {}).endswith(b'"metadata":{},"items":null}')


def test_ages_are_those_of_the_moment_asked_for():
    obj = made(metadata={"creationTimestamp": ago(minutes=3)})
    assert table(custom_columns({}), obj)["rows"][0]["cells"] == ["x", "3m"]
    assert table(custom_columns({}), encode(obj))["rows"][0]["cells"] == ["x", "3m"]
