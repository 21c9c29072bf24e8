"""What Git asks for beside what is there: managed resources, manifests, differences with their owners, and plans."""

from urllib.parse import quote

from tests.web.api.resources.scene import config_map, deployment, secret, told

from plumbline.base.json import decode, encode
from plumbline.kube.client import Target, Writing
from plumbline.kube.names import GroupVersionResource

FILES = {"web/a.yaml": deployment(), "web/b.yaml": secret(), "web/c.yaml": config_map("web")}
MANUAL = {"spec": {"syncPolicy": None}}


async def by_hand(scene):
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", MANUAL, "argocd")
    await scene.place.settle(1)


@told(files=FILES)
async def test_managed_resources_have_all_four_states(scene):
    found = await scene.json("managed-resources", who="rita")
    by_name = {(each["kind"], each["name"]): each for each in found["items"]}
    item = by_name["ConfigMap", "web"]
    assert set(item) == {
        "kind", "namespace", "name", "targetState", "liveState", "normalizedLiveState", "predictedLiveState", "resourceVersion",
    }  # fmt: skip
    assert decode(item["targetState"])["data"] == decode(item["liveState"])["data"] == {"value": "1"}
    assert "managedFields" not in decode(item["liveState"])["metadata"]
    assert by_name["Deployment", "web"]["group"] == "apps"
    chosen = await scene.json("managed-resources?kind=Secret")
    assert [each["name"] for each in chosen["items"]] == ["key"]
    assert await scene.json("managed-resources?name=nothing") == {}


@told(files=FILES)
async def test_a_difference_is_predicted(scene):
    await by_hand(scene)
    await scene.place.patch("v1/configmaps", "web", {"data": {"value": "2", "extra": "kept"}})
    await scene.place.settle(1)
    (item,) = (await scene.json("managed-resources?kind=ConfigMap"))["items"]
    assert item["modified"] is True
    assert decode(item["predictedLiveState"])["data"] == {"value": "1", "extra": "kept"}
    assert decode(item["normalizedLiveState"])["data"] == {"value": "2", "extra": "kept"}


@told(files=FILES)
async def test_no_secret_value_is_in_any_of_it(scene):
    """Row 21: states, manifests, differences, whatever changed."""
    await by_hand(scene)
    await scene.place.patch("v1/secrets", "key", {"data": {"password": "c2VjcmV0Mg=="}})
    await scene.place.settle(1)
    for tail in ("managed-resources", "manifests", "diff", "diff?all=true", "plan", "history?images=true"):
        answered = await scene.ask("GET", tail)
        assert answered.status == 200, tail
        for hidden in (b"hunter2", b"aHVudGVyMg", b"c2VjcmV0Mg", b"secret2"):
            assert hidden not in answered.body, tail
    (item,) = (await scene.json("managed-resources?kind=Secret"))["items"]
    assert decode(item["targetState"])["data"] != decode(item["liveState"])["data"]


@told(files=FILES)
async def test_manifests_are_those_of_a_revision(scene):
    first = scene.place.repository.head
    scene.place.repository.change(web__c_yaml=config_map("web", "9"))
    await scene.healthy()
    now = [decode(each) for each in (await scene.json("manifests"))["manifests"]]
    then = [decode(each) for each in (await scene.json(f"manifests?revision={first}"))["manifests"]]
    assert {each["data"]["value"] for each in now if each["kind"] == "ConfigMap"} == {"9"}
    assert {each["data"]["value"] for each in then if each["kind"] == "ConfigMap"} == {"1"}
    assert (await scene.ask("GET", "manifests?revisions=a&sourcePositions=2")).status == 400
    assert (await scene.ask("GET", "manifests?revisions=a")).status == 400
    assert (await scene.ask("GET", f"manifests?revisions={first}&sourcePositions=1")).status == 200


@told(files=FILES)
async def test_where_nothing_is_rendered_that_is_said(scene):
    scene.renders = scene.describes = False
    for tail in ("manifests", "managed-resources", "diff", "plan", f"revisions/{'a' * 40}/metadata"):
        answered = await scene.ask("GET", tail)
        assert answered.status == 503, tail
        assert "replica" in answered.json["message"]
    assert (await scene.ask("GET", "history")).status == 200
    assert (await scene.ask("GET", "resource-tree")).status == 200


@told(files=FILES)
async def test_every_line_of_a_difference_says_who_holds_its_field(scene):
    await by_hand(scene)
    target = Target(GroupVersionResource("apps", "v1", "deployments"), "shop", "web")
    change = {"spec": {"replicas": 4}}
    await scene.client.patch(target, encode(change), "merge", Writing(field_manager="autoscaler"))
    await scene.place.settle(1)
    found = await scene.json("diff", who="rita")
    (item,) = found["items"]
    assert (item["kind"], item["state"]) == ("Deployment", "OutOfSync")
    assert item["changes"] == [{"path": ".spec.replicas", "change": "change", "managers": ["autoscaler"]}]
    lines = [line for hunk in item["hunks"] for line in hunk["lines"]]
    removed = next(line for line in lines if line["op"] == "-")
    added = next(line for line in lines if line["op"] == "+")
    assert (removed["text"].strip(), removed["managers"]) == ("replicas: 4", ["autoscaler"])
    assert added["text"].strip() == "replicas: 1"
    assert any(line.get("default") for line in lines if line["op"] == " ")
    assert not any(line.get("default") for line in lines if line["op"] != " ")


