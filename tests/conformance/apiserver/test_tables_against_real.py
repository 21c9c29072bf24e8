"""The server's own Tables, byte by byte: columns, cells, rows, replies and events."""

import http.client
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from subprocess import run
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import msgspec
import pytest
from tests.conformance.real import MERGE_PATCH, RealCluster

from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.resources.resource import Resource
from plumbline.apiserver.tables import (
    custom_columns,
    partial_metadata,
    partial_metadata_list_bytes,
    row_table_bytes,
    scale_columns,
    table_bytes,
)
from plumbline.apiserver.tables.builtin import builtin_printer
from plumbline.base.json import decode
from plumbline.kube.names import GroupVersionKind

from .tables_corpus import AUTOSCALING, CORPUS, NAMESPACE, Entry, signing_requests

pytestmark = pytest.mark.conformance

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
OLD_TABLE = "application/json;as=Table;v=v1beta1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
PLAIN = "application/json"
TRIES = 4
LISTED = [resource for resource in builtin_resources() if "list" in resource.verbs]
# The server probes its components side by side and lists them in the order in which they answered.
ORDERED = [resource for resource in LISTED if resource.kind.kind != "ComponentStatus"]


class Reply(NamedTuple):
    status: int
    body: bytes
    at: datetime


class _List(msgspec.Struct):
    metadata: dict
    items: list[msgspec.Raw]

    def objects(self) -> list[bytes]:
        return [bytes(item) for item in self.items]


class _Row(msgspec.Struct):
    cells: list
    object: msgspec.Raw


class _Event(msgspec.Struct):
    object: msgspec.Raw


class _Table(msgspec.Struct):
    columns: msgspec.Raw = msgspec.field(name="columnDefinitions")
    rows: list[_Row] | None


def ask(cluster: RealCluster, path: str, accept: str, **query: str) -> Reply:
    where = urlsplit(cluster.url)
    connection = http.client.HTTPSConnection(where.hostname or "", where.port, context=cluster.tls, timeout=30)
    try:
        connection.request("GET", f"{path}?{urlencode(query)}" if query else path, headers={"Accept": accept})
        reply = connection.getresponse()
        body = reply.read()
        return Reply(reply.status, body.removesuffix(b"\n"), parsedate_to_datetime(reply.getheader("Date")))
    finally:
        connection.close()


def moments(reply: Reply) -> Iterator[datetime]:
    """The Date of a reply is whole seconds: what it prints was true in the second that it names, or just before."""
    for tenths in range(-5, 11):
        yield reply.at + timedelta(seconds=tenths / 10)


def same(reply: Reply, ours: Callable[[datetime], bytes]) -> bool:
    return any(ours(moment) == reply.body for moment in moments(reply))


def agree(told: Callable[[], tuple[Reply, Callable[[datetime], bytes]]]) -> None:
    """A second may end while the server writes its rows, so that no single moment explains them: ask again."""
    for _ in range(TRIES):
        reply, ours = told()
        if same(reply, ours):
            return
    assert ours(reply.at).decode() == reply.body.decode()


def collection(resource: Resource) -> str:
    return f"{resource.name.root}/{resource.plural}"


@pytest.fixture(scope="module")
def signing_request(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("request")
    argv = ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    run([*argv, "-keyout", folder / "key", "-out", folder / "csr", "-subj", "/CN=x"], check=True, capture_output=True)
    encoded = run(["base64", "-w0", folder / "csr"], check=True, capture_output=True)
    return encoded.stdout.decode()


def plant(cluster: RealCluster, entry: Entry) -> list[str]:
    """Bring it about, and say what the server refused."""
    path = f"{entry.path}/{entry.body['metadata']['name']}"
    answers = [made := cluster.post(entry.path, entry.body)]
    if entry.status is not None and entry.subresource == "approval":
        answers.append(cluster.put(f"{path}/approval", {**made.body, "status": entry.status}))
    elif entry.status is not None:
        answers.append(cluster.patch(f"{path}/status", {"status": entry.status}, MERGE_PATCH))
    if entry.deleted:
        answers.append(cluster.send("DELETE", path))
    return [f"{path}: {answer.body['message']}" for answer in answers if not answer.fine]


@pytest.fixture(scope="module")
def planted(tmp_path_factory, signing_request) -> Iterator[RealCluster]:
    """A cluster of its own: what is planted here (defaults, quotas, policies) would be in the way of others."""
    cluster = RealCluster(tmp_path_factory.mktemp("tables"))
    try:
        cluster.start()
        assert cluster.post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}}).fine
        entries = [*CORPUS, *signing_requests(signing_request)]
        refusals = [refusal for entry in entries for refusal in plant(cluster, entry)]
        assert not refusals, "\n".join(refusals)
        yield cluster
    finally:
        cluster.stop()


