"""Ending a tool in the middle of its work: asked first, killed later, and nothing of it forgotten."""

import asyncio
import os
import signal
import threading

import pytest

from plumbline.base.errors import ApplyFailed, Interrupted, LimitExceeded, PlanStale, StorageFailed, TimedOut
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.tool import Bounds, Terms, Toolroom, gentle
from plumbline.terraform.work import Applying, Workplace

from .conftest import acting_room, kept_by, stand_in

PLAN = Plaintext(b"plan")


def event(type_, address, action="create"):
    return f'echo \'{{"type":"{type_}","hook":{{"resource":{{"addr":"{address}"}},"action":"{action}"}}}}\'\n'


BEGUN = event("apply_start", "a.one") + event("apply_complete", "a.one") + event("apply_start", "a.two")
ENDS_WHEN_ASKED = f"""
trap 'asked=yes' INT
{BEGUN}
while [ -z "$asked" ]; do sleep 0.05; done
echo saved > errored.tfstate
{event("apply_complete", "a.two")}
exit 1
"""
NEVER_ENDS = f"trap '' INT TERM\n{BEGUN}while :; do sleep 0.05; done\n"


def module(**commands):
    return MemoryTree({f"{name}.sh": text.encode() for name, text in commands.items()})


async def test_at_its_deadline_an_apply_is_asked_to_finish_what_it_is_at(acted):
    heard = []
    async with acted.opened(module(apply=ENDS_WHEN_ASKED), Workplace(), deadline_s=0.7) as session:
        with pytest.raises(Interrupted) as caught:
            await session.apply(Applying(plan=PLAN), heard.append)
    assert caught.value.unfinished == ()
    assert caught.value.state.reveal() == b"saved\n"
    assert [step.stage for step in heard] == ["started", "completed", "started", "completed"]


async def test_one_that_does_not_listen_is_killed_and_what_it_began_is_told(folder, tmp_path):
    room = acting_room(folder, stand_in(tmp_path), grace_s=0.2)
    async with room.opened(module(apply=NEVER_ENDS), Workplace(), deadline_s=0.5) as session:
        with pytest.raises(Interrupted) as caught:
            await session.apply(Applying(plan=PLAN))
    assert caught.value.unfinished == ("create a.two",)
    assert caught.value.state is None


async def test_a_run_that_is_cancelled_lets_its_apply_finish(acted):
    begun = asyncio.Event()
    heard = []

    def progress(step):
        heard.append((step.address, step.stage))
        if step.address == "a.two":
            begun.set()

    async def apply():
        async with acted.opened(module(apply=ENDS_WHEN_ASKED), Workplace()) as session:
            await session.apply(Applying(plan=PLAN), progress)

    task = asyncio.create_task(apply())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard[-1] == ("a.two", "completed")


async def test_state_that_nobody_took_is_there_for_the_next_run(acted):
    tree = module(apply=f"{BEGUN}echo unsaved > errored.tfstate; exit 1", state="cat > /dev/null")
    async with acted.opened(tree, Workplace(), key="a/b") as session:
        assert session.leftover is None
        with pytest.raises(ApplyFailed):
            await session.apply(Applying(plan=PLAN))
    async with acted.opened(tree, Workplace(), key="a/b") as session:
        assert session.leftover.reveal() == b"unsaved\n"
        await session.push(session.leftover)
        assert session.leftover is None
    async with acted.opened(tree, Workplace(), key="a/b") as session:
        assert session.leftover is None


async def test_after_an_interrupted_apply_there_is_time_to_save_its_state(acted):
    tree = module(apply=ENDS_WHEN_ASKED, state="cat > pushed")
    async with acted.opened(tree, Workplace(), deadline_s=0.7) as session:
        with pytest.raises(Interrupted) as caught:
            await session.apply(Applying(plan=PLAN))
        await session.push(caught.value.state)
    assert acted.ran["state"] == 1


async def test_a_real_apply_saves_its_state_when_it_is_asked_to_end(room, remote):
    tree = MemoryTree(
        {
            "main.tf": b'resource "terraform_data" "done" {\n}\nresource "terraform_data" "slow" {\n'
            b"  depends_on = [terraform_data.done]\n"
            b'  provisioner "local-exec" {\n    command = "sleep 60"\n  }\n}\n'
        }
    )
    slow = asyncio.Event()
    async with room.opened(tree, kept_by(remote)) as session:
        planned = await session.plan()

        async def apply():
            await session.apply(
                Applying(plan=planned.plan), lambda step: slow.set() if step.address.endswith("slow") else None
            )

        task = asyncio.create_task(apply())
        await slow.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert b"done" in remote.state


