"""Operations: their names, parameters and bodies."""

import pytest

from plumbline.apiserver.openapi.builtin import builtin_operations
from plumbline.apiserver.openapi.custom import custom_operations
from plumbline.apiserver.openapi.names import definition_name, joined, tag, with_article
from plumbline.apiserver.openapi.operations import path_items
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.kube.names import GroupVersion, GroupVersionKind

from .examples import GADGET, WIDGET, published_of

IN_APPS = "/apis/apps/v1/namespaces/{namespace}/deployments"
IN_CORE = "/api/v1/namespaces/{namespace}/pods/{name}"
CUSTOM = "/apis/documents.example.org/v1/namespaces/{namespace}/widgets"


@pytest.fixture(scope="module")
def operations():
    builtin = (each for resource in builtin_resources() for each in builtin_operations(resource))
    custom = (each for crd in (WIDGET, GADGET) for row in published_of(crd) for each in custom_operations(row.resource))
    return {(each.method, each.path): each for each in (*builtin, *custom)}


NAMES = [
    ("get", IN_APPS, "listAppsV1NamespacedDeployment", "list", "a list"),
    ("get", "/apis/apps/v1/deployments", "listAppsV1DeploymentForAllNamespaces", "list", "a list of all namespaces"),
    ("delete", IN_APPS, "deleteAppsV1CollectionNamespacedDeployment", "deletecollection", "a collection"),
    ("get", f"{IN_APPS}/{{name}}/scale", "readAppsV1NamespacedDeploymentScale", "get", "a subresource"),
    ("get", f"{IN_CORE}/exec", "connectCoreV1GetNamespacedPodExec", "connect", "a stream"),
    ("head", f"{IN_CORE}/proxy/{{path}}", "connectCoreV1HeadNamespacedPodProxyWithPath", "connect", "a proxy"),
    ("post", "/api/v1/namespaces", "createCoreV1Namespace", "post", "a cluster-wide resource"),
    ("put", "/api/v1/namespaces/{name}/finalize", "replaceCoreV1NamespaceFinalize", "put", "and its subresource"),
    ("get", "/apis/apps/v1/watch/deployments", "watchAppsV1DeploymentListForAllNamespaces", "watchlist", "a watch"),
    (
        "get",
        "/apis/apps/v1/watch/namespaces/{namespace}/deployments/{name}",
        "watchAppsV1NamespacedDeployment",
        "watch",
        "a watch of one object",
    ),
    (
        "post",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "createRbacAuthorizationV1ClusterRole",
        "post",
        "a group with dots",
    ),
    ("patch", f"{CUSTOM}/{{name}}", "patchDocumentsExampleOrgV1NamespacedWidget", "patch", "a custom resource"),
    (
        "delete",
        CUSTOM,
        "deleteDocumentsExampleOrgV1CollectionNamespacedWidget",
        "deletecollection",
        "a collection of it",
    ),
    (
        "get",
        "/apis/documents.example.org/v1/widgets",
        "listDocumentsExampleOrgV1WidgetForAllNamespaces",
        "list",
        "and a list of all namespaces",
    ),
    ("get", "/apis/documents.example.org/v1/gadgets", "listDocumentsExampleOrgV1Gadget", "list", "cluster-wide"),
]


@pytest.mark.parametrize(("method", "path", "name", "action", "why"), NAMES, ids=[why for *_, why in NAMES])
def test_operations_are_named_by_what_they_do(operations, method, path, name, action, why):
    found = operations[method, path]
    assert (found.id, found.action) == (name, action)


def test_no_two_operations_share_a_name(operations):
    names = [each.id for each in operations.values()]
    assert len(names) == len(set(names))


PATCHES = [
    (f"{IN_APPS}/{{name}}", True, (200, 201), "built-in kinds take strategic patches, and apply may create"),
    (f"{CUSTOM}/{{name}}", False, (200,), "custom ones have no strategy"),
]