@pytest.mark.parametrize("resource", LISTED, ids=repr)
def test_columns_are_the_servers_to_the_byte(planted, resource):
    reply = ask(planted, collection(resource), TABLE, limit="1")
    assert builtin_printer(resource.kind).header == bytes(msgspec.json.decode(reply.body, type=_Table).columns)


@pytest.mark.parametrize("resource", ORDERED, ids=repr)
def test_a_list_is_the_servers_to_the_byte(planted, resource):
    def told():
        listed = msgspec.json.decode(ask(planted, collection(resource), PLAIN).body, type=_List)
        reply = ask(planted, collection(resource), TABLE)
        metadata = decode(reply.body)["metadata"]
        return reply, lambda now: table_bytes(resource.kind, listed.objects(), list_metadata=metadata, now=now)

    agree(told)


def test_the_corpus_fills_enough_rows(planted):
    rows = 0
    for resource in LISTED:
        table = msgspec.json.decode(ask(planted, collection(resource), TABLE).body, type=_Table)
        rows += len(table.rows or [])
    assert rows >= 300


VARIANTS = [
    ("/api/v1/namespaces/{ns}/pods", GroupVersionKind("", "v1", "Pod")),
    ("/apis/apps/v1/namespaces/{ns}/daemonsets", GroupVersionKind("apps", "v1", "DaemonSet")),
    ("/api/v1/namespaces/{ns}/events", GroupVersionKind("", "v1", "Event")),
    ("/apis/events.k8s.io/v1/namespaces/{ns}/events", GroupVersionKind("events.k8s.io", "v1", "Event")),
    ("/api/v1/namespaces/{ns}/limitranges", GroupVersionKind("", "v1", "LimitRange")),
    ("/apis/apiregistration.k8s.io/v1/apiservices", GroupVersionKind("apiregistration.k8s.io", "v1", "APIService")),
]
paths = pytest.mark.parametrize(("path", "kind"), VARIANTS, ids=[kind.kind for _, kind in VARIANTS])


def listed(cluster: RealCluster, path: str, **query: str) -> tuple[list[bytes], dict]:
    found = msgspec.json.decode(ask(cluster, path, PLAIN, **query).body, type=_List)
    return found.objects(), found.metadata


@pytest.mark.parametrize("include", ["None", "Metadata", "Object"])
@pytest.mark.parametrize(("accept", "version"), [(TABLE, "v1"), (OLD_TABLE, "v1beta1")], ids=["v1", "v1beta1"])
@paths
def test_rows_carry_as_much_of_their_object_as_asked_for(planted, path, kind, accept, version, include):
    where = path.format(ns=NAMESPACE)
    whole = decode(ask(planted, where, TABLE, includeObject="Object").body)
    names = [row["object"]["metadata"]["name"] for row in whole["rows"]]
    objects = [ask(planted, f"{where}/{name}", PLAIN).body for name in names]

    def told():
        reply = ask(planted, where, accept, includeObject=include)
        metadata = decode(reply.body)["metadata"]
        return reply, lambda now: table_bytes(
            kind, objects, list_metadata=metadata, now=now, include=include, version=version
        )

    agree(told)


