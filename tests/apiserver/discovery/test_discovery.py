"""Discovery documents and how they are asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.discovery import Documents, ServerVersion
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.resources.resource import STATUS_VERBS, Resource, Subresource
from plumbline.base.json import decode
from plumbline.kube.names import GroupVersion, GroupVersionKind

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
KUBECTL = f"{AGGREGATED},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
SCALE = GroupVersionKind("autoscaling", "v1", "Scale")


def widget(version="v1", **more):
    kind = GroupVersionKind("example.org", version, "Widget")
    below = {"scale": Subresource("scale", SCALE, STATUS_VERBS), "status": Subresource("status", kind, STATUS_VERBS)}
    named = {"singular": "widget", "namespaced": True, "short_names": ("wd",), "categories": ("all",)}
    return Resource(kind, "widgets", **{**named, "subresources": below, "custom": True, **more})


@pytest.fixture(scope="module")
def documents():
    return Documents([*builtin_resources(), widget(), widget("v1beta1", storage_version="v1")], address="10.0.0.1:443")


def body(documents, path, accept=""):
    return decode(documents.answer(path, accept).body)


NOTHING = [
    ("/apis/nope", "a group that is not served"),
    ("/apis/apps/v9", "a version that is not served"),
    ("/api/v2", "a version of the core group that is not served"),
    ("/apis//v1", "the core group is not under /apis"),
    ("/apis//", "nor is it a group there"),
    ("/apis/apps/v1/deployments", "a collection"),
    ("/api/v1/namespaces", "a collection"),
    ("/healthz", "somebody else's"),
    ("/openapi/v3", "somebody else's"),
    ("", "no path at all"),
    ("xapis", "a path begins with a slash"),
    ("//apis", "and with one only"),
]


@pytest.mark.parametrize(("path", "why"), NOTHING, ids=[f"{path}: {why}" for path, why in NOTHING])
def test_what_is_no_discovery_document_is_left_to_others(documents, path, why):
    assert documents.answer(path) is None


@given(path=st.text(alphabet="/apisv1core.", max_size=30), accept=st.text(max_size=30), tag=st.text(max_size=10))
def test_every_path_gets_an_answer_or_none(path, accept, tag):
    Documents([widget()]).answer(path, accept, tag)


@pytest.mark.parametrize("path", ["/api", "/apis", "/apis/apps", "/apis/apps/v1", "/api/v1", "/version"])
def test_a_slash_at_the_end_changes_nothing(documents, path):
    assert documents.answer(f"{path}/").body == documents.answer(path).body


def test_the_core_group_says_where_the_server_is(documents):
    assert body(documents, "/api") == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "10.0.0.1:443"}],
    }


def test_a_server_without_a_core_group_has_no_versions_of_it():
    assert body(Documents([widget()]), "/api")["versions"] == []


def test_groups_are_listed_without_the_core_group(documents):
    groups = body(documents, "/apis")["groups"]
    assert groups[0]["name"] == "apiregistration.k8s.io"
    assert groups[-1] == {
        "name": "example.org",
        "versions": [
            {"groupVersion": "example.org/v1", "version": "v1"},
            {"groupVersion": "example.org/v1beta1", "version": "v1beta1"},
        ],
        "preferredVersion": {"groupVersion": "example.org/v1", "version": "v1"},
    }
    assert body(documents, "/apis/example.org") == {"kind": "APIGroup", "apiVersion": "v1", **groups[-1]}


def test_only_the_core_group_lists_its_resources_without_an_api_version(documents):
    assert "apiVersion" not in body(documents, "/api/v1")
    assert body(documents, "/apis/apps/v1")["apiVersion"] == "v1"


ROWS = [
    (
        "/api/v1",
        "pods/eviction",
        {"namespaced": True, "group": "policy", "version": "v1", "kind": "Eviction", "verbs": ["create"]},
        "a subresource that speaks a kind of another group",
    ),
    (
        "/api/v1",
        "pods/status",
        {"namespaced": True, "kind": "Pod", "verbs": ["get", "patch", "update"]},
        "a subresource that speaks the kind of its resource",
    ),
    (
        "/api/v1",
        "bindings",
        {"singularName": "binding", "namespaced": True, "kind": "Binding", "verbs": ["create"]},
        "what is not stored has no hash of its storage version",
    ),
    (
        "/apis/example.org/v1",
        "widgets",
        {
            "singularName": "widget",
            "namespaced": True,
            "kind": "Widget",
            "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
            "shortNames": ["wd"],
            "categories": ["all"],
            "storageVersionHash": "UBpgYKpyMCc=",
        },
        "custom resources list their verbs in an order of their own",
    ),
]


@pytest.mark.parametrize(("path", "name", "row", "why"), ROWS, ids=[why for *_, why in ROWS])
def test_resources_are_listed_as_upstream_lists_them(documents, path, name, row, why):
    found = {each["name"]: each for each in body(documents, path)["resources"]}
    assert found[name] == {"name": name, "singularName": "", **row}


HASHES = [
    ("/apis/apps/v1", "controllerrevisions", "85nkx63pcBU=", "a plain one"),
    ("/api/v1", "configmaps", "qFsyl6wFWjQ=", "of the core group"),
    ("/apis/events.k8s.io/v1", "events", "r2yiGXH7wu8=", "stored in another group"),
    ("/apis/autoscaling/v1", "horizontalpodautoscalers", "qwQve8ut294=", "stored in another version"),
    ("/apis/example.org/v1beta1", "widgets", "UBpgYKpyMCc=", "one hash for all versions of a CRD"),
]


@pytest.mark.parametrize(("path", "name", "hashed", "why"), HASHES, ids=[why for *_, why in HASHES])
def test_storage_versions_are_hashed_as_upstream_hashes_them(documents, path, name, hashed, why):
    found = {each["name"]: each.get("storageVersionHash") for each in body(documents, path)["resources"]}
    assert found[name] == hashed


def test_a_storage_version_that_is_not_served_is_not_hashed():
    listing = body(Documents([widget(storage_version="v2")]), "/apis/example.org/v1")
    assert "storageVersionHash" not in listing["resources"][0]


def test_a_crd_on_its_way_out_offers_fewer_verbs():
    listing = body(Documents([widget(verbs=("list", "get", "delete"))]), "/apis/example.org/v1")
    assert listing["resources"][0]["verbs"] == ["delete", "get", "list"]


def test_all_groups_come_at_once_for_those_who_ask(documents):
    reply = documents.answer("/apis", KUBECTL)
    assert reply.content_type == AGGREGATED
    assert dict(reply.headers).keys() == {"ETag", "Vary", "Cache-Control"}
    items = decode(reply.body)["items"]
    versions = items[-1]["versions"]
    assert items[-1]["metadata"] == {"name": "example.org"}
    assert [each["version"] for each in versions] == ["v1", "v1beta1"]
    assert versions[0]["freshness"] == "Current"
    (found,) = versions[0]["resources"]
    assert found["scope"] == "Namespaced"
    assert [each["subresource"] for each in found["subresources"]] == ["status", "scale"]
    assert found["responseKind"] == {"group": "example.org", "version": "v1", "kind": "Widget"}


def test_built_in_resources_leave_out_their_own_group_in_response_kinds(documents):
    (core,) = decode(documents.answer("/api", AGGREGATED).body)["items"]
    assert core["metadata"] == {}
    pods = next(each for each in core["versions"][0]["resources"] if each["resource"] == "pods")
    assert pods["responseKind"] == {"group": "", "version": "", "kind": "Pod"}
    kinds = {each["subresource"]: each["responseKind"] for each in pods["subresources"]}
    assert kinds["eviction"] == {"group": "policy", "version": "v1", "kind": "Eviction"}


def test_nothing_is_sent_again_to_who_has_it(documents):
    etag = dict(documents.answer("/apis", AGGREGATED).headers)["ETag"]
    again = documents.answer("/apis", AGGREGATED, etag)
    assert (again.status, again.body, again.content_type) == (304, b"", "")
    assert dict(again.headers)["ETag"] == etag
    assert documents.answer("/apis", AGGREGATED, '"another"').status == 200
    assert documents.answer("/apis", "application/json", etag).status == 200, "other documents have no tag"


def test_the_tag_follows_what_is_served(documents):
    def tag(resources):
        return dict(Documents(resources).answer("/apis", AGGREGATED).headers)["ETag"]

    assert tag([widget()]) == tag([widget()])
    assert tag([widget()]) != tag([widget(short_names=())])


REFUSED = [
    ("/apis", "text/html", "another kind of document"),
    ("/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", "a version that is gone"),
    ("/apis/apps", AGGREGATED, "one group does not come aggregated"),
    ("/apis/apps/v1", "application/json;as=Table;g=meta.k8s.io;v=v1", "nor as a table"),
    ("/version", "text/html", "versions are JSON as well"),
]


@pytest.mark.parametrize(("path", "accept", "why"), REFUSED, ids=[why for *_, why in REFUSED])
def test_a_form_that_there_is_not_is_refused(documents, path, accept, why):
    reply = documents.answer(path, accept)
    assert reply.status == 406
    assert decode(reply.body)["reason"] == "NotAcceptable"


def test_old_clients_that_ask_for_a_form_that_is_gone_get_the_plain_one(documents):
    beta = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
    assert body(documents, "/apis", beta)["kind"] == "APIGroupList"


def test_the_version_is_what_clients_compare(documents):
    found = body(documents, "/version")
    assert (found["major"], found["minor"], found["gitVersion"]) == ("1", "36", "v1.36.3")
    assert found["platform"].count("/") == 1
    assert body(Documents([], version=ServerVersion(minor="99")), "/version")["minor"] == "99"


def test_the_root_lists_every_path_there_is(documents):
    paths = body(documents, "/")["paths"]
    assert paths == sorted(paths)
    expected = {"/api", "/api/v1", "/apis", "/apis/apps/v1", "/apis/example.org", "/openapi/v3", "/version"}
    assert expected <= set(paths)
    assert body(Documents([], other_paths=["/x"]), "/")["paths"] == ["/api", "/apis", "/apis/", "/x"]


def test_versions_that_did_not_change_keep_their_pages():
    kept, changed = [widget("v1"), widget("v2", storage_version="v2")], widget("v3", storage_version="v3")
    before = Documents([*kept, widget("v3", storage_version="v3")])
    after = Documents([*kept, changed], previous=before)
    same = {name.version: after.pages[name] is before.pages[name] for name in after.pages}
    assert same == {"v1": True, "v2": True, "v3": False}


def test_a_page_is_made_anew_when_its_storage_version_is_no_longer_served():
    stored = widget("v1")
    beta = widget("v1beta1", storage_version="v1")
    before = Documents([stored, beta])
    after = Documents([beta], previous=before)
    name = GroupVersion("example.org", "v1beta1")
    assert after.pages[name] is not before.pages[name]


def test_large_documents_are_kept_compressed(documents):
    large, small = documents.answer("/apis", AGGREGATED), documents.answer("/apis/apps")
    assert large.gzipped is not None
    assert len(large.gzipped) < len(large.body) / 4
    assert small.gzipped is None
    assert repr(small) == "DiscoveryReply(200, 'application/json')"