async def test_a_plan_that_never_ends_is_ended(acted):
    async with acted.opened(module(plan="sleep 60"), Workplace(), deadline_s=0.4) as session:
        with pytest.raises(TimedOut):
            await session.plan()
        with pytest.raises(TimedOut):
            await session.outputs()


async def test_an_apply_that_fails_before_it_began_has_nothing_to_tell(acted):
    said = '{"type":"diagnostic","diagnostic":{"severity":"error","summary":"Saved plan is stale"}}'
    async with acted.opened(module(apply=f"echo '{said}'; exit 1"), Workplace()) as session:
        with pytest.raises(PlanStale):
            await session.apply(Applying(plan=PLAN))


async def test_a_tool_that_is_killed_says_so(acted):
    async with acted.opened(module(apply=f"{BEGUN}kill -9 $$"), Workplace()) as session:
        with pytest.raises(ApplyFailed) as caught:
            await session.apply(Applying(plan=PLAN))
    assert caught.value.unfinished == ("create a.two",)


@pytest.mark.parametrize("line", ["", "nonsense", "[]", '{"hook": 3, "type": "apply_start"}', '{"type": []}'])
async def test_lines_that_mean_nothing_are_passed_over(acted, line):
    async with acted.opened(module(apply=f"echo '{line}'"), Workplace()) as session:
        assert (await session.apply(Applying(plan=PLAN))).steps == ()


async def test_more_than_allowed_is_refused(folder, tmp_path):
    bounds = Bounds(plan_bytes=1000, answer_bytes=5000)
    room = acting_room(folder, stand_in(tmp_path), bounds=bounds)
    huge = 'for out in "$@"; do :; done; head -c 2000 /dev/zero > "${out#-out=}"'
    flood = "yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | head -n 1000"
    async with room.opened(module(plan=huge, output=flood, apply=flood), Workplace()) as session:
        with pytest.raises(LimitExceeded):
            await session.plan()
        with pytest.raises(LimitExceeded):
            await session.outputs()
        # An apply is not ended because it talks too much: what it does is worth more.
        await session.apply(Applying(plan=PLAN))


async def test_a_full_disk_is_told_as_such(folder, terraform):
    async def give():
        return terraform

    room = Toolroom(folder, give, terms=Terms(bounds=Bounds(file_bytes=600)))
    code = b'resource "terraform_data" "x" {\n  input = "' + b"x" * 5000 + b'"\n}\n'
    with pytest.raises(StorageFailed):
        async with room.opened(MemoryTree({"main.tf": code}), Workplace()) as session:
            await session.plan()


@pytest.fixture
def signals():
    kept = {number: signal.getsignal(number) for number in (signal.SIGCHLD, signal.SIGTERM)}
    descriptor = signal.set_wakeup_fd(-1)
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)
    signal.set_wakeup_fd(descriptor)


@pytest.mark.parametrize(
    ("script", "code", "why"),
    [
        ("sleep 0.1; exit 7", 7, "its exit code is ours"),
        ("sleep 0.1; kill -9 $$", 137, "as a shell tells of a signal"),
        ("trap 'exit 5' INT; while :; do sleep 0.02; done", 5, "it is asked by an interrupt"),
    ],
)
def test_a_tool_is_run_gently(signals, script, code, why):
    asking, asked = os.pipe()
    later = threading.Timer(0.5, os.write, [asked, gentle.STOP])
    later.start()
    assert gentle.main(["/bin/sh", "-c", script], asking) == code, why
    later.join()
    os.close(asking)
    os.close(asked)


def test_a_tool_is_not_asked_by_somebody_who_has_died(signals):
    """Whoever dies takes the tool along; that it was asked just before would decide at random what is in its state."""
    asking, asked = os.pipe()
    os.close(asked)
    assert gentle.main(["/bin/sh", "-c", "trap 'exit 5' INT; sleep 0.3; exit 7"], asking) == 7
    os.close(asking)


def test_a_tool_is_asked_when_we_are(signals):
    asking, asked = os.pipe()
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGTERM]).start()
    script = "trap 'exit 5' INT; while :; do sleep 0.02; done"
    assert gentle.main(["/bin/sh", "-c", script], asking) == 5
    os.close(asking)
    os.close(asked)
