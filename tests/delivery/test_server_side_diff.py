"""Comparing by asking the destination: what a dry run says counts, each question is asked once, and nothing is written."""

import base64

from .meddling import meddled
from .town import BY_HAND, config_map, story

APPLICATIONS = "argoproj.io/v1alpha1/applications"
COMPARE = "argocd.argoproj.io/compare-options"
REFRESH = "argocd.argoproj.io/refresh"
ON = {"annotations": {COMPARE: "ServerSideDiff=true"}}
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {{name: keys}}\nstringData: {{token: {value}}}\n"
FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")}


def adding(key, value):
    return {"op": "add", "path": f"/data/{key}", "value": value}


async def annotate(town, **annotations):
    named = {"compare": COMPARE, "refresh": REFRESH}
    change = {"metadata": {"annotations": {named[key]: value for key, value in annotations.items()}}}
    await town.patch(APPLICATIONS, "web", change, "argocd")


async def standing(town):
    status = (await town.app())["status"]
    return status["sync"]["status"], {each["name"]: each["status"] for each in status["resources"]}


async def stands(town, sync, **resources):
    async def so():
        found = (await town.app()).get("status", {})
        if "sync" not in found or "resources" not in found:
            return None
        return await standing(town) == (sync, resources)

    await town.until(so)


@story(files=FILES)
async def test_nothing_is_asked_unless_the_application_wants_it(town):
    meddler = await meddled(town)
    await town.deploy()
    await town.synced()
    await annotate(town, refresh="hard")
    await town.settle()
    assert meddler.rehearsed == []


@story(files=FILES)
async def test_each_question_is_asked_once(town):
    meddler = await meddled(town)
    await town.deploy(metadata=ON)
    await town.synced()
    await town.settle(30)
    asked = sorted(meddler.rehearsed)
    assert set(asked) == {"a", "b"}
    effects = await town.effects()
    for _ in range(3):
        await annotate(town, refresh="normal")
        await town.settle(30)
    assert sorted(meddler.rehearsed) == asked, "a look that found nothing changed asks nothing"
    await annotate(town, refresh="hard")
    await town.settle(30)
    assert sorted(meddler.rehearsed) == sorted([*asked, "a", "b"])
    assert await town.effects() == effects, "and a dry run goes on no record"


@story(files={f"web/{number}.yaml": config_map(f"c{number}") for number in range(80)})
async def test_some_are_asked_about_at_once_and_never_too_many(town):
    meddler = await meddled(town)
    await town.deploy()
    await town.synced()
    await annotate(town, compare="ServerSideDiff=true")

    async def all_asked():
        return len(meddler.rehearsed) == 80 and not meddler.under_way

    await town.until(all_asked)
    assert meddler.most == 24
    assert len(set(meddler.rehearsed)) == 80


@story(files=FILES)
async def test_what_changed_is_asked_about_and_nothing_else(town):
    meddler = await meddled(town)
    await town.deploy(metadata=ON, automated=False)
    await town.sync()
    await town.synced()
    await town.settle(30)
    meddler.rehearsed.clear()
    await town.patch("v1/configmaps", "a", {"data": {"value": "drifted"}})
    await stands(town, "OutOfSync", a="OutOfSync", b="Synced")
    assert meddler.rehearsed == ["a"]
    await town.patch("v1/configmaps", "a", {"metadata": {"labels": {"whose": "theirs"}}, "data": {"value": "1"}})
    await stands(town, "Synced", a="Synced", b="Synced")
    assert meddler.rehearsed == ["a", "a"]
    town.repository.change(web__b_yaml=config_map("b", "2"))
    await stands(town, "OutOfSync", a="Synced", b="OutOfSync")
    assert meddler.rehearsed == ["a", "a", "b"]


@story(files={"web/a.yaml": config_map("a")})
async def test_what_is_not_there_needs_no_question(town):
    meddler = await meddled(town)
    await town.deploy(metadata=ON, automated=False)
    await stands(town, "OutOfSync", a="OutOfSync")
    assert meddler.rehearsed == []


