"""Questions about access get answers; questions that cannot be asked get the API server's refusal."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.access.identity import Identity
from plumbline.apiserver.authentication.reviews import (
    local_subject_access_review,
    self_subject_access_review,
    self_subject_review,
    self_subject_rules_review,
    subject_access_review,
)
from plumbline.apiserver.rbac import Authorizer
from plumbline.base.errors import RequestRefused

from .sample import refused

GROUP = "rbac.authorization.k8s.io"
ANN = Identity("ann", groups=("crew",))
PODS = {"verb": "get", "resource": "pods", "namespace": "home"}


@pytest.fixture
def authorizer():
    authorizer = Authorizer()
    rules = [
        {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["web"]},
        {"verbs": ["list"], "apiGroups": ["", "apps"], "resources": ["pods"]},
        {"verbs": ["get"], "nonResourceURLs": ["/x"]},
    ]
    authorizer.observe({"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": rules})
    for name, role, user in (("b", "r", "ann"), ("lost", "gone", "lou")):
        subject = {"kind": "User", "name": user}
        ref = {"kind": "ClusterRole", "name": role}
        authorizer.observe(
            {"kind": "ClusterRoleBinding", "metadata": {"name": name}, "subjects": [subject], "roleRef": ref}
        )
    return authorizer


REASON = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "ann"'
ANSWERS = [
    ({"user": "ann", "resourceAttributes": PODS | {"name": "web"}}, {"allowed": True, "reason": REASON}),
    ({"user": "ann", "resourceAttributes": PODS}, {"allowed": False}),
    ({"user": "ann", "nonResourceAttributes": {"verb": "get", "path": "/x"}}, {"allowed": True, "reason": REASON}),
    ({"user": "ann", "nonResourceAttributes": {}}, {"allowed": False}),
    ({"user": "x", "groups": ["system:masters"], "resourceAttributes": {}}, {"allowed": True}),
    (
        {"user": "lou", "resourceAttributes": PODS},
        {"allowed": False, "reason": f'RBAC: clusterrole.{GROUP} "gone" not found'},
    ),
]


@pytest.mark.parametrize(("spec", "status"), ANSWERS)
def test_an_access_review_is_answered(authorizer, spec, status):
    review = {"kind": "SubjectAccessReview", "metadata": {}, "spec": spec}
    assert subject_access_review(review, authorizer) == review | {"status": status}


def test_a_local_review_is_about_its_namespace(authorizer):
    review = {"spec": {"user": "ann", "resourceAttributes": PODS | {"name": "web"}}}
    answer = local_subject_access_review(review, "home", authorizer)
    assert answer["status"]["allowed"]
    assert answer["metadata"] == {"namespace": "home"}


def test_a_review_of_oneself_is_about_who_asks(authorizer):
    review = {"spec": {"user": "ignored", "resourceAttributes": PODS | {"name": "web"}}}
    assert self_subject_access_review(review, ANN, authorizer)["status"] == {"allowed": True, "reason": REASON}
    assert not self_subject_access_review(review, Identity("bob"), authorizer)["status"]["allowed"]


ONE = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
BOTH = "cannot be specified in combination with resourceAttributes"
FAULTS = [
    (
        {},
        (
            f"[spec.resourceAttributes: Invalid value: null: {ONE},"
            ' spec.user: Invalid value: "": at least one of user or group must be specified]'
        ),
    ),
    (
        {"spec": {"user": "a", "resourceAttributes": PODS, "nonResourceAttributes": {"path": "/<"}}},
        f'spec.nonResourceAttributes: Invalid value: {{"Path":"/\\u003c","Verb":""}}: {BOTH}',
    ),
    (
        {"metadata": {"labels": {"a": "b"}, "name": "x"}, "spec": {"user": "a", "resourceAttributes": PODS}},
        'metadata: Invalid value: {"name":"x","labels":{"a":"b"}}: must be empty',
    ),
]


@pytest.mark.parametrize(("review", "message"), FAULTS)
def test_a_question_that_cannot_be_asked_is_refused(authorizer, review, message):
    said = refused(lambda: subject_access_review(review, authorizer))
    assert said == (422, f'.authorization.k8s.io "" is invalid: {message}')


@pytest.mark.parametrize(
    ("review", "code", "ending"),
    [
        ({"metadata": {"namespace": "away"}}, 400, "does not match the namespace sent on the request"),
        (
            {"spec": {"user": "a", "resourceAttributes": PODS | {"namespace": "away"}}},
            422,
            'spec.resourceAttributes.namespace: Invalid value: "away": must match metadata.namespace',
        ),
        (
            {"spec": {"user": "a", "nonResourceAttributes": {"verb": "get"}}},
            422,
            'Invalid value: {"Path":"","Verb":"get"}: disallowed on this kind of request',
        ),
        (
            {"metadata": {"name": "x"}, "spec": {"user": "a", "resourceAttributes": PODS}},
            422,
            'Invalid value: {"name":"x","namespace":"home"}: must be empty except for namespace',
        ),
    ],
)
def test_a_local_question_stays_local(authorizer, review, code, ending):
    said = refused(lambda: local_subject_access_review(review, "home", authorizer))
    assert (said[0], said[1].endswith(ending)) == (code, True), said


RULE = "spec.resourceAttributes"
SELECTORS = [
    ({"fieldSelector": {"rawSelector": "a=b"}, "labelSelector": {"rawSelector": "a=b"}}, ""),
    ({"fieldSelector": None, "labelSelector": []}, ""),
    ({"fieldSelector": {"rawSelector": "a=b,,c"}}, f"{RULE}.fieldSelector ignored due to parse error"),
    ({"labelSelector": {"rawSelector": "a in ("}}, f"{RULE}.labelSelector ignored due to parse error"),
    (
        {"fieldSelector": {"requirements": [{"key": "a", "operator": "In", "values": ["x", "y"]}]}},
        f"{RULE}.fieldSelector ignored due to parse error",
    ),
    (
        {
            "fieldSelector": {
                "requirements": [{"key": "a", "operator": "In", "values": ["x"]}, {"key": "b", "operator": "Exists"}]
            },
            "labelSelector": {"requirements": [{"key": "a", "operator": "Zap"}, {"key": "b", "operator": "Exists"}]},
        },
        (
            f"{RULE}.fieldSelector partially ignored due to parse error;"
            f" {RULE}.labelSelector partially ignored due to parse error"
        ),
    ),
]


@pytest.mark.parametrize(("selectors", "fault"), SELECTORS)
def test_selectors_that_cannot_be_read_are_said_to_be_ignored(authorizer, selectors, fault):
    review = {"spec": {"user": "ann", "resourceAttributes": PODS | selectors}}
    assert subject_access_review(review, authorizer)["status"].get("evaluationError", "") == fault


@pytest.mark.parametrize(
    ("selectors", "message"),
    [
        (
            {"fieldSelector": {}},
            (
                f"{RULE}.fieldSelector.requirements: Required value: when {RULE}.fieldSelector is specified,"
                " requirements or rawSelector is required"
            ),
        ),
        (
            {"labelSelector": {"rawSelector": "a", "requirements": [{"key": "a", "operator": "Exists"}]}},
            f'{RULE}.labelSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements',
        ),
        (
            {"fieldSelector": {"requirements": [{"operator": "In"}]}},
            (
                f"[{RULE}.fieldSelector.requirements[0].key: Required value: must be specified,"
                f" {RULE}.fieldSelector.requirements[0].values: Required value:"
                " must be specified when `operator` is 'In' or 'NotIn']"
            ),
        ),
        (
            {"labelSelector": {"requirements": [{"key": "a", "operator": "Exists", "values": ["x"]}]}},
            (
                f"{RULE}.labelSelector.requirements[0].values: Forbidden:"
                " may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            ),
        ),
    ],
)
def test_selectors_have_to_be_well_formed(authorizer, selectors, message):
    review = {"spec": {"resourceAttributes": PODS | selectors}}
    said = refused(lambda: self_subject_access_review(review, ANN, authorizer))
    assert said == (422, f'.authorization.k8s.io "" is invalid: {message}')


def test_label_selectors_are_spelled_like_labels(authorizer):
    requirement = {"key": "a b", "operator": "In", "values": ["-"]}
    review = {"spec": {"resourceAttributes": PODS | {"labelSelector": {"requirements": [requirement]}}}}
    _, message = refused(lambda: self_subject_access_review(review, ANN, authorizer))
    assert f'{RULE}.labelSelector.requirements[0].key: Invalid value: "a b"' in message
    assert f'{RULE}.labelSelector.requirements[0].values[0]: Invalid value: "-"' in message


def test_own_rules_are_listed(authorizer):
    answer = self_subject_rules_review({"spec": {"namespace": "home"}}, ANN, authorizer)
    assert answer == {
        "kind": "SelfSubjectRulesReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {},
        "spec": {},
        "status": {
            "resourceRules": [
                {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["web"]},
                {"verbs": ["list"], "apiGroups": ["", "apps"], "resources": ["pods"]},
            ],
            "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}],
            "incomplete": False,
        },
    }
    lost = self_subject_rules_review({"spec": {"namespace": "home"}}, Identity("lou"), authorizer)["status"]
    assert lost["evaluationError"] == f'clusterrole.{GROUP} "gone" not found'
    assert (lost["resourceRules"], lost["nonResourceRules"]) == ([], [])


def test_own_rules_are_those_of_a_namespace(authorizer):
    assert refused(lambda: self_subject_rules_review({}, ANN, authorizer)) == (400, "no namespace on request")


def test_everybody_may_ask_who_they_are():
    assert self_subject_review(ANN, "2026-01-01T00:00:00Z") == {
        "kind": "SelfSubjectReview",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"},
        "status": {"userInfo": {"username": "ann", "groups": ["crew"]}},
    }


KEYS = ["user", "groups", "extra", "resourceAttributes", "nonResourceAttributes", "verb", "fieldSelector",
        "labelSelector", "requirements", "key", "operator", "values", "rawSelector", "namespace", "name"]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(["In", "Exists"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["spec", "metadata"]), JSON))
def test_no_question_breaks_the_answer(review):
    empty = Authorizer()
    for ask in (
        lambda: subject_access_review(review, empty),
        lambda: local_subject_access_review(review, "home", empty),
        lambda: self_subject_access_review(review, ANN, empty),
        lambda: self_subject_rules_review(review, ANN, empty),
    ):
        with contextlib.suppress(RequestRefused):
            assert "status" in ask()
