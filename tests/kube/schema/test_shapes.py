"""Shapes say how values merge, for built-in kinds and for CRDs alike."""

import pytest

from plumbline.base.errors import ToolMissing, UnknownKind
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import FREE, Form, builtin_shape, crd_shape
from plumbline.kube.schema.builtin import catalog
from plumbline.kube.schema.shape import UNTYPED
from plumbline.kube.schema.typed import blank, typed_form


def at(shape, path):
    for name in path.split("."):
        shape = shape.values if name == "*" else shape.child(name)
    return shape


@pytest.fixture(scope="module")
def deployment():
    return builtin_shape(GroupVersionKind("apps", "v1", "Deployment"))


@pytest.mark.parametrize(
    ("path", "form", "keys", "patch_keys"),
    [
        ("metadata.finalizers", Form.SET, (), ("",)),
        ("metadata.labels", Form.MAP, (), ()),
        ("metadata.ownerReferences", Form.TABLE, ("uid",), ("uid",)),
        ("spec.template.spec.containers", Form.TABLE, ("name",), ("name",)),
        ("spec.template.spec.containers.*.ports", Form.TABLE, ("containerPort", "protocol"), ("containerPort",)),
        ("spec.template.spec.containers.*.args", Form.LIST, (), ()),
        ("spec.template.spec.tolerations", Form.LIST, (), ()),
        ("spec.template.spec.topologySpreadConstraints", Form.TABLE, ("topologyKey", "whenUnsatisfiable"), ("topologyKey",)),
    ],
)  # fmt: skip
def test_lists_merge_as_kubernetes_declares(deployment, path, form, keys, patch_keys):
    shape = at(deployment, path)
    assert (shape.form, shape.keys, shape.patch_keys) == (form, keys, patch_keys)


def test_selectors_and_references_are_atomic_wherever_the_field_or_the_type_says_so(deployment):
    assert at(deployment, "spec.selector").atomic
    assert at(deployment, "spec.template.spec.nodeSelector").atomic
    assert not at(deployment, "spec.template.spec.affinity").atomic


def test_scalars_know_what_they_are(deployment):
    assert at(deployment, "spec.template.spec.containers.*.resources.limits.*").kind == "quantity"
    assert at(deployment, "spec.strategy.rollingUpdate.maxSurge").kind == "int-or-string"
    assert at(deployment, "metadata.creationTimestamp").kind == "date-time"
    assert at(deployment, "spec.replicas").kind == "integer"


def test_undeclared_fields_have_no_shape(deployment):
    assert deployment.child("bogus") is None


def test_raw_extensions_are_owned_as_a_whole():
    revision = builtin_shape(GroupVersionKind("apps", "v1", "ControllerRevision"))
    assert at(revision, "data") is UNTYPED


def test_every_kind_compiles_to_its_leaves():
    known = catalog()
    for name in known.kinds.values():
        for child in known.shape(name).fields.values():
            _ = child.fields, child.values
    assert len(known.kinds) > 150


def test_a_kind_that_kubernetes_does_not_have_has_no_shape():
    assert builtin_shape(GroupVersionKind("example.org", "v1", "Widget")) is None


def test_a_release_without_schemas_is_refused_by_name():
    with pytest.raises(ToolMissing, match=r"1\.2"):
        catalog("1.2")


def test_an_object_is_held_as_the_servers_types_would(deployment):
    written = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "labels": {}, "annotations": None},
        "spec": {"template": {"spec": {"containers": [{"name": "c", "env": [], "command": None}], "volumes": [{"name": "v", "emptyDir": {}}]}}},
    }  # fmt: skip
    held = typed_form(written, deployment)
    assert held["metadata"] == {"name": "d"}
    assert held["status"] == {}
    pod = held["spec"]["template"]["spec"]
    assert pod["containers"] == [{"name": "c", "resources": {}}]
    assert pod["volumes"] == [{"name": "v", "emptyDir": {}}], "an empty structure is a choice, not nothing"
    assert typed_form(held, deployment) is held, "what is so already is shared, not copied"


def test_before_anybody_wrote_there_is_what_the_types_embed(deployment):
    assert blank(deployment)["spec"]["template"]["spec"] == {"containers": None}


def crd(schema, **version):
    return {
        "spec": {
            "names": {"kind": "Widget"},
            "versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}, **version}],
        }
    }


OBJECT = {"type": "object"}


