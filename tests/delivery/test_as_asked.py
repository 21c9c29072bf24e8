"""A sync that somebody asks for: what is in Git now, under the names that it gives, in the server's own words."""

from .test_waves_and_hooks import job, waved
from .town import SERVER, config_map, story

COMING = "apiVersion: v1\nkind: Namespace\nmetadata: {name: coming}\n"
ELSEWHERE = config_map("a").replace("name: a", "name: a\n  namespace: coming")
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {{name: keys}}\nstringData: {{{values}}}\n"


async def ended(town, started=None):
    async def over():
        state = (await town.app()).get("status", {}).get("operationState", {})
        return (
            state if state.get("phase") in {"Failed", "Error", "Succeeded"} and state["startedAt"] != started else None
        )

    return await town.until(over, within_s=600)


@story(
    files={"web/a.yaml": config_map("a"), "web/job.yaml": job("x", "PreSync").replace("name: x", "generateName: gen-")}
)
async def test_a_hook_that_asks_for_a_name_is_seen_to_complete(town):
    await town.deploy(automated=False)
    await town.sync()
    assert (await ended(town))["phase"] == "Succeeded"


@story(files={"web/job.yaml": job("x", "PreSync,PostSync").replace("  name: x\n", "")})
async def test_a_hook_without_a_name_gets_one_for_each_of_its_phases(town):
    await town.deploy(automated=False)
    await town.sync()
    state = await ended(town)
    assert state["phase"] == "Succeeded"
    before, after = (each["name"] for each in state["syncResult"]["resources"])
    assert "-presync-" in before
    assert "-postsync-" in after


@story(files={"web/a.yaml": waved("a", 0)})
async def test_a_rehearsal_ends_with_no_more_tasks(town):
    await town.deploy(automated=False)
    await town.sync(dryRun=True)
    assert (await ended(town))["message"] == "successfully synced (no more tasks)"


@story(files={"web/a.yaml": ELSEWHERE, "web/job.yaml": job("x", "PreSync"), "web/namespace.yaml": COMING})
async def test_a_rehearsal_takes_namespaces_that_it_would_make_for_there(town):
    await town.deploy(automated=False)
    await town.sync(dryRun=True)
    state = await ended(town)
    assert state["phase"] == "Succeeded"
    told = {each["kind"]: each["message"] for each in state["syncResult"]["resources"]}
    assert (told["Namespace"], told["ConfigMap"]) == (
        "namespace/coming created (dry run)",
        "configmap/a created (dry run)",
    )


@story(files={"web/a.yaml": config_map("a")})
async def test_a_rehearsal_takes_the_namespace_of_the_destination_for_there(town):
    there = {"server": SERVER, "namespace": "coming"}
    await town.deploy(automated=False, destination=there)
    await town.sync(dryRun=True, syncOptions=["CreateNamespace=true"])
    state = await ended(town)
    assert (state["phase"], len(state["syncResult"]["resources"])) == ("Succeeded", 2)


@story(files={"web/a.yaml": config_map("a").replace("name: a", "name: a\n  namespace: nowhere")})
async def test_what_the_server_refuses_is_told_in_its_words(town):
    await town.deploy(automated=False)
    await town.sync()
    (result,) = (await ended(town))["syncResult"]["resources"]
    assert result["message"] == 'namespaces "nowhere" not found'


@story(files={"web/a.yaml": config_map("a")})
async def test_an_application_that_cannot_be_read_fares_nobody_knows_how(town):
    await town.deploy(project="ghost")
    await town.settle()
    assert (await town.app())["status"]["health"]["status"] == "Unknown"


@story(files={"web/a.yaml": SECRET.format(values='kept: "1", dropped: "1"')})
async def test_a_text_that_leaves_a_secret_goes(town):
    await town.deploy()
    await town.synced()
    town.repository.change(web__a_yaml=SECRET.format(values='kept: "1"'))
    await town.synced()
    assert (await town.get("v1/secrets", "keys"))["data"] == {"kept": "MQ=="}


@story(files={"web/a.yaml": config_map("a")})
async def test_ways_of_writing_are_told_as_kubectl_words_them(town):
    await town.deploy(automated=False)
    await town.sync(syncOptions=["ServerSideApply=true"])
    first = await ended(town)
    assert [each["message"] for each in first["syncResult"]["resources"]] == ["configmap/a serverside-applied"]
    town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.sync(syncOptions=["Replace=true"])
    second = await ended(town, first["startedAt"])
    assert [each["message"] for each in second["syncResult"]["resources"]] == ["configmap/a replaced"]


@story(files={"web/a.yaml": config_map("a").replace("name: a", "name: a\n  namespace: nowhere")})
async def test_an_attempt_that_is_to_take_the_newest_asks_the_repository_what_that_is(town):
    repository, known = town.repository, town.repository.head
    resolved = repository.resolved
    repository._listeners.clear()  # nobody tells of a push

    async def remembered(url, revision, *, fresh=False, **more):
        nonlocal known
        known = repository.head if fresh else known
        return await resolved(url, revision if revision in repository.commits else known, fresh=fresh, **more)

    repository.resolved = remembered
    await town.deploy(automated=False)
    retry = {"limit": -1, "refresh": True, "backoff": {"duration": "10s", "factor": 1}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", {"operation": {"sync": {}, "retry": retry}}, "argocd")
    await town.settle(5)
    assert (await town.app())["status"]["operationState"]["retryCount"] == 1
    right = repository.change(web__a_yaml=config_map("a"))
    state = await ended(town)
    assert (state["phase"], state["syncResult"]["revision"]) == ("Succeeded", right)
