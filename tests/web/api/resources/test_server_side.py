"""What the server itself would make of an application, asked for by one request, and of manifests that are sent."""

from tests.delivery.meddling import meddled
from tests.web.api.resources.scene import config_map, secret, told

from plumbline.base.json import decode, encode

FILES = {"web/b.yaml": secret(), "web/c.yaml": config_map("web")}
ASKING = "managed-resources?serverSideDiff=true"
COMPARE = "argocd.argoproj.io/compare-options"
APPLICATIONS = "argoproj.io/v1alpha1/applications"


async def manual(scene, options=None, **spec):
    annotations = {"annotations": {COMPARE: options}}
    change = {"metadata": annotations, "spec": {"syncPolicy": None, **spec}}
    await scene.place.patch(APPLICATIONS, "web", change, "argocd")
    await scene.place.settle(1)


def meddle(meddler):
    meddler.patches = [{"op": "add", "path": "/data/more", "value": "bWVkZGxlZA=="}]


async def state(scene, tail=ASKING, name="web"):
    (found,) = [each for each in (await scene.json(tail))["items"] if each["name"] == name]
    return found


@told(files=FILES)
async def test_one_request_may_have_the_server_asked(scene):
    await manual(scene)
    meddler = await meddled(scene.place)
    plain = await state(scene, "managed-resources")
    assert meddler.rehearsed == []
    asked = await state(scene)
    assert sorted(meddler.rehearsed) == ["key", "web"]
    assert "modified" not in plain | asked
    await scene.json("manifests")
    assert len(meddler.rehearsed) == 2, "what Git asks for is nobody's to judge"
    refused = await scene.ask("GET", "managed-resources?serverSideDiff=perhaps")
    assert refused.status == 400


@told(files=FILES)
async def test_what_a_webhook_adds_is_foretold_where_it_counts(scene):
    await manual(scene, "IncludeMutationWebhook=true")
    meddle(await meddled(scene.place))
    found = await state(scene)
    assert found["modified"] is True
    assert decode(found["targetState"])["data"] == {"value": "1"}
    assert decode(found["predictedLiveState"])["data"] == {"value": "1", "more": "bWVkZGxlZA=="}
    (item,) = (await scene.json("diff?serverSideDiff=true&kind=ConfigMap"))["items"]
    assert [(each["path"], each["change"]) for each in item["changes"]] == [(".data.more", "add")]
    (masked,) = (await scene.json("diff?serverSideDiff=true&kind=Secret"))["items"]
    assert masked["changes"] == [{"path": ".data.more", "change": "add", "managers": [], "secret": True}]
    for tail in (ASKING, "diff?serverSideDiff=true", "plan?serverSideDiff=true"):
        answered = await scene.ask("GET", f"{tail}&kind=Secret")
        assert answered.status == 200, tail
        for hidden in (b"aHVudGVyMg", b"bWVkZGxlZA=="):
            assert hidden not in answered.body, tail


@told(files=FILES)
async def test_without_that_what_it_adds_is_hidden(scene):
    await manual(scene)
    meddle(await meddled(scene.place))
    found = await state(scene)
    assert "modified" not in found
    assert decode(found["predictedLiveState"])["data"] == {"value": "1"}


def manifest(kind="ConfigMap", name="web", **more):
    return encode({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **more}).decode()


@told(files=FILES)
async def test_manifests_are_judged_by_the_rules_of_the_application(scene):
    ignored = [{"kind": "ConfigMap", "jqPathExpressions": [".data.ignored"]}]
    await manual(scene, None, ignoreDifferences=ignored)
    live = await scene.place.get("v1/configmaps", "web")
    same = {"data": live["data"], "metadata": {"name": "web", "annotations": live["metadata"]["annotations"]}}
    sent = {"targetManifests": [manifest(**same)]}
    meddler = await meddled(scene.place)
    meddle(meddler)
    found = (await scene.ask("POST", "server-side-diff", sent)).json
    assert found["modified"] is False, "a webhook's doing is hidden"
    assert decode(found["items"][0]["targetState"]) == decode(found["items"][0]["liveState"])
    metadata = decode(found["items"][0]["liveState"])["metadata"]
    assert {"managedFields", "resourceVersion", "creationTimestamp"}.isdisjoint(metadata)
    changed = {**same, "data": {"value": "1", "ignored": "9"}}
    found = (await scene.ask("POST", "server-side-diff", {"targetManifests": [manifest(**changed)]})).json
    assert found["modified"] is False, "what is ignored is no difference"
    await manual(scene, "IncludeMutationWebhook=true")
    found = (await scene.ask("POST", "server-side-diff", sent)).json
    assert found["modified"] is True
    assert "more" in decode(found["items"][0]["targetState"])["data"]


@told(files=FILES)
async def test_what_is_not_there_becomes_what_is_sent_unasked(scene):
    await manual(scene)
    meddler = await meddled(scene.place)
    found = (await scene.ask("POST", "server-side-diff", {"targetManifests": [manifest(name="new", data={})]})).json
    assert (found["modified"], found["items"][0]["liveState"]) == (True, "null")
    assert decode(found["items"][0]["targetState"])["metadata"] == {"name": "new", "namespace": "shop"}
    assert meddler.rehearsed == []
