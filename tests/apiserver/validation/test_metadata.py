"""ObjectMeta, of built-in kinds and of custom ones."""

import pytest

from plumbline.apiserver.validation import (
    validated_create,
    validated_status_update,
    validated_subresource_update,
    validated_update,
)
from plumbline.apiserver.validation.metadata import object_meta_errors, object_meta_update_errors
from plumbline.apiserver.validation.names import (
    label_1035_name,
    label_name,
    name_faults,
    path_segment_name,
    rbac_name,
    subdomain_name,
)
from plumbline.kube.names import GroupVersionKind

from .broken import metadata
from .broken.asking import our_answer
from .broken.recorded import answer, base

SOUND = {"name": "a", "namespace": "b", "resourceVersion": "1", "uid": "u"}
CUSTOM = GroupVersionKind("example.com", "v1", "Widget")


@pytest.mark.parametrize("case", metadata.CASES, ids=lambda case: case.key)
def test_broken_metadata_is_refused_in_the_words_of_the_server(case):
    assert our_answer(case, base(case.base)) == answer(case.key)


def said(errors):
    return [str(error) for error in errors]


CREATED = [
    (
        {},
        True,
        ["metadata.name: Required value: name or generateName is required", "metadata.namespace: Required value"],
    ),
    ({"name": "a", "namespace": "b"}, False, ["metadata.namespace: Forbidden: not allowed on this type"]),
    ({"name": "a", "namespace": "b", "generateName": "x-"}, True, []),
    (
        {"name": "a", "namespace": "b.c"},
        True,
        ['metadata.namespace: Invalid value: "b.c": must not contain dots'],
    ),
    (
        {"name": "a", "namespace": "b", "generation": -1},
        True,
        ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
    ),
    (
        {"name": "a", "namespace": "b", "finalizers": ["mine"]},
        True,
        [],
    ),
    (
        {
            "name": "a",
            "namespace": "b",
            "managedFields": [
                {"manager": "m\n", "operation": "Update", "fieldsType": "FieldsV2"},
                {"manager": "m" * 129, "operation": "", "subresource": "s" * 257},
            ],
        },
        True,
        [
            'metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
            'metadata.managedFields[0].manager: Invalid value: "m\\n": invalid character U+000A (at position 1)',
            'metadata.managedFields[1].operation: Invalid value: "": must be `Apply` or `Update`',
            "metadata.managedFields[1].manager: Too long: may not be more than 128 bytes",
            "metadata.managedFields[1].subresource: Too long: may not be more than 256 bytes",
        ],
    ),
]


@pytest.mark.parametrize(("meta", "namespaced", "expected"), CREATED)
def test_metadata_of_new_objects(meta, namespaced, expected):
    assert said(object_meta_errors(meta, namespaced=namespaced, name_faults=subdomain_name)) == expected


UPDATED = [
    ({}, {}, []),
    ({"resourceVersion": ""}, {}, ['metadata.resourceVersion: Invalid value: "": must be specified for an update']),
    ({"name": "c"}, {}, ['metadata.name: Invalid value: "c": field is immutable']),
    ({"uid": None}, {}, ['metadata.uid: Invalid value: "": field is immutable']),
    ({"namespace": ""}, {}, ['metadata.namespace: Invalid value: "": field is immutable']),
    (
        {"deletionTimestamp": "2024-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5},
        {},
        [
            'metadata.deletionTimestamp: Invalid value: "2024-01-01T00:00:00Z": field is immutable',
            "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable",
        ],
    ),
    (
        {},
        {"creationTimestamp": "2024-01-01T00:00:00Z"},
        ["metadata.creationTimestamp: Invalid value: null: field is immutable"],
    ),
    ({"generation": 1}, {"generation": 2}, ["metadata.generation: Invalid value: 1: must not be decremented"]),
    (
        {"finalizers": ["b", "a"]},
        {"deletionTimestamp": "x", "finalizers": ["c"]},
        [
            (
                "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted,"
                ' found new finalizers []string{"a", "b"}'
            ),
            "metadata.deletionTimestamp: Invalid value: null: field is immutable",
        ],
    ),
    ({"labels": {"a": "b c"}}, {}, 1),
]


@pytest.mark.parametrize(("new", "old", "expected"), UPDATED)
def test_metadata_of_changed_objects(new, old, expected):
    found = said(object_meta_update_errors({**SOUND, **new}, {**SOUND, **old}))
    assert (len(found) if isinstance(expected, int) else found) == expected


NAMES = [
    (subdomain_name, "a.b-", True, True),
    (subdomain_name, "a.b-", False, False),
    (subdomain_name, "-", True, False),
    (label_name, "a.b", False, False),
    (label_name, "a-", True, True),
    (label_1035_name, "1a", False, False),
    (label_1035_name, "a-", True, True),
    (path_segment_name, "..", False, False),
    (path_segment_name, "..", True, True),
    (path_segment_name, "a/b", True, False),
    (rbac_name, "system:node", False, True),
    (rbac_name, "..", True, False),
]


@pytest.mark.parametrize(("faults", "name", "prefix", "fine"), NAMES)
def test_names_have_the_form_of_their_kind(faults, name, prefix, fine):
    assert (faults(name, prefix) == []) is fine


def test_every_kind_knows_how_its_objects_are_named():
    assert name_faults("", "Namespace") is label_name
    assert name_faults("rbac.authorization.k8s.io", "Role") is rbac_name
    assert name_faults("apps", "Deployment") is subdomain_name


def test_a_kind_without_rules_has_those_of_its_metadata():
    obj = {"metadata": {**SOUND, "name": "A"}}
    assert [error.field for error in validated_create(CUSTOM, obj)] == ["metadata.name"]
    assert validated_update(CUSTOM, obj, obj) == []
    changed = {"metadata": {**SOUND, "name": "A", "labels": {"a": "b c"}}}
    for errors in (
        validated_update(CUSTOM, changed, obj),
        validated_status_update(CUSTOM, changed, obj),
        validated_subresource_update(CUSTOM, "status", changed, obj),
        validated_subresource_update(CUSTOM, "scale", changed, obj),
    ):
        assert [error.field for error in errors] == ["metadata.labels"] * 2
