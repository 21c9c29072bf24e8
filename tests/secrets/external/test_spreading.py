"""A ClusterExternalSecret is an ExternalSecret in every namespace that fits, and in no other."""

import asyncio

from tests.secrets.external.scene import (
    AWAY,
    CLUSTER_EXTERNALS,
    EXTERNALS,
    HOME,
    NAMESPACES,
    condition,
    external,
    running,
    store,
    story,
)

SHOPS = {"namespaceSelectors": [{"matchLabels": {"team": "shop"}}]}


def spread(name="wide", **spec):
    asked = external(**spec.pop("asked", {}))["spec"] | {
        "secretStoreRef": {"name": "vault", "kind": "ClusterSecretStore"}
    }
    body = {"externalSecretSpec": asked, **spec}
    return {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ClusterExternalSecret",
        "metadata": {"name": name},
        "spec": body,
    }


async def label(place, namespace, team):
    await place.patch({"metadata": {"labels": {"team": team}}}, namespace, NAMESPACES, "")


async def spread_ready(place, status="True", name="wide"):
    return await place.ready(status, "", name, CLUSTER_EXTERNALS, "")


async def there(place, namespace, name="wide"):
    return await place.get(name, EXTERNALS, namespace)


@story
async def test_it_is_in_every_namespace_that_fits_and_its_secrets_are_made(place):
    await label(place, HOME, "shop")
    await place.apply(store(cluster=True), spread(namespaces=[AWAY], **SHOPS))
    for namespace in (HOME, AWAY):
        await place.ready(name="wide", namespace=namespace)
        assert await place.values("wide", namespace) == {"user": "ann", "password": "s3cret"}
    found = await spread_ready(place)
    assert found["status"]["provisionedNamespaces"] == [AWAY, HOME]
    assert found["status"]["externalSecretName"] == "wide"
    owner = (await there(place, HOME))["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("ClusterExternalSecret", "wide", True)
    assert (await place.quietly(3000))[0] == 0
    async with running(place):
        assert (await place.quietly(300))[0] == 0


@story
async def test_it_follows_the_labels_of_namespaces(place):
    await place.apply(store(cluster=True), spread(**SHOPS))
    await spread_ready(place)
    assert await there(place, HOME) is None
    await label(place, HOME, "shop")
    await place.until(lambda: there(place, HOME), within_s=10)
    await label(place, HOME, "other")
    await place.until(lambda: _absent(place, HOME), within_s=10)
    assert (await spread_ready(place))["status"].get("provisionedNamespaces", []) == []


async def _absent(place, namespace, name="wide"):
    return await there(place, namespace, name) is None


@story
async def test_one_that_somebody_else_made_stays_and_is_named(place):
    await place.apply(store(), store(cluster=True), external("wide", namespace=AWAY, refreshInterval="2h"))
    await place.apply(spread(namespaces=[HOME, AWAY]))
    found = await spread_ready(place, "False")
    assert found["status"]["failedNamespaces"] == [
        {"namespace": AWAY, "reason": "external secret already exists in namespace"}
    ]
    assert found["status"]["provisionedNamespaces"] == [HOME]
    assert condition(found)["message"] == "one or more namespaces failed"
    assert (await there(place, AWAY))["spec"]["refreshInterval"] == "2h"
    await place.delete("wide", EXTERNALS, AWAY)
    await spread_ready(place)


@story
async def test_changes_arrive_and_what_somebody_changed_comes_back(place):
    await place.apply(
        store(cluster=True), spread(namespaces=[HOME], asked={"refreshInterval": "2h", "target": {"name": "x"}})
    )
    await spread_ready(place)
    await place.patch({"spec": {"refreshInterval": "9h"}}, "wide", EXTERNALS)
    await place.until(lambda: _says(place, "2h"), within_s=10)
    labelled = {"externalSecretMetadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}}
    await place.apply(spread(namespaces=[HOME], asked={"refreshInterval": "3h"}, **labelled))
    await place.until(lambda: _says(place, "3h"), within_s=10)
    found = await there(place, HOME)
    assert (found["metadata"]["labels"], found["metadata"]["annotations"]) == ({"a": "b"}, {"c": "d"})
    assert "name" not in found["spec"]["target"], "what is no longer asked for is gone"
    await place.patch(
        {"metadata": {"annotations": {"external-secrets.io/force-sync": "1"}}}, "wide", CLUSTER_EXTERNALS, ""
    )
    await place.until(lambda: _forced(place), within_s=3700)


async def _says(place, interval):
    return (await there(place, HOME))["spec"]["refreshInterval"] == interval


async def _forced(place):
    return (await there(place, HOME))["metadata"].get("annotations", {}).get("external-secrets.io/force-sync") == "1"


@story
async def test_another_name_takes_the_place_of_the_old_one_and_all_go_with_it(place):
    await place.apply(store(cluster=True), spread(namespaces=[HOME]))
    await spread_ready(place)
    await place.apply(spread(namespaces=[HOME], externalSecretName="new"))
    await place.until(lambda: there(place, HOME, "new"), within_s=10)
    await place.until(lambda: _absent(place, HOME), within_s=10)
    await place.delete("wide", CLUSTER_EXTERNALS, "")
    await place.until(lambda: _absent(place, HOME, "new"))


@story
async def test_what_upstream_left_behind_is_taken_away(place):
    marks = ["externalsecrets.external-secrets.io/clusterexternalsecret-cleanup"]
    wanted = spread(namespaces=[HOME])
    wanted["metadata"]["finalizers"] = marks
    await place.apply(store(cluster=True), wanted)
    await place.patch(
        {"metadata": {"finalizers": ["externalsecrets.external-secrets.io/ces-wide"]}}, HOME, NAMESPACES, ""
    )
    await spread_ready(place)
    await place.delete("wide", CLUSTER_EXTERNALS, "")
    await place.until(lambda: _unmarked(place))
    await place.until(lambda: _absent(place, HOME))
    assert await place.get("wide", CLUSTER_EXTERNALS, "") is None


async def _unmarked(place):
    return not (await place.get(HOME, NAMESPACES, ""))["metadata"].get("finalizers")


@story
async def test_a_selector_that_cannot_be_read_is_said(place):
    broken = [{"matchExpressions": [{"key": "a", "operator": "Near", "values": ["b"]}]}]
    await place.apply(spread(namespaceSelectors=broken))
    found = await spread_ready(place, "False")
    assert "unable to convert labelselector" in condition(found)["message"]
    await asyncio.sleep(1)
