"""What goes wrong is said, tried again as the object says, and never makes anything twice."""

import asyncio
import base64

from tests.terraform.works import BY_HAND, FIRST, HOME, SECOND, SECRETS, condition, running, story, terraform

from plumbline.base.errors import StorageFailed, ToolFailed, Unreachable
from plumbline.base.json import encode
from plumbline.kube.client import Target
from plumbline.terraform.state import Place, read


@story
async def test_a_plan_that_fails_is_tried_again_after_the_retry_interval(works):
    works.cloud.failing = ToolFailed("terraform plan failed", why="no such variable", exit_code=1)
    await works.apply(terraform())
    found = await works.told("Ready", "False", "TFExecPlanFailed")
    assert "no such variable" in condition(found, "Ready")["message"]
    await asyncio.sleep(95)
    assert works.cloud.ran.count("plan") == 4
    assert (await works.get())["status"]["reconciliationFailures"] == 4
    works.cloud.failing = None
    found = await works.told("Ready", "True")
    assert found["status"]["reconciliationFailures"] == 0


@story
async def test_patience_grows_where_the_object_asks_for_it(works):
    works.cloud.failing = ToolFailed("terraform plan failed", why="no such variable", exit_code=1)
    await works.apply(terraform(retryStrategy="ExponentialBackoff", maxRetryInterval="100s"))
    await works.told("Ready", "False", "TFExecPlanFailed")
    await asyncio.sleep(60 * 60)
    assert 30 <= works.cloud.ran.count("plan") <= 40


@story
async def test_after_so_many_failures_it_gives_up_until_something_moves(works):
    works.cloud.failing = ToolFailed("terraform plan failed", why="no such variable", exit_code=1)
    await works.apply(terraform(remediation={"retries": 2}))
    await works.told("Stalled", "True", "RetryLimitReached")
    runs = works.cloud.ran.count("plan")
    assert runs == 3
    await asyncio.sleep(3600)
    assert works.cloud.ran.count("plan") == runs
    works.cloud.failing = None
    await works.pushed(SECOND, a="1")
    await works.told("Ready", "True")


@story
async def test_a_source_that_is_missing_is_waited_for(works):
    works.sources.missing = True
    await works.apply(terraform())
    await works.told("Ready", "False", "ArtifactFailed")
    works.sources.missing = False
    works.look()
    await works.told("Ready", "True")


@story
async def test_a_state_that_moved_makes_an_approval_void(works):
    await works.apply(terraform(approvePlan=""))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    place = Place(HOME, "default", "network")
    await _bump(works, place)
    await works.patch({"spec": {"approvePlan": "plan-main-1111111111"}})
    await asyncio.sleep(5)
    assert any("the state is at serial" in message for reason, message in await works.events())
    found = await works.told("Ready", "True")
    assert works.cloud.ran == ["plan", "plan", "apply"], "the id means the revision, and the new plan has the same"
    assert found["status"]["lastAppliedRevision"] == FIRST


@story
async def test_by_digest_not_even_a_plan_of_the_same_revision_is_taken_for_the_approved_one(works):
    await works.apply(terraform(approvePlan=""))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    digest = (await works.pending()).digest
    await _bump(works, Place(HOME, "default", "network"))
    await works.patch({"spec": {"approvePlan": digest}})
    await asyncio.sleep(30)
    assert "apply" not in works.cloud.ran


@story
async def test_a_controller_that_dies_within_an_apply_leaves_a_list_and_no_lock(works):
    died = asyncio.Event()

    async def hang():
        died.set()
        await asyncio.Event().wait()

    works.cloud.within_apply = hang
    await works.apply(terraform())
    await asyncio.wait_for(died.wait(), 60)
    await works.crash()
    works.cloud.within_apply = None
    assert works.cloud.log == [("create", "a")]
    async with running(works, host="there"):
        found = await works.told("Ready", "Unknown", "may be left from a run that died")
        assert works.cloud.log == [("create", "a")], "nothing is applied a second time"
        assert any(reason == "RunInterrupted" and "terraform_data.a" in said for reason, said in await works.events())
        lease = await works.lease("network")
        assert not lease["spec"].get("holderIdentity")
        await works.patch({"spec": {"approvePlan": found["status"]["plan"]["pending"]}})
        await works.told("Ready", "True")
        assert "plumbline.dev/may-be-left-behind" not in (await works.get())["metadata"].get("annotations", {})