@story(files={"web/a.yaml": config_map("a")})
async def test_what_a_webhook_would_add_counts_only_if_it_is_to(town):
    meddler = await meddled(town)
    await town.deploy(metadata=ON, automated=False)
    await town.sync()
    await town.synced()
    meddler.patches = [adding("more", "meddled")]
    await annotate(town, refresh="hard")
    await town.settle()
    assert await standing(town) == ("Synced", {"a": "Synced"})
    await annotate(town, compare="ServerSideDiff=true, IncludeMutationWebhook=true")
    await stands(town, "OutOfSync", a="OutOfSync")
    await town.sync()
    await stands(town, "Synced", a="Synced")
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1", "more": "meddled"}


@story(files={"web/a.yaml": config_map("a")})
async def test_what_a_webhook_makes_of_our_own_field_is_no_endless_drift(town):
    """The point of asking: it writes `1!` whatever Git says, so that nothing would change."""
    meddler = await meddled(town)
    meddler.patches = [{"op": "replace", "path": "/data/value", "value": "1!"}]
    await town.deploy(automated=False)
    await town.sync()
    await stands(town, "OutOfSync", a="OutOfSync")
    await annotate(town, compare="ServerSideDiff=true,IncludeMutationWebhook=true")
    await stands(town, "Synced", a="Synced")


@story(files={"web/a.yaml": config_map("a")})
async def test_ignored_differences_are_ignored_by_whoever_compares(town):
    meddler = await meddled(town)
    ignored = [
        {"kind": "ConfigMap", "jsonPointers": ["/data/more"]},
        {"kind": "ConfigMap", "jqPathExpressions": [".data.other"]},
    ]
    options = {"annotations": {COMPARE: "ServerSideDiff=true,IncludeMutationWebhook=true"}}
    await town.deploy(metadata=options, automated=False, ignoreDifferences=ignored)
    await town.sync()
    await town.synced()
    meddler.patches = [adding("more", "meddled"), adding("other", "meddled")]
    await annotate(town, refresh="hard")
    await town.settle()
    assert await standing(town) == ("Synced", {"a": "Synced"})
    meddler.patches = [adding("more", "meddled"), adding("third", "meddled")]
    await annotate(town, refresh="hard")
    await stands(town, "OutOfSync", a="OutOfSync")


@story(files={"web/a.yaml": config_map("a")})
async def test_fields_of_trusted_managers_are_theirs(town):
    await town.deploy(
        metadata=ON, automated=False, ignoreDifferences=[{"kind": "ConfigMap", "managedFieldsManagers": ["kubectl"]}]
    )
    await town.sync()
    await town.synced()
    await town.patch("v1/configmaps", "a", {"data": {"value": "theirs"}}, writing=BY_HAND)
    await town.settle()
    assert await standing(town) == ("Synced", {"a": "Synced"})


@story(files={"web/a.yaml": config_map("a")})
async def test_the_installation_may_ask_by_default_and_an_application_decline(town):
    meddler = await meddled(town)
    parameters = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cmd-params-cm"},
        "data": {"controller.diff.server.side": "true"},
    }
    await town.create("v1/configmaps", parameters, "argocd")
    await town.settle()
    await town.deploy(automated=False, metadata={"annotations": {COMPARE: "ServerSideDiff=false"}})
    await town.sync()
    await town.synced()
    await town.settle()
    assert meddler.rehearsed == []
    await annotate(town, compare=None)
    await town.settle()
    assert meddler.rehearsed == ["a"]