@paths
def test_one_object_is_a_table_of_one_row(planted, path, kind):
    where = path.format(ns=NAMESPACE)
    name = decode(listed(planted, where)[0][-1])["metadata"]["name"]
    obj = ask(planted, f"{where}/{name}", PLAIN).body

    def told():
        return ask(planted, f"{where}/{name}", TABLE), lambda now: row_table_bytes(kind, obj, now=now)

    agree(told)


@paths
def test_a_page_says_where_it_goes_on(planted, path, kind):
    where = path.format(ns=NAMESPACE)
    objects, _ = listed(planted, where, limit="1")

    def told():
        reply = ask(planted, where, TABLE, limit="1")
        metadata = decode(reply.body)["metadata"]
        return reply, lambda now: table_bytes(kind, objects, list_metadata=metadata, now=now)

    agree(told)


@pytest.mark.parametrize("include", ["None", "Metadata"])
@pytest.mark.parametrize(
    ("path", "kind"), [VARIANTS[0], VARIANTS[1], VARIANTS[-1]], ids=["Pod", "DaemonSet", "APIService"]
)
def test_events_of_a_watch_are_tables_too(planted, path, kind, include):
    """With a bookmark at the end, whose row is that of an object without anything."""
    where = path.format(ns=NAMESPACE)
    query = {
        "watch": "true",
        "timeoutSeconds": "1",
        "sendInitialEvents": "true",
        "allowWatchBookmarks": "true",
        "resourceVersionMatch": "NotOlderThan",
    }
    plain = ask(planted, where, PLAIN, **query).body.splitlines()
    objects = [bytes(msgspec.json.decode(line, type=_Event).object) for line in plain]

    def told():
        reply = ask(planted, where, TABLE, includeObject=include, **query)
        kinds = [decode(line)["type"] for line in reply.body.splitlines()]
        bookmark = decode(reply.body.splitlines()[-1])["object"]["metadata"]["resourceVersion"]
        last = decode(objects[-1])
        last["metadata"]["resourceVersion"] = bookmark
        seen = [*objects[:-1], last]

        def ours(now: datetime) -> bytes:
            tables = (
                row_table_bytes(kind, obj, now=now, first=not index, include=include) for index, obj in enumerate(seen)
            )
            return b"\n".join(
                b'{"type":"%b","object":%b}' % (event.encode(), table)
                for event, table in zip(kinds, tables, strict=True)
            )

        return reply, ours

    agree(told)


@paths
def test_objects_are_cut_down_to_their_metadata(planted, path, kind):
    where = path.format(ns=NAMESPACE)
    objects, _ = listed(planted, where)
    reply = ask(planted, where, PARTIAL_LIST)
    metadata = decode(reply.body)["metadata"]
    assert partial_metadata_list_bytes(objects, metadata, kind=kind) == reply.body
    name = decode(objects[0])["metadata"]["name"]
    assert partial_metadata(objects[0], kind=kind) == ask(planted, f"{where}/{name}", PARTIAL).body


def test_an_empty_list_has_no_items_rather_than_none(planted):
    for path, kind in [("pods", "Pod"), ("limitranges", "LimitRange")]:
        where = f"/api/v1/namespaces/default/{path}"
        reply, gvk = ask(planted, where, TABLE), GroupVersionKind("", "v1", kind)
        metadata = decode(reply.body)["metadata"]
        assert table_bytes(gvk, [], list_metadata=metadata, now=reply.at) == reply.body
        partial = ask(planted, where, PARTIAL_LIST)
        assert partial_metadata_list_bytes([], decode(partial.body)["metadata"]) == partial.body


def test_scales_have_columns_of_their_own(planted):
    where = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/ready/scale"
    kind = GroupVersionKind("autoscaling", "v1", "Scale")
    obj = ask(planted, where, PLAIN).body
    agree(lambda: (ask(planted, where, TABLE), lambda now: row_table_bytes(kind, obj, now=now)))


