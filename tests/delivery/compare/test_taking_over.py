"""What was applied before us, in ways that the server records under other names or in other places."""

from plumbline.delivery.compare import Rules, difference, migration
from plumbline.delivery.compare.migration import RBAC_MANAGER, migrated
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape

US = "argocd-controller"


def entry(manager, operation, fields, version="v1"):
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": version,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def live(kind, api, entries, **fields):
    metadata = {
        "name": "x",
        "namespace": "n",
        "resourceVersion": "7",
        "managedFields": entries,
        **fields.pop("metadata", {}),
    }
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


def shape_of(obj):
    return builtin_shape(GroupVersionKind.of(obj))


ROLE_API = "rbac.authorization.k8s.io/v1"
LABEL = {"f:metadata": {"f:labels": {"f:dropped": {}}}}


def role():
    entries = [entry(US, "Apply", LABEL, ROLE_API), entry(RBAC_MANAGER, "Update", LABEL, ROLE_API)]
    return live("Role", ROLE_API, entries, metadata={"labels": {"dropped": "yes"}}, rules=[])


def test_who_reconciled_a_role_before_us_does_not_hold_what_git_drops():
    desired = {"apiVersion": ROLE_API, "kind": "Role", "metadata": {"name": "x", "namespace": "n"}, "rules": []}
    found = difference(desired, role(), shape_of(desired), Rules())
    assert [each.elements for each in found] == [("f:metadata", "f:labels")]
    patch = migration(role(), migrated("rbac.authorization.k8s.io"))
    assert [each["manager"] for each in patch[0]["value"]] == [US]


def test_the_same_name_holds_the_status_of_other_kinds_and_keeps_it():
    assert RBAC_MANAGER not in migrated("argoproj.io")
    assert migrated("apps", "helm")[0] == "helm"


def secret():
    fields = {"f:stringData": {"f:kept": {}, "f:dropped": {}}}
    return live("Secret", "v1", [entry(US, "Apply", fields)], data={"kept": "MQ==", "dropped": "MQ=="})


def test_a_text_that_leaves_a_secret_in_git_is_a_difference():
    desired = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "x", "namespace": "n"},
        "stringData": {"kept": "1"},
    }
    found = difference(desired, secret(), shape_of(desired), Rules())
    assert [each.elements for each in found] == [("f:data", "f:dropped")]


def test_texts_of_a_secret_are_held_where_they_are_kept():
    patch = migration(secret())
    assert patch[0]["value"][0]["fieldsV1"] == {"f:data": {"f:kept": {}, "f:dropped": {}}}
    assert patch[1]["value"] == "7"
