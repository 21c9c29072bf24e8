"""A hook is a write like any other: what is somebody else's is neither replaced nor deleted for it, nor is anything begun."""

from plumbline.delivery.effects import Effects

from .test_waves_and_hooks import job
from .town import config_map, story

APPS = "argoproj.io/v1alpha1/applications"
PLAIN = """apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  backoffLimit: 0
  template:
    metadata:
      annotations: {sim.plumbline.dev/behavior: exit-0}
    spec:
      restartPolicy: Never
      containers: [{name: work, image: "busybox:1"}]
"""
ONE = {"one/a.yaml": config_map("one")}
TWO = {"two/b.yaml": config_map("two")}
POLICIES = "BeforeHookCreation,HookSucceeded,HookFailed"
NO_RETRY = {"automated": {"selfHeal": True, "prune": True}, "retry": {"limit": 1, "backoff": {"duration": "1s"}}}


def by_hand(**metadata):
    pod = {"restartPolicy": "Never", "containers": [{"name": "work", "image": "busybox:1"}]}
    spec = {"template": {"spec": pod}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "migrate", **metadata}, "spec": spec}


async def uid(town, name="migrate"):
    found = await town.get("batch/v1/jobs", name)
    return found["metadata"]["uid"] if found else None


async def refused(town, name="two"):
    """The message of the sync that came to nothing."""
    await town.deploy(name, syncPolicy=NO_RETRY)

    async def over():
        state = (await town.app(name)).get("status", {}).get("operationState", {})
        return state["message"] if state.get("phase") in {"Failed", "Error"} else ""

    return await town.until(over, within_s=120)


def names_both(message):
    assert "is owned by Application argocd/one" in message
    assert "Application argocd/two claims it" in message
    assert "Run `plumb own explain Job.batch/shop/migrate`" in message


async def nothing_was_begun(town, before):
    await town.settle(60)
    assert await uid(town) == before
    assert await town.get("v1/configmaps", "two") is None
    assert {name for _, name in await town.effects()} <= {"one", "migrate"}


@story(files={**ONE, **TWO, "one/hook.yaml": job("migrate", "PreSync"), "two/hook.yaml": job("migrate", "PreSync", POLICIES)})  # fmt: skip
async def test_a_hook_that_another_application_has_is_not_replaced(town):
    await town.deploy("one")
    await town.synced("one", within_s=120)
    before = await uid(town)
    names_both(await refused(town))
    await nothing_was_begun(town, before)


@story(files={**ONE, **TWO, "one/job.yaml": PLAIN, "two/hook.yaml": job("migrate", "PreSync", POLICIES)})
async def test_an_object_that_another_application_delivers_is_not_replaced_by_a_hook(town):
    await town.deploy("one")
    await town.synced("one", within_s=120)
    before = await uid(town)
    names_both(await refused(town))
    await nothing_was_begun(town, before)


@story(files={**ONE, **TWO, "one/hook.yaml": job("migrate", "PreSync"), "two/job.yaml": PLAIN, "two/hook.yaml": job("prepare", "PreSync")})  # fmt: skip
async def test_what_is_anothers_hook_is_not_taken_as_a_plain_object_and_no_hook_runs_before_that_is_known(town):
    await town.deploy("one")
    await town.synced("one", within_s=120)
    before = await uid(town)
    names_both(await refused(town))
    await nothing_was_begun(town, before)
    assert await uid(town, "prepare") is None


@story(files={**TWO, "two/hook.yaml": job("migrate", "PreSync", POLICIES)})
async def test_a_job_that_somebody_made_by_hand_is_left_alone_and_the_way_out_is_named(town):
    before = (await town.create("batch/v1/jobs", by_hand(), "shop"))["metadata"]["uid"]
    message = await refused(town)
    assert "Job.batch/shop/migrate is there already, and it is not a hook of Application argocd/two" in message
    assert "Give the hook another name, or delete what is there." in message
    await nothing_was_begun(town, before)
    await town.delete("batch/v1/jobs", "migrate")
    await town.settle(30)
    town.repository.change(two__b_yaml=config_map("two", "2"))
    await town.synced("two", within_s=120)


@story(files={**TWO, "two/hook.yaml": job("migrate", "PreSync", "HookSucceeded")})
async def test_without_a_policy_that_replaces_it_a_job_made_by_hand_is_not_written_over_either(town):
    before = await town.create("batch/v1/jobs", by_hand(), "shop")
    assert "not a hook of Application argocd/two" in await refused(town)
    after = await town.get("batch/v1/jobs", "migrate")
    assert "annotations" not in after["metadata"]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]


@story(files={**TWO, "two/hook.yaml": job("migrate", "PreSync")})
async def test_what_an_earlier_controller_left_of_a_hook_makes_way(town):
    """It says that it is a hook, and nobody claims it: so came those from another engine, or with another mark."""
    note = {"argocd.argoproj.io/hook": "PreSync"}
    before = (await town.create("batch/v1/jobs", by_hand(annotations=note), "shop"))["metadata"]["uid"]
    await town.deploy("two")
    await town.synced("two", within_s=120)
    assert await uid(town) != before


@story(files={**ONE, **TWO, "two/hook.yaml": job("migrate", "PreSync")})
async def test_a_job_that_comes_while_the_hook_is_being_made_is_not_taken_over(town):
    """Nobody could see it when the sync was planned: its creation is refused, and then it is looked at."""
    made = Effects.create

    async def late(self, desired, manner):
        if desired.ref.name == "migrate" and await uid(town) is None:
            await town.create("batch/v1/jobs", by_hand(), "shop")
        return await made(self, desired, manner)

    Effects.create = late
    try:
        message = await refused(town)
    finally:
        Effects.create = made
    assert "not a hook of Application argocd/two" in message
    assert "annotations" not in (await town.get("batch/v1/jobs", "migrate"))["metadata"]


@story(files={**ONE, **TWO, "two/a.yaml": config_map("one"), "two/hook.yaml": job("bye", "PreDelete")})
async def test_an_application_with_hooks_of_deletion_takes_nothing_along_that_is_anothers(town):
    await town.deploy("one")
    await town.synced("one")
    before = (await town.get("v1/configmaps", "one"))["metadata"]["uid"]
    cascade = {"finalizers": ["resources-finalizer.argocd.argoproj.io"]}
    await town.deploy("two", metadata=cascade, syncPolicy=NO_RETRY)
    await town.settle(60)
    await town.delete(APPS, "two", "argocd")
    await town.settle(120)
    assert await town.app("two") is None
    assert (await town.get("v1/configmaps", "one"))["metadata"]["uid"] == before