def test_an_autoscaler_is_printed_alike_in_either_version(planted):
    """But for the order of its metrics, of which v1 keeps one apart; only those with one are compared here."""
    single = {f"horizontalpodautoscalers/{entry.body['metadata']['name']}" for entry in AUTOSCALING[:-1]}
    for name in sorted(single):
        where = f"/apis/autoscaling/v1/namespaces/{NAMESPACE}/{name}"
        obj = ask(planted, where, PLAIN).body
        kind = GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler")
        agree(lambda: (ask(planted, where, TABLE), lambda now: row_table_bytes(kind, obj, now=now)))  # noqa: B023 - used at once


THING = {
    "text": "a <b> & c",
    "empty": "",
    "nothing": None,
    "whole": 7,
    "million": 1000000,
    "broken": 2.5,
    "round": 3.0,
    "big": 1e6,
    "huge": 1e30,
    "tiny": 0.00001,
    "negative": -1.25,
    "yes": True,
    "no": False,
    "when": "2020-02-29T12:00:00Z",
    "soon": "2999-01-01T00:00:00+02:00",
    "fraction": "2021-01-01T00:00:00.5-07:00",
    "comma": "2021-01-01T00:00:00,5Z",
    "short-hour": "2021-01-01T3:00:00Z",
    "never": "0001-01-01T00:00:00Z",
    "null-word": "null",
    "not-a-day": "2021-02-30T00:00:00Z",
    "map": {"b": 1, "a": "<x>", "f": 2.0, "deep": {"list": [1, 2.5]}},
    "list": ["first", "second", "third"],
    "numbers": [5, 6, 7],
    "dotted.key": "dot",
    "under_score": "under",
    "conditions": [
        {"type": "Ready", "status": "True", "count": 3},
        {"type": "Synced", "status": "False", "count": 5, "extra": "x"},
        {"type": "Healthy", "status": "True", "count": 7},
    ],
    "nested": [[1, 2], [3, 4]],
    "none": [],
    "mixed": [{"v": 1}, {"v": "one"}, {"v": 1.0}, {"v": True}],
}
PLAIN_PATHS = [f".spec.{name}" for name in THING if "." not in name]
PATHS = [
    *PLAIN_PATHS,
    ".metadata.name",
    ".metadata.creationTimestamp",
    ".metadata.labels",
    ".missing",
    ".spec.missing.more",
    ".spec.text.more",
    ".",
    ".spec.list[0]",
    ".spec.list[-1]",
    ".spec.list[1:]",
    ".spec.list[:2]",
    ".spec.list[::2]",
    ".spec.list[*]",
    ".spec.list[5]",
    ".spec.list[2:1]",
    ".spec.list[0:0]",
    ".spec.list[-5]",
    ".spec.list[0,2]",
    ".spec.list[0:3:0]",
    ".spec.text[0]",
    ".spec.none[0]",
    ".spec.none[*]",
    ".spec.numbers[1]",
    ".spec.nested[1][0]",
    ".spec.nested[*][1]",
    ".spec.dotted\\.key",
    ".spec['dotted\\.key']",
    ".spec['text']",
    ".spec['text','whole']",
    ".spec.conditions[0].status",
    ".spec.conditions[*].type",
    '.spec.conditions[?(@.type=="Ready")].status',
    ".spec.conditions[?(@.type=='Synced')].status",
    '.spec.conditions[?(@.type!="Ready")].type',
    ".spec.conditions[?(@.count>3)].type",
    ".spec.conditions[?(@.count>=7)].type",
    ".spec.conditions[?(@.count<4)].type",
    ".spec.conditions[?(@.count<=3)].count",
    ".spec.conditions[?(@.count>3.5)].type",
    ".spec.conditions[?(@.extra)].type",
    ".spec.conditions[?(@.missing)].type",
    ".spec.conditions[?(@.type[0])].type",
    '.spec.conditions[?(@.type=="Gone")].status',
    '.spec.conditions[?(@.type=="Ready")]',
    '.spec.map[?(@.a=="x")]',
    ".spec.mixed[?(@.v==1)].v",
    '.spec.mixed[?(@.v=="one")].v',
    ".spec.mixed[?(@.v==true)].v",
    ".spec.conditions[?(@.status==@.status)].type",
    "..status",
    "..type",
    ".spec..count",
    ".spec.nothing.x",
    ".spec.nothing[0]",
    ".spec.map.*",
    ".spec.numbers.*",
    '.spec.text "and"',
    ".spec.text}{.spec.whole",
    ".spec.text} and {.missing",
    ".spec.text}{.spec.text[0]",
    ".spec.text range",
    ".spec.list[ 0 ]",
    ".spec.list[0].",
    ".spec.@.text",
    ".spec .text",
    ".spec.$.whole",
]
BROKEN_PATHS = [
    ".spec.list[",
    ".spec[a]",
    ".spec.list[?(@.x",
    ".spec....x",
    ".spec.list[1:2:3:4]",
    ".spec.text}{.x",
    ".a b\nc",
]
KINDS = ["string", "integer", "number", "boolean", "date"]