@told(files=FILES)
async def test_what_is_missing_and_what_is_too_much_is_shown_whole(scene):
    await by_hand(scene)
    await scene.place.delete("v1/configmaps", "web")
    scene.place.repository.change(web__a_yaml=None)
    await scene.place.settle(200)
    items = {each["kind"]: each for each in (await scene.json("diff"))["items"]}
    assert items["ConfigMap"]["state"] == "Missing"
    assert items["Deployment"]["state"] == "Extra"
    assert {line["op"] for hunk in items["ConfigMap"]["hunks"] for line in hunk["lines"]} == {"+"}
    assert {line["op"] for hunk in items["Deployment"]["hunks"] for line in hunk["lines"]} == {"-"}


@told(files={"web/a.yaml": config_map("web", "\\n".join(map(str, range(3000))))})
async def test_what_is_too_long_is_told_field_by_field(scene):
    await by_hand(scene)
    long = "\n".join(f"line {at}" for at in range(3000))
    await scene.place.patch("v1/configmaps", "web", {"data": {"value": long}})
    await scene.place.settle(1)
    (item,) = (await scene.json("diff"))["items"]
    assert item["truncated"] is True
    assert item["hunks"] == []
    assert [each["path"] for each in item["changes"]] == [".data.value"]


@told(files=FILES)
async def test_a_plan_says_what_a_sync_would_do_and_what_it_would_cost_first(scene):
    await by_hand(scene)
    later = "argocd.argoproj.io/sync-wave"
    scene.place.repository.change(
        web__a_yaml=None, web__c_yaml=config_map("web", "2"), web__d_yaml=config_map("later", **{later: "3"})
    )
    await scene.place.settle(200)
    found = await scene.json("plan?prune=true")
    assert found["counts"] == {"update": 1, "create": 1, "prune": 1, "unchanged": 1}
    (risky,) = found["risky"]
    assert (risky["kind"], risky["verb"], risky["risk"]) == ("Deployment", "prune", "the object")
    assert [each["wave"] for each in found["waves"]] == sorted(each["wave"] for each in found["waves"])
    assert {row["name"] for row in found["waves"][-1]["rows"]} >= {"later"}
    kept = await scene.json("plan")
    assert kept["counts"]["keep"] == 1
    assert kept["risky"] == []


@told(files=FILES | {"web/e.yaml": config_map("asked", **{"argocd.argoproj.io/sync-options": "Prune=confirm"})})
async def test_a_plan_says_what_somebody_has_to_agree_to_first_and_how(scene):
    await by_hand(scene)
    assert (await scene.json("plan?prune=true"))["approvals"] == []
    scene.place.repository.change(web__e_yaml=None)
    await scene.place.settle(200)
    (asked,) = (await scene.json("plan?prune=true"))["approvals"]
    assert (asked["kind"], asked["name"], list(asked["annotation"])) == (
        "ConfigMap", "asked", ["argocd.argoproj.io/deletion-approved"],
    )  # fmt: skip
    assert (await scene.json("plan"))["approvals"] == []


@told(files=FILES)
async def test_a_plan_that_cannot_be_says_why(scene):
    await scene.project(namespaceResourceBlacklist=[{"group": "", "kind": "ConfigMap"}])
    scene.place.repository.change(web__c_yaml=config_map("web", "2"))
    await scene.place.settle(5)
    found = await scene.json("plan")
    assert "ConfigMap is not permitted" in found["refused"]


@told(files=FILES)
async def test_history_says_who_what_and_how_it_ended(scene):
    first = scene.place.repository.head
    second = scene.place.repository.change(web__a_yaml=deployment(image="nginx:2"))
    await scene.healthy()
    found = (await scene.json("history", who="rita"))["items"]
    assert [each["revisions"] for each in found] == [[second], [first]]
    assert found[0]["result"] == "Succeeded"
    assert found[0]["automated"] is True
    assert found[0]["images"] == ["nginx:2"]
    assert "images" not in found[1]
    assert found[0]["commits"][0]["author"] == "Ada <ada@example.org>"
    rendered = (await scene.json("history?images=true"))["items"]
    assert [each["images"] for each in rendered] == [["nginx:2"], ["nginx:1"]]
    assert len((await scene.json("history?limit=1"))["items"]) == 1


@told(files=FILES)
async def test_a_sync_that_failed_is_in_the_history_with_its_note(scene):
    await by_hand(scene)
    scene.place.repository.change(web__c_yaml=config_map("web").replace("v1", "v9"))
    operation = {"sync": {}, "initiatedBy": {"username": "ada"}, "info": [{"name": "Reason", "value": "a try"}]}
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", {"operation": operation}, "argocd")

    async def failed():
        return ((await scene.place.app())["status"].get("operationState") or {}).get("phase") == "Failed"

    await scene.place.until(failed)
    newest = (await scene.json("history"))["items"][0]
    assert (newest["result"], newest["actor"], newest["note"]) == ("Failed", "ada", "Reason: a try")