@story
async def test_somebody_elses_lock_is_explained_and_opened_only_where_that_is_said(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    await works.lock("network", "0f0f0f0f-0000-4000-8000-000000000000")
    await works.pushed(SECOND, a="1", b="2")
    found = await works.told("StateLocked", "True", "ann@laptop")
    assert found["status"]["lock"]["pending"] == "0f0f0f0f-0000-4000-8000-000000000000"
    assert works.cloud.resources == {"a": "1"}
    await works.patch({"spec": {"tfstate": {"forceUnlock": "auto"}}})
    await works.told("Ready", "True", SECOND)
    assert works.cloud.resources == {"a": "1", "b": "2"}


@story
async def test_state_is_copied_after_each_apply(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    ((place, revision, digest, text),) = works.copies.kept
    assert (place.endswith("network"), revision, len(digest)) == (True, FIRST, 64)
    assert text == (await read(works.client, Place(HOME, "default", "network"))).text


@story
async def test_a_failure_of_many_words_is_told_as_far_as_a_status_takes_it(works):
    works.cloud.failing = ToolFailed("terraform plan failed", why="no such variable\n" * 4000, exit_code=1)
    await works.apply(terraform())
    found = await works.told("Ready", "False", "TFExecPlanFailed")
    assert "no such variable" in condition(found, "Plan")["message"]


@story
async def test_what_came_of_a_run_is_taken_in_once_the_server_takes_it(works):
    send, refused = works.wire.send, []

    async def refusing(request):
        if request.method in {"PATCH", "DELETE"} and "/secrets/tfplan-" in request.path and len(refused) < 40:
            refused.append(request.path)
            raise Unreachable("the API server is away", sent=False)
        return await send(request)

    works.wire.send = refusing
    await works.apply(terraform())
    await works.told("Ready", "False", "the API server is away")
    await works.told("Ready", "True")
    assert works.cloud.ran == ["plan", "apply"], "what is known already is not found out again"


@story
async def test_a_state_is_copied_once_the_disk_takes_it(works):
    keep, full = works.copies.keep, []

    async def keeping(*args, **said):
        if len(full) < 3:
            full.append(said)
            raise StorageFailed("The state is not copied", why="No space left on device")
        await keep(*args, **said)

    works.copies.keep = keeping
    await works.apply(terraform())
    found = await works.told("Ready", "False", "No space left on device")
    assert "Free some space" in condition(found, "Ready")["message"]
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    assert len(works.copies.kept) == 1
    assert works.cloud.ran == ["plan", "apply"]


async def _bump(works, place):
    """Somebody has applied something else in the meantime."""
    session = works.tools.session(place)
    await session.write({"serial": 7, "resources": {}})


@story
async def test_an_object_whose_run_failed_is_deleted_at_once(works):
    works.cloud.failing = ToolFailed("no such provider")
    await works.apply(terraform(retryInterval="1h"))
    await works.told("Ready", "False", "TFExecPlanFailed")
    await works.annotate(reconcile_fluxcd_io__requestedAt="now")
    await works.delete()
    await works.until(lambda: _gone(works), within_s=60)


@story
async def test_a_damaged_state_stops_everything_and_the_last_good_copy_is_offered(works):
    await works.apply(terraform())
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    ran = list(works.cloud.ran)
    secret = Target(SECRETS, HOME, "tfstate-default-network")
    broken = {"data": {"tfstate": base64.b64encode(b"no gzip").decode()}}
    await works.client.patch(secret, encode(broken), "merge", BY_HAND)
    await works.pushed(SECOND, a="1", b="2")
    found = await works.told("Ready", "False", "damaged")
    assert "There are 1 copies" in condition(found, "Ready")["message"]
    assert works.cloud.ran == ran, "nothing is run with it"


@story
async def test_a_commit_that_arrives_while_a_run_fails_is_not_kept_waiting(works):
    works.cloud.failing = ToolFailed("no such variable")

    async def push():
        works.cloud.failing = None
        await works.pushed(SECOND, a="1")

    works.cloud.before_failing = push
    await works.apply(terraform(retryInterval="1h"))
    await works.until(lambda: _ready(works), within_s=60)
    assert works.cloud.log == [("create", "a")]


async def _ready(works):
    return condition(await works.get(), "Ready").get("status") == "True"


async def _gone(works):
    return await works.get() is None
