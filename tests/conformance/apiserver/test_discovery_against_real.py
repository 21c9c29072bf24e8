"""Discovery and OpenAPI documents beside those of the real API server, which they must equal but for what is listed."""

import http.client
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from tests.apiserver.openapi.examples import CRDS, everything

from plumbline.apiserver import discovery, openapi
from plumbline.base.clock import SystemClock
from plumbline.base.json import Json, decode

pytestmark = pytest.mark.conformance

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_DEADLINE_S = 40


class Raw(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class Difference(NamedTuple):
    """Where a document may differ: *place* is a pattern for the path of a value, *said* one for the real value."""

    place: str
    said: str
    why: str


DIFFERENCES = (
    Difference(r"/parameters/\d+/description$", "", "parameters are described in words of our own"),
    Difference(
        r"/description$", "Possible enum values", "values are listed, but not explained: the catalog has no words"
    ),
    Difference(r"/(?:[\w.]+\.)(Quantity|IntOrString)/description$", "", "the catalog has no words for these two"),
    Difference(
        r"/(apiVersion|kind)/description$", r"^(apiVersion|kind) ", "embedded objects are described like others"
    ),
)
STORED_IN_ANOTHER_VERSION = {
    "customresourcedefinitions": "upstream still stores v1beta1",
    "mutatingadmissionpolicies": "upstream still stores v1beta1",
    "mutatingadmissionpolicybindings": "upstream still stores v1beta1",
}


def fetch(cluster, path, **headers) -> Raw:
    where = urlsplit(cluster.url)
    connection = http.client.HTTPSConnection(where.hostname or "", where.port, context=cluster.tls, timeout=30)
    try:
        connection.request("GET", path, headers={"User-Agent": "conformance/1", **headers})
        reply = connection.getresponse()
        return Raw(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
    finally:
        connection.close()


def differences(ours: Json, theirs: Json, place: str = "") -> Iterator[tuple[str, Json, Json]]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(key), theirs.get(key), f"{place}/{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(*pair, f"{place}/{number}")
    elif ours != theirs:
        yield place, ours, theirs


def unexplained(ours: Json, theirs: Json) -> list[str]:
    return [
        f"{place}: {str(own)[:200]} instead of {str(real)[:200]}"
        for place, own, real in differences(ours, theirs)
        if not any(re.search(each.place, place) and re.search(each.said, str(real)) for each in DIFFERENCES)
    ]


@pytest.fixture(scope="module")
def served(real_cluster):
    """The real server with the CRDs of the examples, once its documents have caught up with them."""
    for definition in CRDS:
        answer = real_cluster.post(DEFINITIONS, definition)
        assert answer.status in {201, 409}, answer.body
    clock = SystemClock()
    until = clock.monotonic() + _DEADLINE_S
    while clock.monotonic() < until:
        swagger = fetch(real_cluster, "/openapi/v2").body
        groups = fetch(real_cluster, "/openapi/v3").body + fetch(real_cluster, "/apis").body
        document = fetch(real_cluster, "/openapi/v3/apis/documents.example.org/v1").body
        if all(_shown(each, swagger, groups, document) for each in CRDS):
            return real_cluster
    raise AssertionError(f"the examples are not published after {_DEADLINE_S} s")


def _shown(definition, swagger, groups, document):
    spec = definition["spec"]
    name = f'{".".join(reversed(spec["group"].split(".")))}.v1.{spec["names"]["kind"]}"'.encode()
    own = spec["group"] != "documents.example.org" or name in document
    listed = [f'"apis/{spec["group"]}/{each["name"]}"' for each in spec["versions"] if each["served"]]
    published = all(each.encode() in groups for each in listed)
    return own and published and name in swagger and groups.count(f"{spec['group']}/v1".encode()) >= 2


@pytest.fixture(scope="module")
def found(real_cluster):
    address = urlsplit(real_cluster.url).netloc
    return discovery.Documents([each.resource for each in everything()], address=address)


@pytest.fixture(scope="module")
def documents():
    return openapi.Documents(everything(), clock=SystemClock())


def test_the_core_group_is_the_same_to_the_byte_in_every_form(served, found):
    for path, accept in (("/api", ""), ("/api/v1", ""), ("/api", AGGREGATED)):
        theirs, ours = fetch(served, path, Accept=accept or "application/json"), found.answer(path, accept)
        assert ours.body == theirs.body, (path, accept)
        assert ours.content_type == theirs.headers["content-type"]
        assert {name.lower(): value for name, value in ours.headers}.items() <= theirs.headers.items()


def test_nothing_is_sent_again_to_who_has_it(served, found):
    etag = dict(found.answer("/api", AGGREGATED).headers)["ETag"]
    theirs = fetch(served, "/api", **{"Accept": AGGREGATED, "If-None-Match": etag})
    ours = found.answer("/api", AGGREGATED, etag)
    assert (ours.status, ours.body) == (theirs.status, theirs.body) == (304, b"")


def test_groups_and_their_aggregated_resources_are_the_same_in_the_same_order(served, found):
    ours, theirs = decode(found.answer("/apis").body), decode(fetch(served, "/apis").body)
    names = [each["name"] for each in ours["groups"]]
    assert ours["groups"] == [each for each in theirs["groups"] if each["name"] in names]
    ours = decode(found.answer("/apis", AGGREGATED).body)
    theirs = decode(fetch(served, "/apis", Accept=AGGREGATED).body)
    theirs["items"] = [each for each in theirs["items"] if each["metadata"]["name"] in names]
    assert unexplained(ours, theirs) == []


def test_every_group_and_version_lists_the_same_resources(served, found):
    for group in decode(found.answer("/apis").body)["groups"]:
        path = f"/apis/{group['name']}"
        assert found.answer(path).body == fetch(served, path).body
        for version in group["versions"]:
            path = f"/apis/{version['groupVersion']}"
            ours, theirs = decode(found.answer(path).body), decode(fetch(served, path).body)
            assert _by_name(ours.pop("resources")) == _by_name(theirs.pop("resources")), path
            assert ours == theirs


def _by_name(resources):
    """Custom ones come in no particular order; hashes name the version in which this server or that stores them."""
    return {
        each["name"]: {**each, "storageVersionHash": ""} if each["name"] in STORED_IN_ANOTHER_VERSION else each
        for each in resources
    }


def test_the_version_has_the_same_parts(served, found):
    ours, theirs = decode(found.answer("/version").body), decode(fetch(served, "/version").body)
    assert list(ours) == list(theirs)
    assert [ours[each] for each in ("major", "minor", "gitVersion", "minCompatibilityMinor")] == [
        theirs[each] for each in ("major", "minor", "gitVersion", "minCompatibilityMinor")
    ]


def test_the_root_lists_no_path_that_the_real_one_does_not_list(served, found):
    theirs = set(decode(fetch(served, "/").body)["paths"])
    ours = set(decode(found.answer("/").body)["paths"])
    assert ours <= theirs
    assert {path for path in theirs if path.startswith("/apis") and _known(path)} <= ours


def _known(path):
    """Other tests have CRDs of their own; their groups are not compared."""
    root, group = f"{path}//".split("/")[1:3]
    return root != "apis" or group in {"", *(each.resource.kind.group for each in everything())}


def test_the_index_of_documents_is_the_same(served, documents):
    ours = decode(documents.answer("/openapi/v3").body)["paths"]
    theirs = decode(fetch(served, "/openapi/v3").body)["paths"]
    assert ours.keys() == {path for path in theirs if not path.startswith("apis/") or _known(f"/{path}")}
    for path, each in ours.items():
        assert each["serverRelativeURL"].split("=")[0] == theirs[path]["serverRelativeURL"].split("=")[0]


def test_openapi_documents_are_the_same(served, documents):
    for path in decode(documents.answer("/openapi/v3").body)["paths"]:
        ours = decode(documents.answer(f"/openapi/v3/{path}").body)
        assert unexplained(ours, decode(fetch(served, f"/openapi/v3/{path}").body)) == [], path


def test_swagger_is_the_same(served, documents):
    ours, theirs = decode(documents.answer("/openapi/v2").body), decode(fetch(served, "/openapi/v2").body)
    ours, theirs = _inlined(ours, ours.pop("parameters")), _inlined(theirs, theirs.pop("parameters"))
    theirs["paths"] = {path: each for path, each in theirs["paths"].items() if path in ours["paths"] or _known(path)}
    names = {name for name in theirs["definitions"] if name.startswith(("io.k8s.api", "io.k8s.kube-"))}
    theirs["definitions"] = {name: theirs["definitions"][name] for name in names | ours["definitions"].keys()}
    assert unexplained(ours, theirs) == []


def _inlined(value: Json, parameters: Json) -> Json:
    if isinstance(value, list):
        return [_inlined(each, parameters) for each in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/parameters/"):
        return parameters[reference.removeprefix("#/parameters/")]
    return {key: _inlined(each, parameters) for key, each in value.items()}


HEADERS = [
    ({}, False, 200, "a document that may change"),
    ({}, True, 200, "one that will not"),
    ({"Accept": "text/html"}, False, 406, "a form that there is not"),
]


@pytest.mark.parametrize(("asked", "hashed", "status", "why"), HEADERS, ids=[why for *_, why in HEADERS])
def test_documents_are_served_with_the_same_headers(served, documents, asked, hashed, status, why):
    path = "/openapi/v3/apis/apps/v1"
    index = decode(fetch(served, "/openapi/v3").body)["paths"]
    theirs = fetch(served, index["apis/apps/v1"]["serverRelativeURL"] if hashed else path, **asked)
    wanted = documents.pages["apis/apps/v1"].digest if hashed else ""
    ours = documents.answer(path, wanted_hash=wanted, accept=asked.get("Accept", ""))
    assert ours.status == theirs.status == status
    assert ours.content_type == theirs.headers.get("content-type", "")
    own = dict(ours.headers)
    assert own["Vary"] == theirs.headers["vary"]
    assert ("ETag" in own, "Expires" in own) == ("etag" in theirs.headers, "expires" in theirs.headers)
    assert own.get("Cache-Control", "no-cache, private") == theirs.headers["cache-control"]


def test_an_old_hash_leads_to_the_new_one(served, documents):
    path = "/openapi/v3/apis/apps/v1"
    theirs, ours = fetch(served, f"{path}?hash=OLD"), documents.answer(path, wanted_hash="OLD")
    assert (ours.status, ours.body) == (theirs.status, theirs.body) == (301, b"")
    address = dict(ours.headers)["Location"]
    assert address.split("=")[0] == theirs.headers["location"].split("=")[0]


def test_a_version_that_is_not_served_has_no_document(served, documents):
    path = "/openapi/v3/apis/nope/v1"
    theirs, ours = fetch(served, path), documents.answer(path)
    assert (ours.status, ours.body) == (theirs.status, theirs.body) == (404, b"")
