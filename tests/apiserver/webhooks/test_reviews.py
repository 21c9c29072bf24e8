"""What webhooks are asked."""

import pytest
from tests.apiserver.webhooks.subjects import one_hook, subject

from plumbline.apiserver.webhooks.conditions import met
from plumbline.apiserver.webhooks.invoking import denial, warn
from plumbline.apiserver.webhooks.managers import with_valid_managers
from plumbline.apiserver.webhooks.matching import Invocation
from plumbline.apiserver.webhooks.reviews import review_of
from plumbline.base.errors import RequestRefused


def invocation(about, **fields):
    return Invocation(one_hook(**fields), about.scope.model, about.kind)


def request(about, **fields):
    return review_of(about, invocation(about, **fields), "u", about.obj, about.old)["request"]


def test_a_review_has_its_fields_in_the_order_of_the_real_one():
    about = subject("pods", "UPDATE", subresource="status", obj={"a": 1}, old={"a": 0})
    found = review_of(about, invocation(about), "u", about.obj, about.old)
    assert list(found) == ["kind", "apiVersion", "request"]
    assert list(found["request"]) == [
        "uid",
        "kind",
        "resource",
        "subResource",
        "requestKind",
        "requestResource",
        "requestSubResource",
        "name",
        "namespace",
        "operation",
        "userInfo",
        "object",
        "oldObject",
        "dryRun",
        "options",
    ]


def test_a_review_is_of_the_version_that_the_webhook_wants():
    about = subject()
    assert review_of(about, invocation(about), "u", None, None)["apiVersion"] == "admission.k8s.io/v1"
    older = invocation(about, admissionReviewVersions=["v1beta1"])
    assert review_of(about, older, "u", None, None)["apiVersion"] == "admission.k8s.io/v1beta1"


def test_says_nothing_of_what_is_empty():
    found = request(subject("nodes", name=""))
    assert not {"name", "namespace", "subResource", "requestSubResource"} & set(found)


@pytest.mark.parametrize(
    ("operation", "given", "shown"),
    [
        ("CREATE", {}, {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}),
        (
            "UPDATE",
            {"kind": "PatchOptions", "fieldManager": "m", "force": True},
            {"kind": "UpdateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "m"},
        ),
        (
            "CREATE",
            {"kind": "UpdateOptions", "dryRun": ["All"]},
            {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "dryRun": ["All"]},
        ),
        (
            "DELETE",
            {"gracePeriodSeconds": 0, "bogus": 1},
            {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", "gracePeriodSeconds": 0},
        ),
        ("CONNECT", {}, None),
    ],
)
def test_options_are_those_of_the_operation(operation, given, shown):
    assert request(subject(operation=operation, options=given))["options"] == shown


def test_a_namespace_is_in_itself():
    found = request(subject("namespaces", name="n"))
    assert (found["name"], found["namespace"]) == ("n", "n")


def test_a_name_is_taken_from_the_object_where_the_path_has_none():
    assert request(subject(name="", obj={"metadata": {"name": "b"}}))["name"] == "b"


CONDITIONS = [
    ("object.metadata.name == 'a'", True),
    ("object.metadata.name == 'b'", False),
    ("request.operation == 'CREATE' && !has(request.subResource) && !request.dryRun", True),
    ("request.userInfo.username == 'kubernetes-admin' && !has(request.userInfo.uid)", True),
    ("'system:masters' in request.userInfo.groups", True),
    ("oldObject == null", True),
    ("has(object.spec)", False),
    ("request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps'", True),
    ("request.options.kind == 'CreateOptions'", True),
]


def meets(*expressions, **fields):
    about = subject(obj={"kind": "ConfigMap", "metadata": {"name": "a"}})
    conditions = [{"name": f"c{n}", "expression": expression} for n, expression in enumerate(expressions)]
    found = invocation(about, matchConditions=conditions, **fields)
    return met(found, about, about.obj, about.old)


@pytest.mark.parametrize(("expression", "expected"), CONDITIONS)
def test_conditions_look_at_the_request(expression, expected):
    assert meets(expression) is expected


def test_all_conditions_have_to_hold():
    assert meets()
    assert meets("true", "true")
    assert not meets("true", "false")


BROKEN = ["object.spec.x == 1", "nonsense(", "[1].map(x, y)"]


@pytest.mark.parametrize("expression", BROKEN)
def test_a_condition_that_fails_is_a_failure_of_the_webhook(expression):
    with pytest.raises(RequestRefused) as refused:
        meets(expression)
    assert refused.value.status["code"] == 403
    assert f"expression '{expression}' resulted in error: " in refused.value.status["message"]
    assert not meets(expression, failurePolicy="Ignore")


def test_a_condition_that_is_false_counts_more_than_one_that_fails():
    assert not meets("object.spec.x == 1", "false")


def test_conditions_together_have_a_budget():
    long = "[" + ",".join(["1"] * 300) + "]"
    costly = f"{long}.all(a, {long}.all(b, {long}.all(c, a + b + c > 0)))"
    assert not meets(costly, failurePolicy="Ignore")


@pytest.mark.parametrize(
    ("said", "code", "message"),
    [
        (None, 400, "denied the request without explanation"),
        ({}, 400, "denied the request without explanation"),
        ({"code": 200, "message": "m"}, 400, "denied the request: m"),
        ({"code": 9999, "message": "m"}, 400, "denied the request: m"),
        ({"code": "x", "message": 1, "reason": ["r"], "details": 1, "metadata": "m"}, 400, "without explanation"),
        ({"code": 451, "reason": "Law"}, 451, "denied the request: Law"),
    ],
)
def test_a_refusal_always_says_no(said, code, message):
    status = denial("h", said).status
    assert status["code"] == code
    assert status["status"] == "Failure"
    assert message in status["message"]


def test_warnings_are_what_can_stand_in_a_header_once():
    warnings = ["there"]
    warn(warnings, ["a", "", "b\nc", "a", "there", "é"])
    assert warnings == ["there", "a", "é"]


GOOD = [{"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:a": {}}}]


@pytest.mark.parametrize(
    ("entries", "kept", "why"),
    [
        (GOOD, True, "as it was"),
        (None, True, "taken away altogether"),
        ([], True, "same"),
        ([{**GOOD[0], "manager": "other"}], True, "another manager, but readable"),
        (
            [{**GOOD[0], "fieldsV1": {"f:a": {".": {}, "k:{}": {}, "v:1": {}, "i:0": {}}}}],
            True,
            "every sort of element",
        ),
        ([{**GOOD[0], "operation": "Odd"}], False, "no such operation"),
        ([{**GOOD[0], "fieldsV1": {"x": {}}}], False, "no such element"),
        ([{**GOOD[0], "fieldsV1": {"f:a": {"x": {}}}}], False, "nor below"),
        (["odd"], False, "no entry at all"),
        ("odd", False, "no list"),
    ],
)
def test_managers_that_cannot_be_read_are_put_back(entries, kept, why):
    warnings: list[str] = []
    before = {"metadata": {"name": "a", "managedFields": GOOD}}
    after = {"metadata": {"name": "a", "managedFields": entries}}
    found = with_valid_managers(after, before, warnings)["metadata"].get("managedFields")
    assert found == (entries if kept else GOOD), why
    assert len(warnings) == (not kept)
