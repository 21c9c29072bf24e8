"""Every verb of the client against the real API server."""

import asyncio
from contextlib import aclosing

import pytest

from plumbline.base.errors import (
    AlreadyExists,
    Conflict,
    FieldClaim,
    FieldConflict,
    Forbidden,
    InvalidInput,
    NotFound,
    PlumblineError,
    SchemaViolation,
    Throttled,
    UnknownKind,
)
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Connection, Request, Selection, Target, Writing
from plumbline.kube.names import GroupVersionResource

pytestmark = pytest.mark.conformance

CONFIGMAPS = GroupVersionResource("", "v1", "configmaps")
SECRETS = GroupVersionResource("", "v1", "secrets")
SERVICES = GroupVersionResource("", "v1", "services")
PODS = GroupVersionResource("", "v1", "pods")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
BUDGETS = GroupVersionResource("policy", "v1", "poddisruptionbudgets")
CRDS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
PROBES = GroupVersionResource("probes.example.org", "v1", "probes")
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "probes.probes.example.org"},
    "spec": {
        "group": "probes.example.org",
        "names": {"kind": "Probe", "plural": "probes"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1", "served": True, "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"a": {"type": "string"}}},
                }}},
            }
        ],
    },
}  # fmt: skip
US = Writing(field_manager="us")


@pytest.fixture
async def client(real_cluster):
    async with Client.connect(Connection.load(real_cluster.kubeconfig)) as made:
        yield made


@pytest.fixture
async def probes(client):
    """A kind of somebody's own, once it can be applied to."""
    await client.apply(Target(CRDS, "", CRD["metadata"]["name"]), encode(CRD), US)
    obj = {"apiVersion": "probes.example.org/v1", "kind": "Probe", "metadata": {"name": "first"}, "spec": {"a": "b"}}
    async with asyncio.timeout(30):
        while True:
            try:
                await client.apply(Target(PROBES, "default", "first"), encode(obj), US)
            except PlumblineError:
                await asyncio.sleep(0.1)
            else:
                return


def configmap(name, /, **data):
    return encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})


def deployment(name):
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    return encode({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec})


def metadata(raw):
    return decode(raw)["metadata"]


async def test_an_object_lives_and_dies(client, namespace):
    target = Target(CONFIGMAPS, namespace, "a")
    made = await client.create(target.collection, configmap("a", k="1"), US)
    assert await client.get(target) == made
    changed = decode(made) | {"data": {"k": "2"}}
    stored = await client.update(target, encode(changed), US)
    assert decode(stored)["data"] == {"k": "2"}
    with pytest.raises(Conflict):
        await client.update(target, encode(changed | {"data": {"k": "3"}}))
    with pytest.raises(AlreadyExists):
        await client.create(target.collection, configmap("a"))
    assert decode(await client.delete(target, uid=metadata(made)["uid"]))["status"] == "Success"
    with pytest.raises(NotFound):
        await client.get(target)


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("merge", {"data": {"k": "2"}}),
        ("strategic", {"data": {"k": "2"}}),
        ("json", [{"op": "replace", "path": "/data/k", "value": "2"}]),
        ("apply", {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "2"}}),
    ],
)
async def test_all_four_patches_are_known(client, namespace, kind, patch):
    target = Target(CONFIGMAPS, namespace, "a")
    await client.create(target.collection, configmap("a", k="1"))
    got = await client.patch(target, encode(patch), kind, Writing(field_manager="us", force=True))
    assert decode(got)["data"] == {"k": "2"}


async def test_an_apply_that_conflicts_says_with_whom(client, namespace):
    target = Target(CONFIGMAPS, namespace, "a")
    await client.apply(target, configmap("a", k="1", m="1"), US)
    await client.patch(target, b'{"data":{"m":"2"}}', "merge", Writing(field_manager='odd "one"'))
    with pytest.raises(FieldConflict) as caught:
        await client.apply(target, configmap("a", k="9", m="9"), Writing(field_manager="them"))
    assert set(caught.value.claims) == {FieldClaim("us", ".data.k"), FieldClaim('odd "one"', ".data.m")}
    forced = await client.apply(target, configmap("a", k="9", m="9"), Writing(field_manager="them", force=True))
    assert decode(forced)["data"] == {"k": "9", "m": "9"}


