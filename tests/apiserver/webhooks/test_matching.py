"""Which requests concern which webhooks."""

import msgspec
import pytest
from tests.apiserver.webhooks.subjects import REGISTRY, one_hook, subject

from plumbline.apiserver import statuses
from plumbline.apiserver.webhooks.hooks import hooks_of
from plumbline.apiserver.webhooks.matching import Matcher, exempt
from plumbline.base.errors import BadSelector, RequestRefused
from plumbline.base.json import encode

LABELS = {"default": {"team": "a"}, "other": {}}


def labels_of(name):
    if name not in LABELS:
        raise statuses.not_found("", "namespaces", name)
    return LABELS[name]


def same_objects(model):
    return [each for each in REGISTRY.models if each.resource.collection == model.resource.collection]


MATCHER = Matcher(same_objects, labels_of)


def rule(*resources, operations=("*",), groups=("*",), versions=("*",), **extra):
    return {
        "operations": operations,
        "apiGroups": groups,
        "apiVersions": versions,
        "resources": resources,
        **extra,
    }


def asked(about, **fields):
    return MATCHER.invocation(one_hook(**fields), about) is not None


CONFIG = {"resource": "configmaps"}
STATUS = {"resource": "pods", "subresource": "status", "operation": "UPDATE"}


@pytest.mark.parametrize(
    ("request_", "rules", "expected", "why"),
    [
        (CONFIG, [rule("configmaps")], True, "the resource itself"),
        (CONFIG, [rule("*")], True, "every resource"),
        (CONFIG, [rule("*/*")], True, "every resource and what is below"),
        (CONFIG, [rule("configmaps/*")], True, "what is below includes the resource"),
        (CONFIG, [rule("*/status")], False, "only what is below"),
        (CONFIG, [rule("secrets")], False, "another resource"),
        (CONFIG, [rule("secrets"), rule("configmaps")], True, "one of several rules"),
        (CONFIG, [], False, "no rules"),
        (CONFIG, [rule()], False, "no resources"),
        (STATUS, [rule("pods")], False, "a resource is not what is below it"),
        (STATUS, [rule("*")], False, "same"),
        (STATUS, [rule("pods/status")], True, "the subresource by name"),
        (STATUS, [rule("*/status")], True, "of every resource"),
        (STATUS, [rule("pods/*")], True, "all of a resource"),
        (STATUS, [rule("pods/log")], False, "another one"),
        (CONFIG, [rule("*", operations=("CREATE",))], True, "the operation"),
        (CONFIG, [rule("*", operations=("UPDATE", "DELETE"))], False, "other operations"),
        (CONFIG, [rule("*", groups=("",))], True, "the group without a name"),
        (CONFIG, [rule("*", groups=("apps",))], False, "another group"),
        (CONFIG, [rule("*", versions=("v2",))], False, "another version"),
        (CONFIG, [rule("*", scope="Namespaced")], True, "in a namespace"),
        (CONFIG, [rule("*", scope="Cluster")], False, "not of the cluster"),
        ({"resource": "nodes"}, [rule("*", scope="Cluster")], True, "of the cluster"),
        ({"resource": "nodes"}, [rule("*", scope="Namespaced")], False, "in no namespace"),
        ({"resource": "namespaces", "name": "default"}, [rule("*", scope="Cluster")], True, "a namespace is in none"),
        ({"resource": "namespaces", "name": "default"}, [rule("*", scope="Namespaced")], False, "same"),
    ],
)
def test_rules(request_, rules, expected, why):
    assert asked(subject(**request_), rules=rules) is expected, why


HPA = {"resource": "horizontalpodautoscalers", "group": "autoscaling"}


@pytest.mark.parametrize(
    ("version", "policy", "asked_in", "why"),
    [
        ("v1", "Equivalent", "v1", "the version of the request"),
        ("v2", "Equivalent", "v1", "another version of the same objects"),
        ("v2", "Exact", None, "another version, and only the exact one counts"),
        ("v1", "Exact", "v1", "the exact one"),
    ],
)
def test_versions_of_the_same_objects(version, policy, asked_in, why):
    hook = one_hook(rules=[rule("horizontalpodautoscalers", versions=("v1",))], matchPolicy=policy)
    found = MATCHER.invocation(hook, subject(**HPA, version=version))
    assert (found.kind.version if found else None) == asked_in, why


