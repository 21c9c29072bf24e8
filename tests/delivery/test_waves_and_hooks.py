"""Order: waves one after the other, hooks around them, and deletion in reverse."""

from .town import story

JOB = """apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  annotations:
    argocd.argoproj.io/hook: {hook}
    argocd.argoproj.io/hook-delete-policy: {policy}
spec:
  backoffLimit: 0
  template:
    metadata:
      annotations: {{sim.plumbline.dev/behavior: exit-{code}}}
    spec:
      restartPolicy: Never
      containers: [{{name: work, image: "busybox:1"}}]
"""


def waved(name, wave, *, kind="ConfigMap"):
    return (
        f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n  annotations:\n"
        f'    argocd.argoproj.io/sync-wave: "{wave}"\n'
    )


def job(name, hook, policy="BeforeHookCreation", code=0):
    return JOB.format(name=name, hook=hook, policy=policy, code=code)


WAVES = {f"web/{name}.yaml": waved(name, wave) for name, wave in (("two", 2), ("one", 1), ("zero", 0), ("first", -1))}


async def created_at(town, *names):
    return [(await town.get("v1/configmaps", name))["metadata"]["creationTimestamp"] for name in names]


@story(files=WAVES)
async def test_waves_come_one_after_the_other_with_a_pause_between(town):
    await town.deploy()
    await town.synced()
    times = await created_at(town, "first", "zero", "one", "two")
    assert times == sorted(times)
    assert len(set(times)) == 4


@story(files=WAVES)
async def test_deletion_goes_the_other_way(town):
    await town.deploy(metadata={"finalizers": ["resources-finalizer.argocd.argoproj.io"]})
    await town.synced()
    await town.delete("argoproj.io/v1alpha1/applications", "web", "argocd")
    await town.until(lambda: _gone(town))
    assert [name for verb, name in await town.effects() if verb == "delete"] == ["two", "one", "zero", "first"]


HANGING = job("before", "PreSync").replace("backoffLimit: 0", "backoffLimit: 0\n  suspend: true")


async def _hanging(town, **application):
    await town.deploy(**application)
    await town.sync()
    await town.settle(10)
    state = (await town.app())["status"]["operationState"]
    assert state["message"] == "waiting for completion of hook batch/Job/before"