async def test_a_dry_run_stores_nothing(client, namespace):
    target = Target(CONFIGMAPS, namespace, "a")
    dry = Writing(field_manager="us", dry_run=True)
    assert metadata(await client.apply(target, configmap("a"), dry))["name"] == "a"
    with pytest.raises(NotFound):
        await client.get(target)


async def test_a_delete_hits_only_the_object_that_is_meant(client, namespace):
    target = Target(CONFIGMAPS, namespace, "a")
    made = metadata(await client.create(target.collection, configmap("a")))
    for wrong in ({"uid": "other"}, {"uid": made["uid"], "resource_version": "1"}):
        with pytest.raises(Conflict):
            await client.delete(target, **wrong)
    await client.delete(target, uid=made["uid"], resource_version=made["resourceVersion"], dry_run=True)
    assert metadata(await client.get(target))["uid"] == made["uid"]
    await client.delete(target, uid=made["uid"], resource_version=made["resourceVersion"])


async def test_an_object_with_finalizers_lingers(client, namespace):
    target = Target(CONFIGMAPS, namespace, "a")
    body = decode(configmap("a")) | {"metadata": {"name": "a", "finalizers": ["example.org/x"]}}
    await client.create(target.collection, encode(body))
    assert "deletionTimestamp" in metadata(await client.delete(target))
    await client.patch(target, b'{"metadata":{"finalizers":null}}', "merge")
    with pytest.raises(NotFound):
        await client.get(target)


async def test_foreground_deletion_waits_for_dependents(client, namespace):
    target = Target(DEPLOYMENTS, namespace, "web")
    await client.create(target.collection, deployment("web"))
    assert metadata(await client.delete(target, propagation="Foreground"))["finalizers"] == ["foregroundDeletion"]


async def test_a_collection_is_deleted_by_label(client, namespace):
    target = Target(CONFIGMAPS, namespace)
    for name, app in (("a", "x"), ("b", "x"), ("c", "y")):
        body = decode(configmap(name)) | {"metadata": {"name": name, "labels": {"app": app}}}
        await client.create(target, encode(body))
    gone = await client.delete_collection(target, Selection(labels="app=x"))
    assert [metadata(raw)["name"] for raw in gone.items] == ["a", "b"]
    assert [metadata(raw)["name"] for raw in (await client.list(target, Selection(labels="app"))).items] == ["c"]


async def test_lists_are_paged_into_one_snapshot(client, namespace):
    target = Target(CONFIGMAPS, namespace)
    for number in range(25):
        await client.create(target, configmap(f"c{number:02}"))
    pages = [page async for page in client.pages(target, Selection(limit=10))]
    assert [len(page.items) for page in pages] == [10, 10, 5]
    assert [page.remaining for page in pages] == [15, 5, None]
    whole = await client.list(target, Selection(limit=10))
    assert [metadata(raw)["name"] for raw in whole.items] == [f"c{number:02}" for number in range(25)]
    assert whole.items == (await client.list(target, Selection(limit=0))).items
    assert {page.resource_version for page in pages} == {whole.resource_version}


async def test_an_object_has_the_same_bytes_from_a_get_a_list_and_a_watch(client, namespace):
    target = Target(DEPLOYMENTS, namespace, "web")
    await client.create(target.collection, deployment("web"))
    (listed,) = (await client.list(target.collection)).items
    async with aclosing(client.watch(target, initial=True)) as events:
        watched = await anext(events)
    got = await client.get(target)
    assert got.rstrip() == listed == watched.raw


async def test_selectors_narrow_a_list(client, namespace):
    target = Target(CONFIGMAPS, namespace)
    for name in ("a", "b"):
        await client.create(target, configmap(name))
    assert len((await client.list(target, Selection(fields="metadata.name=a"))).items) == 1
    with pytest.raises(InvalidInput):
        await client.list(target, Selection(fields="data.k=1"))
    with pytest.raises(InvalidInput):
        await client.list(target, Selection(labels="not ( valid"))


