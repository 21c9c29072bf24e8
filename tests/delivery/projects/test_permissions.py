"""What projects permit beyond the recorded tables, and what crosses their borders (rows 20 and 25)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.delivery.projects.building import CLUSTERS, ONE, OPEN, TWO, project

from plumbline.delivery.projects import (
    object_refusal,
    permits_application_namespace,
    permits_destination,
    permits_kind,
    permits_object,
    permits_source,
)
from plumbline.kube.names import GroupKind, Ref

OWN = project(
    sourceRepos=["https://github.com/acme/*"],
    destinations=[{"server": "https://one", "namespace": "shop"}],
    clusterResourceWhitelist=[{"group": "", "kind": "Namespace", "name": "shop"}],
    namespaceResourceBlacklist=[{"group": "", "kind": "ResourceQuota"}],
    sourceNamespaces=["shop-apps"],
)


@pytest.mark.parametrize(
    ("ref", "namespaced", "said", "why"),
    [
        (Ref("apps", "Deployment", "shop", "web"), True, "", "its own"),
        (
            Ref("apps", "Deployment", "other", "web"),
            True,
            "namespace other is not permitted in project 'shop'",
            "another's namespace",
        ),
        (
            Ref("", "ResourceQuota", "shop", "q"),
            True,
            "resource :ResourceQuota is not permitted in project shop",
            "a kind that is denied",
        ),
        (
            Ref("rbac.authorization.k8s.io", "ClusterRole", "", "admin"),
            False,
            "resource rbac.authorization.k8s.io:ClusterRole is not permitted in project shop",
            "nothing outside of namespaces unless it is listed",
        ),
        (Ref("", "Namespace", "", "shop"), False, "", "listed by name"),
        (Ref("", "Namespace", "", "other"), False, "resource :Namespace is not permitted in project shop", "by name"),
        (
            Ref("example.org", "Thing", "shop", "x"),
            None,
            "failed to get API resource info for example.org/Thing: unable to verify permissions",
            "a kind that nobody knows is not waved through",
        ),
    ],
)
def test_nothing_is_applied_across_the_border_of_a_project(ref, namespaced, said, why):
    assert object_refusal(OWN, ref, ONE, namespaced=namespaced, scoped=CLUSTERS.scoped) == said, why


def test_the_same_namespace_of_another_cluster_is_not_permitted():
    ref = Ref("apps", "Deployment", "shop", "web")
    assert object_refusal(OWN, ref, TWO, namespaced=True) == "namespace shop is not permitted in project 'shop'"


@pytest.mark.parametrize(
    ("ref", "visible"),
    [
        (Ref("apps", "Deployment", "shop", "web"), True),
        (Ref("apps", "Deployment", "kube-system", "web"), False),
        (Ref("", "ResourceQuota", "shop", "q"), False),
        (Ref("", "Namespace", "", "shop"), True),
        (Ref("", "Namespace", "", "kube-system"), False),
    ],
)
def test_a_deletion_takes_only_what_the_project_may_see(ref, visible):
    assert permits_object(OWN, ref, ONE) is visible


def test_a_destination_that_is_pointed_elsewhere_takes_nothing_with_it():
    assert not permits_object(OWN, Ref("apps", "Deployment", "shop", "web"), TWO)


def test_only_clusters_of_the_project_where_it_says_so():
    own_only = project(**OPEN, permitOnlyProjectScopedClusters=True)
    assert permits_destination(own_only, TWO, "shop", CLUSTERS.scoped)
    assert not permits_destination(own_only, ONE, "shop", CLUSTERS.scoped)
    assert not permits_destination(own_only, TWO, "shop"), "without any, none"


@pytest.mark.parametrize("namespace", ["shop-apps", "argocd", ""])
def test_applications_use_a_project_from_its_source_namespaces(namespace):
    assert permits_application_namespace(OWN, namespace, "argocd")


def test_and_from_no_other():
    assert not permits_application_namespace(OWN, "other-apps", "argocd")


@pytest.mark.parametrize(
    ("patterns", "why"),
    [
        (["*", "![bad"], "a denial that cannot be read denies"),
        (["[bad"], "a permission that cannot be read permits nothing"),
    ],
)
def test_a_pattern_that_cannot_be_read_opens_nothing(patterns, why):
    assert not permits_source(project(sourceRepos=patterns), "https://github.com/acme/shop"), why
    places = [{"server": pattern, "namespace": "*"} for pattern in patterns]
    assert not permits_destination(project(destinations=places), ONE, "shop"), why
    places = [{"server": "*", "namespace": pattern} for pattern in patterns]
    assert not permits_destination(project(destinations=places), ONE, "shop"), why


ROUNDABOUT = [
    ("https://git.example/ada/../bob/vault.git", "the client takes the dots out"),
    ("https://git.example/ada/%2e%2e/bob/vault.git", "the server does"),
    ("https://git.example/ada/.%2E/bob/vault.git", "so it does with half of them"),
    ("https://git.example/ada/..%2fbob/vault.git", "and with a slash that is escaped"),
    ("ssh://git@git.example/ada/../bob/vault.git", "so does whoever opens the folder"),
    ("git@git.example:ada/../bob/vault.git", "in the short form as well"),
]


@pytest.mark.parametrize(("url", "why"), ROUNDABOUT, ids=[why for _, why in ROUNDABOUT])
def test_an_address_leads_out_of_no_folder_that_a_project_permits(url, why):
    own = ["https://git.example/ada/**", "ssh://git@git.example/ada/**", "git@git.example:ada/**"]
    assert not permits_source(project(sourceRepos=own), url), why
    assert permits_source(project(sourceRepos=["*"]), url)
    assert permits_source(project(sourceRepos=[url]), url)


HIDDEN = [
    ("https://git.example/%62ob/vault.git", "a letter that is escaped"),
    ("https://git.example//bob/vault.git", "one slash more"),
    ("https://git.example/./bob/vault.git", "a part that means nothing"),
    ("https://git.example/ada/../bob/vault.git", "a detour"),
    ("https://git.example:443/bob/vault.git", "the port that it is anyway"),
    ("https://me@git.example/bob/vault.git", "a user"),
]


@pytest.mark.parametrize(("url", "why"), HIDDEN, ids=[why for _, why in HIDDEN])
def test_what_is_denied_is_denied_in_every_spelling(url, why):
    assert not permits_source(project(sourceRepos=["*", "!https://git.example/bob/**"]), url), why


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example/ada/shop.git/",
        "https://dev.azure.com/acme/My%20Project/_git/shop",
        "https://git.example/ada/a..b",
        "git@git.example:/ada/shop",
        "file:///srv/git/ada.git",
        "registry.example/ada/charts",
    ],
)
def test_usual_addresses_are_judged_as_they_are_written(url):
    assert permits_source(project(sourceRepos=["**", "!https://git.example/bob/**"]), url)


def test_nor_does_one_in_a_list_of_kinds():
    bad = {"group": "apps", "kind": "["}
    deployment, pod = GroupKind("apps", "Deployment"), GroupKind("", "Pod")
    listed = project(namespaceResourceWhitelist=[bad])
    assert not permits_kind(listed, deployment, "x", namespaced=True)
    denied = project(namespaceResourceBlacklist=[bad])
    assert not permits_kind(denied, deployment, "x", namespaced=True)
    assert permits_kind(denied, pod, "x", namespaced=True), "it can only be about its own group"
    named = {"group": "*", "kind": "*"}
    by_name = project(clusterResourceWhitelist=[named], clusterResourceBlacklist=[{**named, "name": "["}])
    assert not permits_kind(by_name, GroupKind("", "Namespace"), "x", namespaced=False)


_PATTERNS = st.lists(
    st.sampled_from(["*", "**", "https://a/*", "https://a/x", "!https://a/x", "!https://a/**", "!https://b/*"]),
    max_size=5,
)


@given(patterns=_PATTERNS, order=st.randoms(use_true_random=False))
def test_the_order_of_a_list_changes_nothing(patterns, order):
    shuffled = order.sample(patterns, len(patterns))
    for url in ("https://a/x", "https://a/y", "https://b/z/w"):
        assert permits_source(project(sourceRepos=patterns), url) == permits_source(project(sourceRepos=shuffled), url)


@given(patterns=_PATTERNS)
def test_one_more_denial_never_permits_what_was_denied(patterns):
    for url in ("https://a/x", "https://a/y", "https://b/z"):
        if patterns and not permits_source(project(sourceRepos=patterns), url):
            assert not permits_source(project(sourceRepos=[*patterns, f"!{url}"]), url)