def asked(kind: str) -> list[dict]:
    columns = [
        {"name": f"C{index}", "type": kind, "jsonPath": path, "priority": index % 3}
        for index, path in enumerate(PATHS)
        if path != ".spec.map.*"  # which of the values comes first is left to chance
        and not (kind == "number" and path in {".spec.huge", ".spec.tiny"})  # the same numbers with other exponents
    ]
    columns[0] |= {"description": "said <so>", "format": "byte"}
    return columns


FINE = {"name": "Fine", "type": "string", "jsonPath": ".spec.text"}
COLUMNS = {
    "v1": [],
    **{f"v1beta{index}": asked(kind) for index, kind in enumerate(KINDS, 1)},
    **{f"v1alpha{index}": [FINE, {**FINE, "jsonPath": path}, FINE] for index, path in enumerate(BROKEN_PATHS, 1)},
}
"""A version for each set of columns, all of one kind: a definition takes a while to be served."""


def definition() -> dict:
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    versions = [
        {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "schema": {"openAPIV3Schema": schema},
            "additionalPrinterColumns": columns,
            "subresources": {"scale": {"specReplicasPath": ".spec.whole", "statusReplicasPath": ".status.replicas"}},
        }
        for name, columns in COLUMNS.items()
    ]
    names = {"plural": "things", "singular": "thing", "kind": "Thing"}
    return {
        "metadata": {"name": "things.tables.example"},
        "spec": {"group": "tables.example", "scope": "Namespaced", "names": names, "versions": versions},
    }


def things(version: str) -> str:
    return f"/apis/tables.example/{version}/namespaces/{NAMESPACE}/things"


@pytest.fixture(scope="module")
def defined(planted) -> dict[str, dict]:
    """The versions of a definition, by name, once one thing is there."""
    made = planted.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition())
    assert made.fine, made.body
    thing = {"apiVersion": "tables.example/v1", "kind": "Thing", "metadata": {"name": "thing"}, "spec": THING}
    for _ in range(200):
        if planted.post(things("v1"), thing).fine:
            return {version["name"]: version for version in made.body["spec"]["versions"]}
        time.sleep(0.05)
    raise AssertionError("the definition is not served")


@pytest.mark.parametrize("version", COLUMNS)
def test_columns_that_a_definition_asks_for(planted, defined, version):
    printer = custom_columns(defined[version])
    objects, _ = listed(planted, things(version))

    def told():
        reply = ask(planted, things(version), TABLE)
        metadata = decode(reply.body)["metadata"]
        return reply, lambda now: table_bytes(printer, objects, list_metadata=metadata, now=now)

    agree(told)


def test_scales_of_custom_resources_have_columns_of_their_own(planted, defined):
    where = f"{things('v1')}/thing/scale"
    scale, printer = ask(planted, where, PLAIN).body, scale_columns(defined["v1"])
    agree(lambda: (ask(planted, where, TABLE), lambda now: row_table_bytes(printer, scale, now=now)))


def test_custom_resources_are_cut_down_to_their_metadata(planted, defined):
    assert partial_metadata(listed(planted, things("v1"))[0][0]) == ask(planted, f"{things('v1')}/thing", PARTIAL).body