@story(files=FILES)
async def test_what_the_server_will_not_judge_is_said_and_the_rest_is_compared(town):
    meddler = await meddled(town)
    await town.deploy(metadata=ON, automated=False)
    await town.sync()
    await town.synced()
    meddler.denies = {"a"}
    await annotate(town, refresh="hard")
    await stands(town, "Unknown", a="Unknown", b="Synced")
    (condition,) = (await town.app())["status"]["conditions"]
    assert condition["type"] == "ComparisonError"
    assert condition["message"] == (
        "Failed to compare desired state to live state: failed to calculate diff: error calculating server side diff: "
        "serverSideDiff error: error running server side apply in dryrun mode for resource ConfigMap/a: "
        'admission webhook "meddler.example.org" denied the request: not today'
    )
    meddler.rehearsed.clear()
    await annotate(town, refresh="normal")
    await town.settle(1)
    assert meddler.rehearsed == [], "a refusal holds for a while as well"
    meddler.denies = set()
    await stands(town, "Synced", a="Synced", b="Synced")
    assert meddler.rehearsed == ["a"], "and is asked about again by itself"
    assert "conditions" not in (await town.app())["status"]


@story(files={f"web/{name}.yaml": config_map(name) for name in "abcdef"})
async def test_many_refusals_are_one_condition_that_names_some(town):
    meddler = await meddled(town)
    await town.deploy(metadata=ON, automated=False)
    await town.sync()
    await town.synced()
    meddler.denies = set("abcdef")
    await annotate(town, refresh="hard")
    await stands(town, "Unknown", **dict.fromkeys("abcdef", "Unknown"))
    (condition,) = (await town.app())["status"]["conditions"]
    assert condition["message"].count("error running server side apply") == 3
    assert condition["message"].endswith("; and 3 more")


@story(files={"web/keys.yaml": SECRET.format(value="hunter2")})
async def test_what_is_said_about_a_secret_is_not_said_on(town):
    meddler = await meddled(town)
    await town.deploy(metadata=ON, automated=False)
    await town.sync()
    await town.synced()
    meddler.denies, meddler.says = {"keys"}, "hunter2 is no good token"
    await annotate(town, refresh="hard")
    await stands(town, "Unknown", keys="Unknown")
    told = {each["type"]: each["message"] for each in (await town.app())["status"]["conditions"]}
    assert "for resource Secret/keys: " in told["ComparisonError"]
    assert "hunter2" not in "".join(told.values())
    meddler.denies = set()
    town.repository.change(web__keys_yaml=SECRET.format(value="hunter3"))
    await stands(town, "OutOfSync", keys="OutOfSync")
    kept = repr(town.delivery.foreseer._memos)
    assert "***" in kept
    for text in ("hunter2", "hunter3"):
        assert text not in kept
        assert base64.b64encode(text.encode()).decode() not in kept


@story(files={"web/keys.yaml": SECRET.format(value="hunter2")})
async def test_a_secret_in_clear_texts_is_in_sync(town):
    await town.deploy(metadata=ON)
    await town.synced()
    assert (await town.get("v1/secrets", "keys"))["data"] == {"token": base64.b64encode(b"hunter2").decode()}


@story(files=FILES)
async def test_it_is_asked_as_who_would_sync(town):
    settings = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cm"},
        "data": {"application.sync.impersonation.enabled": "true"},
    }
    await town.create("v1/configmaps", settings, "argocd")
    await town.deploy(metadata=ON, automated=False)

    async def refused():
        conditions = (await town.app()).get("status", {}).get("conditions", [])
        return [each for each in conditions if "no matching service account" in each["message"]]

    for name in ("a", "b"):
        await town.create("v1/configmaps", _made(name), "shop")
    (condition,) = await town.until(refused)
    assert condition["type"] == "ComparisonError"
    await annotate(town, refresh="normal")
    await town.settle()
    assert await refused() == [condition], "and is said for as long as it is so"
    accounts = [{"server": "*", "namespace": "shop", "defaultServiceAccount": "deployer"}]
    change = {"spec": {"destinationServiceAccounts": accounts}}
    await town.patch("argoproj.io/v1alpha1/appprojects", "default", change, "argocd")

    async def turned_down():
        conditions = (await town.app())["status"].get("conditions", [])
        return any('User "system:serviceaccount:shop:deployer" cannot' in each["message"] for each in conditions)

    await town.until(turned_down)


def _made(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"value": "theirs"}}