def test_groups_of_the_same_objects():
    hook = one_hook(rules=[rule("events", groups=("events.k8s.io",))])
    found = MATCHER.invocation(hook, subject("events"))
    assert found is not None
    assert found.kind.group == "events.k8s.io"


LABELLED = {"metadata": {"labels": {"a": "b"}}}
BARE = {"metadata": {}}
SELECTOR = {"matchLabels": {"a": "b"}}


@pytest.mark.parametrize(
    ("obj", "old", "selector", "expected", "why"),
    [
        (LABELLED, None, SELECTOR, True, "the new object"),
        (BARE, LABELLED, SELECTOR, True, "the old one is enough"),
        (BARE, BARE, SELECTOR, False, "neither"),
        (None, LABELLED, SELECTOR, True, "deleted"),
        (None, None, SELECTOR, False, "no object at all"),
        (None, None, {}, True, "everything is selected"),
        ({"kind": "PodExecOptions"}, None, SELECTOR, False, "an object without metadata has no labels"),
        ({"kind": "X"}, None, {"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, False, "nor lacks one"),
        (BARE, None, {"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, True, "one that lacks it"),
        ({"metadata": {"labels": "odd"}}, None, SELECTOR, False, "labels of another shape are none"),
    ],
)
def test_objects_are_selected_by_either_state(obj, old, selector, expected, why):
    assert asked(subject(obj=obj, old=old), objectSelector=selector) is expected, why


@pytest.mark.parametrize(
    ("request_", "expected", "why"),
    [
        ({"namespace": "default"}, True, "its labels match"),
        ({"namespace": "other"}, False, "they do not"),
        ({"resource": "nodes"}, True, "what is in no namespace is never exempt"),
        (
            {"resource": "namespaces", "name": "n", "obj": {"metadata": {"labels": {"team": "a"}}}},
            True,
            "its own labels",
        ),
        ({"resource": "namespaces", "name": "n", "obj": BARE}, False, "its own, which it does not have"),
        (
            {"resource": "namespaces", "name": "default", "operation": "DELETE", "old": BARE},
            True,
            "those in the store when it goes",
        ),
    ],
)
def test_namespaces_are_selected_by_their_labels(request_, expected, why):
    assert asked(subject(**request_), namespaceSelector={"matchLabels": {"team": "a"}}) is expected, why


def test_a_namespace_that_is_not_there_is_said_so():
    with pytest.raises(RequestRefused) as refused:
        asked(subject(namespace="none"), namespaceSelector={"matchLabels": {"team": "a"}})
    assert refused.value.status["code"] == 404


def test_a_missing_namespace_does_not_matter_to_webhooks_that_are_not_concerned():
    assert not asked(
        subject(namespace="none"), namespaceSelector={"matchLabels": {"team": "a"}}, rules=[rule("secrets")]
    )


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("mutatingwebhookconfigurations", True),
        ("validatingwebhookconfigurations", True),
        ("validatingadmissionpolicies", True),
        ("mutatingadmissionpolicybindings", True),
    ],
)
def test_configurations_are_exempt(resource, expected):
    assert exempt(subject(resource, group="admissionregistration.k8s.io")) is expected
    assert not exempt(subject())


def test_webhooks_of_one_name_are_told_apart():
    written = {"name": "h.example.com", "clientConfig": {}}
    found = hooks_of(encode({"metadata": {"name": "c"}, "webhooks": [written, written]}))
    assert [each.uid for each in found] == ["c/h.example.com/0", "c/h.example.com/1"]


@pytest.mark.parametrize("body", [{}, {"metadata": {"name": "c"}, "webhooks": [1]}, []])
def test_a_configuration_of_another_shape_is_no_configuration(body):
    with pytest.raises(msgspec.MsgspecError):
        hooks_of(encode(body))


def test_a_selector_of_another_shape_is_no_selector():
    with pytest.raises(BadSelector):
        one_hook(objectSelector={"matchExpressions": [{"key": "a", "operator": "Odd"}]})


@pytest.mark.parametrize(
    ("offered", "version"), [(["v1"], "v1"), (["v0", "v1beta1", "v1"], "v1beta1"), (["v9"], None), ([], None)]
)
def test_the_first_version_that_both_know_is_spoken(offered, version):
    found = one_hook(admissionReviewVersions=offered).version
    assert (found.value if found else None) == version
