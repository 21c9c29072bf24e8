"""Documents as they are asked for: negotiation, caching, and what survives a change of CRDs."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.openapi import Documents, Published
from plumbline.base.clock import VirtualClock
from plumbline.base.json import decode

from .examples import GADGET, OPEN, THING, WIDGET, builtin, crd, everything, published_of, version

PROTOBUF_V2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
PROTOBUF_V3 = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
APPS = "/openapi/v3/apis/apps/v1"
OWN = "/openapi/v3/apis/documents.example.org/v1"


@pytest.fixture(scope="module")
def documents():
    return Documents(everything(), clock=VirtualClock())


def few(*crds, previous=None):
    return Documents([each for one in crds for each in published_of(one)], clock=VirtualClock(), previous=previous)


def index(documents):
    paths = decode(documents.answer("/openapi/v3").body)["paths"]
    return {path: each["serverRelativeURL"] for path, each in paths.items()}


def test_the_index_lists_versions_groups_and_roots(documents):
    paths = index(documents)
    assert list(paths) == sorted(paths)
    assert {"api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "version", "openid/v1/jwks"} <= paths.keys()
    assert "apis/documents.example.org/v1beta1" in paths
    assert "apis/documents.example.org" not in paths, "groups of CRDs have no document"
    assert "swagger" not in paths


def test_the_index_gives_the_address_under_which_a_document_is_good_for_ever(documents):
    address = index(documents)["apis/apps/v1"]
    path, wanted = address.split("?hash=")
    assert re.fullmatch("[0-9A-F]{128}", wanted)
    reply = documents.answer(path, wanted_hash=wanted, accept="application/json")
    assert reply.status == 200
    assert dict(reply.headers) == {
        "Vary": "Accept",
        "ETag": f'"{wanted}"',
        "Cache-Control": "public, immutable",
        "Expires": "Fri, 01 Jan 2027 00:00:00 GMT",
    }


def test_without_a_hash_a_document_may_change(documents):
    headers = dict(documents.answer(APPS).headers)
    assert headers.keys() == {"Vary", "ETag"}


def test_an_old_hash_leads_to_the_new_one(documents):
    reply = documents.answer(APPS, wanted_hash="OLD")
    assert (reply.status, reply.body) == (301, b"")
    assert dict(reply.headers)["Location"] == index(documents)["apis/apps/v1"]


@pytest.mark.parametrize("path", ["/openapi/v3", APPS, "/openapi/v2"])
def test_nothing_is_sent_again_to_who_has_it(documents, path):
    etag = dict(documents.answer(path).headers)["ETag"]
    for held in (etag, f'W/{etag}, "other"', "*"):
        reply = documents.answer(path, if_none_match=held)
        assert (reply.status, reply.body) == (304, b"")
    assert documents.answer(path, if_none_match='"other"').status == 200


ACCEPTED = [
    (APPS, "", 200, "application/json", "no preference"),
    (APPS, f"{PROTOBUF_V3}, application/json", 200, "application/json", "what there is"),
    (APPS, PROTOBUF_V3, 406, "", "a form that there is not"),
    (APPS, "text/html", 406, "", "another kind of document"),
    ("/openapi/v3", "text/html", 200, "application/json", "the index does not negotiate"),
    ("/openapi/v2", "", 200, "application/json", "no preference"),
    ("/openapi/v2", "text/html", 406, "", "another kind of document"),
    ("/openapi/v3/apis/nope/v1", "", 404, "", "a version that is not served"),
    ("/openapi/v3/swagger", "", 404, "", "nothing that has another address"),
    ("/openapi/v3/", "", 404, "", "nothing at all"),
]


@pytest.mark.parametrize(("path", "accept", "status", "kind", "why"), ACCEPTED, ids=[why for *_, why in ACCEPTED])
def test_forms_are_negotiated(documents, path, accept, status, kind, why):
    reply = documents.answer(path, accept=accept)
    assert (reply.status, reply.content_type) == (status, kind)
    assert bool(reply.body) is (status == 200)


@given(st.text(alphabet="/openapiv23.", max_size=30), st.text(max_size=20))
def test_every_path_gets_an_answer_or_none(path, accept):
    few(GADGET).answer(path, accept=accept, wanted_hash="x", if_none_match=accept)


def test_what_is_not_under_openapi_is_left_to_others(documents):
    assert documents.answer("/openapi") is None
    assert documents.answer("/apis") is None


def test_swagger_comes_as_protobuf_for_those_who_ask_and_under_the_name_without_the_at_sign(documents, monkeypatch):
    seen = []

    def encoded(document):
        seen.append(document)
        return b"protobuf"

    monkeypatch.setattr("plumbline.apiserver.protobuf.openapi_v2", encoded)
    made = few(WIDGET)
    for _ in range(2):
        reply = made.answer("/openapi/v2", accept=PROTOBUF_V2)
        assert reply.content_type == "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
        assert reply.body == b"protobuf"
    assert [each["swagger"] for each in seen] == ["2.0"]
    assert dict(reply.headers)["ETag"] == dict(made.answer("/openapi/v2").headers)["ETag"]


def test_a_document_of_built_in_kinds_has_paths_and_schemas(documents):
    found = decode(documents.answer(APPS).body)
    assert found["info"] == {"title": "Kubernetes", "version": "1.36"}
    assert "/apis/apps/v1/" in found["paths"]
    assert found["components"]["securitySchemes"].keys() == {"BearerToken"}
    patch = found["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"]
    assert "application/strategic-merge-patch+json" in patch["requestBody"]["content"]
    assert patch["x-kubernetes-group-version-kind"] == {"group": "apps", "version": "v1", "kind": "Deployment"}
    post = found["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments"]["post"]
    assert post["responses"].keys() == {"200", "201", "202", "401"}


def test_a_document_of_custom_kinds_has_their_lists_and_subresources(documents):
    found = decode(documents.answer(OWN).body)
    assert found["info"]["title"] == "Kubernetes CRD Swagger"
    assert "securitySchemes" not in found["components"]
    schemas = found["components"]["schemas"]
    widgets = schemas["org.example.documents.v1.WidgetCollection"]
    assert widgets["properties"]["items"]["items"] == {"$ref": "#/components/schemas/org.example.documents.v1.Widget"}
    assert widgets["x-kubernetes-selectable-fields"] == [{"fieldPath": "spec.color"}]
    assert "io.k8s.api.autoscaling.v1.Scale" in schemas
    below = "/apis/documents.example.org/v1/namespaces/{namespace}/widgets/{name}/"
    assert {f"{below}status", f"{below}scale"} <= found["paths"].keys()
    assert not any(path.startswith("/apis/documents.example.org/v1/watch") for path in found["paths"])


def test_every_reference_of_every_document_leads_somewhere(documents):
    for path in index(documents):
        body = documents.answer(f"/openapi/v3/{path}").body.decode()
        schemas = decode(body).get("components", {}).get("schemas", {})
        assert set(re.findall(r'"#/components/schemas/([^"]*)"', body)) <= schemas.keys(), path


def test_swagger_has_everything_in_one_document(documents):
    body = documents.answer("/openapi/v2").body.decode()
    found = decode(body)
    assert found.keys() == {
        "swagger", "info", "paths", "definitions", "parameters", "securityDefinitions", "security",
    }  # fmt: skip
    assert set(re.findall(r'"#/definitions/([^"]*)"', body)) <= found["definitions"].keys()
    assert set(re.findall(r'"#/parameters/([^"]*)"', body)) == found["parameters"].keys()
    assert {"/version/", "/apis/apps/v1/deployments", "/apis/documents.example.org/v1/gadgets"} <= found["paths"].keys()


def test_the_parameters_that_clients_look_for_are_not_behind_references(documents):
    patch = decode(documents.answer("/openapi/v2").body)["paths"]["/api/v1/namespaces/{name}"]["patch"]
    assert {"dryRun", "fieldValidation"} <= {each.get("name") for each in patch["parameters"]}


def test_versions_that_did_not_change_keep_their_documents():
    thing, gadget, widget = published_of(THING), published_of(GADGET), published_of(WIDGET)
    clock = VirtualClock()
    before = Documents([*thing, *gadget, *widget], clock=clock)
    again = Documents([Published(*each) for each in (*thing, *gadget, *widget)], clock=clock, previous=before)
    assert all(again.pages[path] is page for path, page in before.pages.items())
    after = Documents([*thing, *gadget, *published_of(WIDGET)], clock=clock, previous=again)
    same = {path for path, page in after.pages.items() if page is before.pages[path]}
    assert {"apis/a.big-corp.io/v1", "api", "version"} <= same
    assert not {"apis/documents.example.org/v1", "swagger", "swagger-protobuf"} & same


def test_a_hash_follows_the_schema():
    schema = {"type": "object", OPEN: True}
    one, same, other = (
        index(few(crd("x.example.org", "xs", "X", [version("v1", each, storage=True)])))["apis/x.example.org/v1"]
        for each in (schema, dict(schema), {"type": "object"})
    )
    assert one == same != other


def test_documents_are_built_when_asked_for_and_kept_compressed(documents):
    asked = Documents(builtin(), clock=VirtualClock())
    body = asked.answer("/openapi/v3/api/v1").body
    reply = asked.answer("/openapi/v3/api/v1")
    assert reply.body == body
    assert len(reply.gzipped) < len(body) / 5
    built = [path for path, page in asked.pages.items() if page._content is not None]
    assert built == ["api/v1"]


def test_a_custom_resource_in_a_built_in_version_is_beside_the_built_in_ones():
    zone = published_of(crd("networking.k8s.io", "zones", "Zone", [version("v1", {"type": "object"}, storage=True)]))
    mixed = Documents([*builtin(), *zone], clock=VirtualClock())
    found = decode(mixed.answer("/openapi/v3/apis/networking.k8s.io/v1").body)
    assert found["info"]["title"] == "Kubernetes"
    assert {"io.k8s.networking.v1.Zone", "io.k8s.api.networking.v1.Ingress"} <= found["components"]["schemas"].keys()