def test_crd_lists_maps_and_unknown_fields_follow_their_extensions():
    spec = {
        "type": "object",
        "properties": {
            "table": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b", "a"], "items": {"type": "object", "properties": {"a": {"type": "string", "default": "x"}, "b": {"type": "string"}}}},
            "members": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "plain": {"type": "array", "items": {"type": "string"}},
            "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "string"}}},
            "port": {"x-kubernetes-int-or-string": True},
            "anything": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"inner": {"type": "object", "properties": {"a": {"type": "string"}}}}},
            "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
            "mixed": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True},
        },
    }  # fmt: skip
    shape = crd_shape(crd({"type": "object", "properties": {"spec": spec}}), "v1")
    assert (at(shape, "spec.table").keys, at(shape, "spec.table").key_defaults) == (("a", "b"), {"a": "x"})
    assert at(shape, "spec.members").form is Form.SET
    assert at(shape, "spec.plain").form is Form.LIST
    assert at(shape, "spec.whole").atomic
    assert at(shape, "spec.port") is FREE
    assert at(shape, "spec.anything.unheard-of") is FREE
    assert at(shape, "spec.anything.inner.unheard-of") is FREE, "preserving unknown fields goes all the way down"
    assert at(shape, "spec.labels.any").kind == "integer"
    assert at(shape, "spec.mixed.any") is FREE
    assert shape.child("bogus") is None
    assert at(shape, "metadata.labels").form is Form.MAP


def test_a_status_subresource_keeps_writers_apart():
    assert crd_shape(crd(OBJECT), "v1").resets == {}
    assert set(crd_shape(crd(OBJECT, subresources={"status": {}}), "v1").resets) == {"", "status"}


def test_a_crd_without_a_schema_is_free_below_its_metadata():
    shape = crd_shape(crd({"type": "object", "x-kubernetes-preserve-unknown-fields": True}), "v1")
    assert at(shape, "spec.any.thing") is FREE
    assert at(shape, "metadata.finalizers").form is Form.SET


def test_a_version_that_is_not_served_is_refused():
    with pytest.raises(UnknownKind, match="v9"):
        crd_shape(crd(OBJECT), "v9")


def test_approvals_and_statuses_of_signing_requests_have_their_own_fields():
    resets = builtin_shape(GroupVersionKind("certificates.k8s.io", "v1", "CertificateSigningRequest")).resets
    assert resets[""] == {"f:spec": {}, "f:status": {}}
    assert builtin_shape(GroupVersionKind("", "v1", "ConfigMap")).resets == {}


def test_a_reference_that_a_structural_schema_may_not_have_merges_free():
    shape = crd_shape(
        crd({"type": "object", "properties": {"x": {"$ref": "#/nowhere"}, "y": {"allOf": [{"$ref": "#/z"}]}}}), "v1"
    )
    assert at(shape, "x") is FREE
    assert at(shape, "y") is FREE


def test_optional_lists_that_the_server_writes_as_null_are_null_where_nobody_wrote_them():
    role = builtin_shape(GroupVersionKind("rbac.authorization.k8s.io", "v1", "Role"))
    held = typed_form({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "r"}}, role)
    assert held["rules"] is None
    assert typed_form(held, role) is held


def test_metadata_of_a_custom_object_is_held_by_type_and_the_rest_is_a_document():
    shape = crd_shape(crd({"type": "object", "x-kubernetes-preserve-unknown-fields": True}), "v1")
    written = {"metadata": {"name": "w", "finalizers": None, "labels": {}}, "spec": {"a": None}}
    assert typed_form(written, shape) == {"metadata": {"name": "w"}, "spec": {"a": None}}
    assert typed_form({"metadata": "odd"}, shape) == {"metadata": "odd"}


def test_a_field_may_tell_strategic_merge_to_replace_it():
    budget = builtin_shape(GroupVersionKind("policy", "v1", "PodDisruptionBudget"))
    assert at(budget, "spec.selector").patch_replaces
    assert not at(budget, "spec").patch_replaces


def test_quantities_have_one_spelling_and_required_scalars_their_zero(deployment):
    container = {"name": "c", "resources": {"limits": {"cpu": "1000m", "memory": 1024, "odd": "many"}}}
    condition = {"type": "Available"}
    obj = {
        "metadata": {},
        "spec": {"template": {"spec": {"containers": [container]}}},
        "status": {"conditions": [condition]},
    }
    held = typed_form(obj, deployment)
    limits = held["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert limits == {"cpu": "1", "memory": "1024", "odd": "many"}
    unwritten = {"lastTransitionTime": None, "lastUpdateTime": None}
    assert held["status"]["conditions"] == [{"type": "Available", "status": "", **unwritten}]


def test_null_in_a_map_or_list_stands_for_nothing_of_its_type(deployment):
    container = {"name": "c", "args": ["a", None], "resources": {"limits": {"cpu": None}}}
    obj = {"metadata": {"labels": {"l": None}}, "spec": {"template": {"spec": {"containers": [container, None]}}}}
    held = typed_form(obj, deployment)
    assert held["metadata"]["labels"] == {"l": ""}
    first, second = held["spec"]["template"]["spec"]["containers"]
    assert (first["args"], first["resources"]["limits"]) == (["a", ""], {"cpu": "0"})
    assert second == {"name": "", "resources": {}}