async def test_metadata_alone_is_small(client, namespace):
    target = Target(CONFIGMAPS, namespace, "a")
    await client.create(target.collection, configmap("a", k="x" * 1000))
    alone = decode(await client.get(target, metadata_only=True))
    assert (alone["kind"], alone["metadata"]["name"], "data" in alone) == ("PartialObjectMetadata", "a", False)
    (listed,) = (await client.list(target, Selection(metadata_only=True))).items
    assert (decode(listed)["kind"], "data" in decode(listed)) == ("PartialObjectMetadata", False)


async def test_tables_are_the_servers(client, namespace):
    target = Target(CONFIGMAPS, namespace)
    await client.create(target, configmap("a", k="1"))
    table = decode(await client.table(target))
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Data", "Age"]
    assert table["rows"][0]["cells"][:2] == ["a", 1]


async def test_subresources_are_targets_too(client, namespace):
    target = Target(DEPLOYMENTS, namespace, "web")
    await client.create(target.collection, deployment("web"))
    scale = target._replace(subresource="scale")
    assert decode(await client.get(scale))["spec"]["replicas"] == 2
    scaled = await client.patch(scale, b'{"spec":{"replicas":5}}', "merge")
    assert decode(scaled)["kind"] == "Scale"
    status = target._replace(subresource="status")
    await client.patch(status, b'{"status":{"replicas":5}}', "merge")
    got = decode(await client.get(target))
    assert (got["spec"]["replicas"], got["status"]["replicas"]) == (5, 5)


def pod(name):
    spec = {"containers": [{"name": "c", "image": "x"}]}
    meta = {"name": name, "labels": {"app": "x"}}
    return encode({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})


async def test_an_eviction_is_posted_and_a_budget_refuses_it_at_once(client, namespace):
    target = Target(PODS, namespace, "p")
    await client.create(target.collection, pod("p"))
    healthy = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    await client.patch(target._replace(subresource="status"), encode(healthy), "merge")
    budget = {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}}
    body = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": budget}
    await client.create(Target(BUDGETS, namespace), encode(body))
    status = {"status": {"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1}}
    await client.patch(Target(BUDGETS, namespace, "b", "status"), encode(status), "merge")
    evict = encode({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}})
    with pytest.raises(Throttled) as caught:
        await client.create(target._replace(subresource="eviction"), evict)
    assert caught.value.causes[0].reason == "DisruptionBudget"
    await client.delete(Target(BUDGETS, namespace, "b"))
    assert decode(await client.create(target._replace(subresource="eviction"), evict))["status"] == "Success"


async def test_logs_of_a_pod_without_a_node_or_of_none_fail_clearly(client, namespace):
    with pytest.raises(NotFound):
        _ = [piece async for piece in client.logs(Target(PODS, namespace, "absent"))]
    await client.create(Target(PODS, namespace), pod("p"))
    with pytest.raises(InvalidInput):
        _ = [piece async for piece in client.logs(Target(PODS, namespace, "p"), {"container": "other"})]
    assert [piece async for piece in client.logs(Target(PODS, namespace, "p"))] == []


@pytest.mark.parametrize(
    ("resource", "body", "expected", "field"),
    [
        (SERVICES, {"kind": "Service", "metadata": {"name": "X_"}, "spec": {}}, InvalidInput, "metadata.name"),
        (CONFIGMAPS, {"kind": "ConfigMap", "metadata": {"name": "a"}, "data": 5}, InvalidInput, ""),
        (CONFIGMAPS, {"kind": "Secret", "metadata": {"name": "a"}}, InvalidInput, ""),
        (GroupVersionResource("nope", "v1", "things"), {"kind": "Thing"}, UnknownKind, ""),
        (GroupVersionResource("apps", "v1", "things"), {"kind": "Thing"}, UnknownKind, ""),
    ],
)
async def test_refusals_are_told_apart(client, namespace, resource, body, expected, field):
    with pytest.raises(PlumblineError) as caught:
        await client.create(Target(resource, namespace), encode({"apiVersion": "v1"} | body))
    assert type(caught.value) is expected
    assert not field or field in {cause.field for cause in caught.value.causes}


async def test_a_namespace_that_is_missing_is_not_a_kind_that_is_missing(client):
    with pytest.raises(NotFound):
        await client.create(Target(CONFIGMAPS, "no-such-namespace"), configmap("a"))


async def test_a_wrong_schema_is_ours_and_a_secret_value_is_not_told(client, namespace):
    wrong = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"p": 8675309}}
    with pytest.raises(SchemaViolation) as caught:
        await client.apply(Target(SECRETS, namespace, "s"), encode(wrong), US)
    assert "8675309" not in f"{caught.value} {caught.value.causes}"
    assert "stringData" in caught.value.why