@pytest.mark.parametrize(("path", "strategic", "statuses", "why"), PATCHES, ids=[why for *_, why in PATCHES])
def test_clients_learn_here_which_patches_a_kind_takes(operations, path, strategic, statuses, why):
    found = operations["patch", path]
    assert ("application/strategic-merge-patch+json" in found.consumes) is strategic
    assert {"application/apply-patch+yaml", "application/merge-patch+json"} <= set(found.consumes)
    assert {"dryRun", "fieldValidation", "fieldManager", "force"} <= {each.name for each in found.parameters}
    assert found.statuses == statuses


SPOKEN = [
    ("get", f"{IN_APPS}/{{name}}/scale", "Scale", "a subresource of a built-in kind is of its own kind"),
    ("get", f"{CUSTOM}/{{name}}/scale", "Widget", "that of a custom one is said to be of the kind that has it"),
    ("post", f"{IN_CORE}/eviction", "Eviction", "a kind of another group"),
]


@pytest.mark.parametrize(("method", "path", "kind", "why"), SPOKEN, ids=[why for *_, why in SPOKEN])
def test_an_operation_says_which_kind_it_is_about(operations, method, path, kind, why):
    assert operations[method, path].kind.kind == kind


def test_deletions_answer_with_a_status_or_with_what_is_gone(operations):
    assert operations["delete", f"{IN_APPS}/{{name}}"].answers.endswith(".Status")
    assert operations["delete", IN_CORE].answers.endswith(".Pod")


def test_logs_are_text(operations):
    log = operations["get", f"{IN_CORE}/log"]
    assert (log.answers, log.produces[0]) == ("", "text/plain")
    assert "tailLines" in {each.name for each in log.parameters}


def test_parameters_of_all_operations_of_a_path_are_said_once(operations):
    (item,) = path_items(each for (_, path), each in operations.items() if path == IN_APPS)
    assert [each.name for each in item.shared] == ["namespace", "pretty"]
    assert all(not set(each.parameters) & set(item.shared) for each in item.operations)
    (single,) = path_items([operations["get", f"{IN_CORE}/log"]])
    assert not single.operations[0].parameters
    assert [each.name for each in single.shared] == sorted(each.name for each in single.shared)


WORDS = [
    ("Pod", "a Pod", "a consonant"),
    ("Ingress", "an Ingress", "a vowel, and no plural"),
    ("Endpoints", "Endpoints", "a plural"),
    ("PriorityClass", "a PriorityClass", "no plural"),
]


@pytest.mark.parametrize(("noun", "said", "why"), WORDS, ids=[noun for noun, _, _ in WORDS])
def test_kinds_are_spoken_of_with_their_article(noun, said, why):
    assert with_article(noun) == said


JOINED = [
    ("rbac.authorization", False, "rbacAuthorization", "dots"),
    ("big-corp.io", True, "BigCorpIo", "dashes"),
    (".well-known", False, "WellKnown", "what starts with neither letter nor digit"),
    ("9lives", True, "Lives", "a digit cannot come first"),
    ("v1_x", True, "V1_x", "underscores are letters"),
]


@pytest.mark.parametrize(("text", "capital", "made", "why"), JOINED, ids=[why for *_, why in JOINED])
def test_names_are_joined_from_what_identifiers_can_hold(text, capital, made, why):
    assert joined(text, capital=capital) == made


DEFINITIONS = [
    (("apps", "v1", "Deployment"), False, "io.k8s.api.apps.v1.Deployment", "by package"),
    (("", "v1", "Pod"), False, "io.k8s.api.core.v1.Pod", "the core group"),
    (("rbac.authorization.k8s.io", "v1", "Role"), False, "io.k8s.api.rbac.v1.Role", "a long group"),
    (
        ("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
        False,
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
        "another package",
    ),
    (("a.big-corp.io", "v1", "Thing"), True, "io.big-corp.a.v1.Thing", "a custom one, backwards"),
]


@pytest.mark.parametrize(("kind", "custom", "name", "why"), DEFINITIONS, ids=[why for *_, why in DEFINITIONS])
def test_definitions_are_named_as_upstream_names_them(kind, custom, name, why):
    assert definition_name(GroupVersionKind(*kind), custom=custom) == name


def test_tags_group_operations_by_version():
    assert tag(GroupVersion("", "v1")) == "core_v1"
    assert tag(GroupVersion("rbac.authorization.k8s.io", "v1")) == "rbacAuthorization_v1"