@story(files={"web/a.yaml": waved("a", 0), "web/before.yaml": HANGING})
async def test_a_hook_does_not_outlive_a_sync_that_is_terminated(town):
    await _hanging(town, automated=False)
    ending = {"status": {"operationState": {"phase": "Terminating"}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", ending, "argocd")
    await town.settle(10)
    state = (await town.app())["status"]["operationState"]
    assert (state["phase"], state["message"]) == ("Failed", "Operation terminated")
    assert [(each["hookPhase"], each["message"]) for each in state["syncResult"]["resources"]] == [("Failed", "Terminated")]  # fmt: skip
    assert await town.get("batch/v1/jobs", "before") is None


@story(files={"web/a.yaml": waved("a", 0), "web/before.yaml": job("before", "PreSync", code=1)})
async def test_a_sync_that_is_terminated_between_two_attempts_tells_how_many_there_were(town):
    await town.deploy(automated=False)
    operation = {"sync": {}, "retry": {"limit": 3, "backoff": {"duration": "1h", "maxDuration": "2h"}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", {"operation": operation}, "argocd")
    await town.settle(60)
    assert ". Retrying attempt #1 at " in (await town.app())["status"]["operationState"]["message"]
    ending = {"status": {"operationState": {"phase": "Terminating"}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", ending, "argocd")
    await town.settle(10)
    state = (await town.app())["status"]["operationState"]
    assert (state["phase"], state["message"]) == ("Failed", "Operation terminated (retried 1 times).")


@story(files={"web/a.yaml": waved("a", 0), "web/before.yaml": HANGING})
async def test_an_application_that_goes_in_the_midst_of_a_sync_takes_its_hooks_along(town):
    await _hanging(town, automated=False, metadata={"finalizers": ["resources-finalizer.argocd.argoproj.io"]})
    await town.delete("argoproj.io/v1alpha1/applications", "web", "argocd")
    await town.settle(60)
    assert await town.app() is None
    assert await town.get("batch/v1/jobs", "before") is None


async def _gone(town):
    return await town.app() is None


@story(files={"web/a.yaml": waved("a", 0), "web/bye.yaml": job("bye", "PreDelete", code=1)})
async def test_an_application_that_waits_for_a_hook_of_its_deletion_can_be_refreshed(town):
    await town.deploy()
    await town.synced()
    await town.delete("argoproj.io/v1alpha1/applications", "web", "argocd")
    await town.settle(10)
    failed = [each["type"] for each in (await town.app())["status"]["conditions"]]
    assert failed == ["DeletionError"]
    slow = job("bye", "PreDelete").replace("exit-0", "exit-0, sim.plumbline.dev/run-for: 60s")
    town.repository.change(web__bye_yaml=slow)
    refresh = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", refresh, "argocd")
    await town.settle(20)
    app = await town.app()
    assert "annotations" not in app["metadata"], "it was dealt with"
    assert [each["type"] for each in app["status"]["conditions"]] == ["DeletionError"], "of the hook before"
    await town.until(lambda: _gone(town))


FAILING = """apiVersion: v1
kind: Pod
metadata: {name: bye, annotations: {argocd.argoproj.io/hook: PreDelete}}
spec: {restartPolicy: Never, containers: [{name: work, image: "busybox:1", command: ["false"]}]}
"""


@story(files={"web/a.yaml": waved("a", 0), "web/bye.yaml": FAILING})
async def test_a_hook_of_a_deletion_that_fails_at_once_is_not_run_without_a_pause(town):
    await town.deploy()
    await town.synced()
    await town.delete("argoproj.io/v1alpha1/applications", "web", "argocd")
    await town.settle(60)
    assert 5 < (await town.effects()).count(("create", "bye")) < 15


@story(files={"web/a.yaml": waved("a", 0)})
async def test_without_a_finalizer_only_the_application_goes(town):
    await town.deploy()
    await town.synced()
    await town.delete("argoproj.io/v1alpha1/applications", "web", "argocd")
    await town.settle()
    assert await town.app() is None
    assert await town.get("v1/configmaps", "a") is not None


@story(
    files={
        "web/a.yaml": waved("a", 0),
        "web/before.yaml": job("before", "PreSync"),
        "web/after.yaml": job("after", "PostSync", "HookSucceeded"),
    }
)
async def test_hooks_run_around_a_sync_and_once(town):
    await town.deploy()
    app = await town.synced(within_s=300)
    results = {each["name"]: each for each in app["status"]["operationState"]["syncResult"]["resources"]}
    assert results["before"]["hookType"] == "PreSync"
    assert results["before"]["hookPhase"] == "Succeeded"
    assert results["after"]["hookPhase"] == "Succeeded"
    before = await town.get("batch/v1/jobs", "before")
    assert "argocd.argoproj.io/hook-finalizer" not in before["metadata"].get("finalizers", [])
    assert await town.get("batch/v1/jobs", "after") is None
    uid = before["metadata"]["uid"]
    await town.settle(600)
    assert (await town.get("batch/v1/jobs", "before"))["metadata"]["uid"] == uid


@story(
    files={
        "web/a.yaml": waved("a", 0),
        "web/before.yaml": job("before", "PreSync", code=1),
        "web/sorry.yaml": job("sorry", "SyncFail"),
    }
)
async def test_a_hook_that_fails_ends_the_sync_and_runs_its_remedy(town):
    await town.deploy(automated=False)
    await town.sync()

    async def over():
        state = (await town.app()).get("status", {}).get("operationState", {})
        return state if state.get("phase") in {"Failed", "Error", "Succeeded"} else None

    state = await town.until(over, within_s=600)
    assert state["phase"] == "Failed"
    assert "one or more synchronization tasks completed unsuccessfully" in state["message"]
    assert await town.get("v1/configmaps", "a") is None
    assert await town.get("batch/v1/jobs", "sorry") is not None


@story(files={"web/a.yaml": waved("a", 0)})
async def test_a_namespace_is_made_where_that_is_asked_for(town):
    await town.deploy(
        options=["CreateNamespace=true"], destination={"server": "https://kubernetes.default.svc", "namespace": "fresh"}
    )
    await town.synced()
    assert await town.get("v1/configmaps", "a", "fresh") is not None


@story(files={"web/a.yaml": waved("a", 0)})
async def test_what_is_asked_of_the_namespace_later_is_synced_as_well(town):
    await town.deploy(
        options=["CreateNamespace=true"], destination={"server": "https://kubernetes.default.svc", "namespace": "fresh"}
    )
    await town.synced()
    for asked, labels in (
        ({"team": "a", "tier": "web"}, {"team": "a", "tier": "web"}),
        ({"tier": None}, {"team": "a"}),
    ):
        policy = {"managedNamespaceMetadata": {"labels": asked}}
        await town.patch("argoproj.io/v1alpha1/applications", "web", {"spec": {"syncPolicy": policy}}, "argocd")
        await town.settle(30)
        there = (await town.get("v1/namespaces", "fresh", ""))["metadata"]["labels"]
        assert {name: value for name, value in there.items() if "/" not in name} == labels
        status = (await town.app())["status"]
        assert status["sync"]["status"] == "Synced"
        assert status["operationState"]["syncResult"]["managedNamespaceMetadata"] == {"labels": labels}
    operations = [each for each in await town.effects() if each[1] == "fresh"]
    assert len(operations) == 3
    await town.settle(600)
    assert [each for each in await town.effects() if each[1] == "fresh"] == operations


@story(files={"web/a.yaml": waved("a", 0)})
async def test_a_namespace_that_is_to_change_makes_an_application_out_of_sync_that_is_synced_by_hand(town):
    await town.deploy(automated=False, options=["CreateNamespace=true"])
    await town.sync(syncOptions=["CreateNamespace=true"])
    await town.synced()
    policy = {"managedNamespaceMetadata": {"annotations": {"contact": "ada"}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", {"spec": {"syncPolicy": policy}}, "argocd")
    await town.settle()
    assert (await town.app())["status"]["sync"]["status"] == "OutOfSync"
    await town.sync(syncOptions=["CreateNamespace=true"])
    await town.synced()
    assert (await town.get("v1/namespaces", "shop", ""))["metadata"]["annotations"]["contact"] == "ada"