async def test_unknown_fields_warn_or_are_refused(real_cluster, namespace):
    heard = []
    body = encode(decode(configmap("a")) | {"dataa": {}})
    async with Client.connect(Connection.load(real_cluster.kubeconfig), on_warning=heard.append) as client:
        await client.create(Target(CONFIGMAPS, namespace), body, Writing(validation="Warn"))
        assert heard == ['unknown field "dataa"']
        with pytest.raises(InvalidInput):
            await client.create(Target(CONFIGMAPS, namespace), body, Writing(validation="Strict"))


async def test_a_body_of_more_than_the_server_takes_is_refused(client, namespace):
    with pytest.raises(PlumblineError) as caught:
        await client.create(Target(CONFIGMAPS, namespace), configmap("a", k="x" * 4_000_000))
    assert caught.value.code in {"limit-exceeded", "unreachable"}


async def test_acting_as_somebody_else(client, namespace):
    target = Target(CONFIGMAPS, namespace)
    with pytest.raises(Forbidden) as caught:
        await client.impersonating("jane", groups=("devs",)).list(target)
    assert "jane" in caught.value.why
    assert (await client.impersonating("jane", groups=("system:masters",)).list(target)).items == []
    review = encode({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
    reviews = Target(GroupVersionResource("authentication.k8s.io", "v1", "selfsubjectreviews"))
    someone = client.impersonating(
        "jane", groups=("system:masters",), uid="7", extra={"example.org/Scope x": ("a", "b")}
    )
    who = decode(await someone.create(reviews, review))["status"]["userInfo"]
    assert (who["username"], who["uid"]) == ("jane", "7")
    assert who["extra"] == {"example.org/scope x": ["a", "b"]}


async def test_anything_else_is_sent_as_it_is(client):
    assert (await client.send(Request("GET", "/readyz"))).body == b"ok"


@pytest.mark.parametrize("validation", ["Strict", "Warn", "Ignore"])
@pytest.mark.parametrize(
    ("resource", "body"),
    [
        (CONFIGMAPS, decode(configmap("a", k="1")) | {"bogus": 1}),
        (CONFIGMAPS, decode(configmap("a", k="1")) | {"data": [1]}),
        (CRDS, CRD | {"spec": CRD["spec"] | {"bogus": 1}}),
        (PROBES, {"apiVersion": "probes.example.org/v1", "kind": "Probe", "spec": {"bogus": 1}}),
        (PROBES, {"apiVersion": "probes.example.org/v1", "kind": "Probe", "spec": {"a": 1}}),
    ],
    ids=["unknown", "of-another-type", "deep", "unknown-custom", "custom-of-another-type"],
)
async def test_an_apply_with_fields_that_a_kind_does_not_have_is_refused_however_it_is_validated(
    client, namespace, probes, resource, body, validation
):
    """So that we need not ask for it."""
    name = CRD["metadata"]["name"] if resource == CRDS else "a"
    target = Target(resource, "" if resource == CRDS else namespace, name)
    sent = encode(body | {"metadata": {"name": name}})
    with pytest.raises(SchemaViolation, match="failed to create typed patch object"):
        await client.apply(target, sent, Writing(field_manager="us", force=True, validation=validation))