@told(files=FILES)
async def test_a_revision_is_described(scene):
    head = scene.place.repository.head
    found = await scene.json(f"revisions/{head}/metadata")
    assert (found["author"], found["message"], found["tags"]) == ("Ada <ada@example.org>", "Make it so", ["v1"])
    assert found["date"].endswith("Z")
    assert (await scene.ask("GET", "revisions/nonsense/metadata")).status == 404
    assert (await scene.ask("GET", f"revisions/{head}/metadata?sourceIndex=4")).status == 400
    assert (await scene.ask("GET", f"revisions/{head}/metadata?versionId=99")).status == 400
    assert (await scene.ask("GET", f"revisions/{head}/metadata?versionId=0")).status == 200
    assert (await scene.ask("GET", f"revisions/{head}/chartdetails")).status == 400


@told(files=FILES)
async def test_a_chart_is_described(scene):
    spec = {
        "spec": {"source": {"repoURL": "https://charts.example.org", "chart": "web", "path": None}, "syncPolicy": None}
    }
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", spec, "argocd")
    assert await scene.json("revisions/1.0.0/chartdetails") == {
        "description": "A web server",
        "home": "https://example.org",
        "maintainers": ["Ada <ada@example.org>"],
    }


@told(files=FILES)
async def test_nothing_is_told_of_a_repository_that_the_project_does_not_permit(scene):
    """Who writes Applications by another way names what they like, and settings may have credentials for it."""
    head = scene.place.repository.head
    await scene.project(sourceRepos=["https://mine.example.org/*"])
    for tail in (f"revisions/{head}/metadata", f"revisions/{head}/metadata?versionId=0"):
        refused = await scene.ask("GET", tail)
        assert refused.status == 403, tail
        assert "is not permitted in project" in refused.json["message"]
    assert all(each["commits"] == [] for each in (await scene.json("history"))["items"])
    spec = {
        "spec": {"source": {"repoURL": "https://charts.example.org", "chart": "web", "path": None}, "syncPolicy": None}
    }
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", spec, "argocd")
    assert (await scene.ask("GET", "revisions/1.0.0/chartdetails")).status == 403


def manifest(kind="ConfigMap", name="web", **more):
    return encode({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **more}).decode()


@told(files=FILES)
async def test_the_server_says_how_it_would_merge(scene):
    sent = {"targetManifests": [manifest(data={"value": "7"}), manifest(name="new", data={})]}
    found = (await scene.ask("POST", "server-side-diff", sent)).json
    assert found["modified"] is True
    changed, made = found["items"]
    assert decode(changed["targetState"])["data"] == {"value": "7"}
    assert decode(changed["liveState"])["data"] == {"value": "1"}
    assert made["liveState"] == "null"
    assert (await scene.place.get("v1/configmaps", "web"))["data"] == {"value": "1"}
    got = await scene.json("server-side-diff?targetManifests=" + quote(manifest(data={"value": "1"})))
    assert len(got["items"]) == 1


@told(files=FILES)
async def test_a_merge_with_somebody_elses_secret_is_refused_before_the_server_is_asked(scene):
    """Row 21: the answer to a dry run is the live object with the manifest in it."""
    body = {
        "kind": "Secret",
        "apiVersion": "v1",
        "metadata": {"name": "theirs"},
        "stringData": {"password": "topsecret"},
    }
    await scene.place.create("v1/secrets", body, "shop")
    for sent in (manifest("Secret", "theirs"), manifest("Secret", "theirs", type="Opaque")):
        answered = await scene.ask("POST", "server-side-diff", {"targetManifests": [sent]})
        assert answered.status == 403
        assert b"topsecret" not in answered.body
        assert b"dG9wc2VjcmV0" not in answered.body
    own = await scene.ask("POST", "server-side-diff", {"targetManifests": [manifest("Secret", "key")]})
    assert own.status == 200
    assert b"aHVudGVyMg" not in own.body
    bad = await scene.ask(
        "POST", "server-side-diff", {"targetManifests": [manifest("Secret", "key", data={"password": ["plain!"]})]}
    )
    assert bad.status == 400
    assert b"plain!" not in bad.body


BAD = [
    (["nonsense"], 400, "it is no JSON"),
    (["[]"], 400, "it is no object"),
    (['{"apiVersion": "example.org/v1", "kind": "Nonsense", "metadata": {"name": "a"}}'], 404, "nobody knows the kind"),
    (['{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}'], 403, "it has no name"),
    (["{}"] * 300, 400, "they are too many"),
    ([manifest(metadata={"name": "web", "namespace": "argocd"})], 200, "the project permits every namespace"),
]


@told(files=FILES)
async def test_manifests_that_cannot_be_compared_are_refused(scene):
    for sent, status, why in BAD:
        answered = await scene.ask("POST", "server-side-diff", {"targetManifests": sent})
        assert answered.status == status, (why, answered.body)
