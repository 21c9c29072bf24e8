"""What holds for every sync, whatever it is made of and wherever it is killed."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.delivery.sync.world import STARTED, World, desired, everything, synced

from plumbline.delivery.sync import Run, Sync, plan

_KINDS = ("ConfigMap", "Deployment", "Namespace", "Widget", "ClusterRole")
_waves = st.integers(-2, 3)


@st.composite
def _worlds(draw, *, hooks=True):
    """Something in Git, and something that is there: the same, older, or no longer wanted."""
    wanted, world = [], World()
    for number in range(draw(st.integers(0, 6))):
        kind, wave = draw(st.sampled_from(_KINDS)), str(draw(_waves))
        each = desired(kind, f"r{number}", wave=wave, spec={"new": True})
        wanted.append(each)
        before = draw(st.sampled_from(("absent", "same", "older")))
        if before != "absent":
            older = desired(kind, f"r{number}", wave=wave, spec={"new": False}).body
            world.put(each, body=each.body if before == "same" else older)
    for number in range(draw(st.integers(0, 3)) if hooks else 0):
        phases = draw(st.lists(st.sampled_from(("PreSync", "Sync", "PostSync", "SyncFail")), min_size=1, max_size=2))
        policy = draw(st.sampled_from(("BeforeHookCreation", "HookSucceeded", "HookFailed", "")))
        named = draw(st.booleans())
        hook = desired(
            draw(st.sampled_from(("Job", "ConfigMap"))),
            f"h{number}" if named else "",
            generate="" if named else f"h{number}-",
            hook=",".join(phases),
            policy=policy,
            wave=str(draw(_waves)),
        )
        wanted.append(hook)
        if named and draw(st.booleans()):
            world.put(hook, finalizers=draw(st.sampled_from(((), ("argocd.argoproj.io/hook-finalizer",)))))
    for number in range(draw(st.integers(0, 4))):
        world.put(desired(draw(st.sampled_from(_KINDS)), f"x{number}", wave=str(draw(_waves))))
    return world, wanted


def _copy(world):
    return replace(world, objects={at: replace(each) for at, each in world.objects.items()}, effects=[])


_sync = Sync(started_at=STARTED, revision="0123456789abcdef", namespace="ns", prune=True)


@given(_worlds())
def test_every_task_is_done_exactly_once(made):
    world, wanted = made
    tasks = plan(_sync, wanted, world.live(), everything)
    same = {at for at, each in world.objects.items() if any(w.ref == at and w.body == each.body for w in wanted)}
    end, _ = synced(world, _sync, wanted)
    assert end.phase == "Succeeded"
    effects = world.counted()
    for task in tasks:
        if task.phase == "SyncFail":
            assert effects["apply", task.ref, task.phase] == 0
        elif task.pruning:
            assert effects["prune", task.ref] == 1
        else:
            assert effects["apply", task.ref, task.phase] == (0 if task.ref in same and not task.hook else 1)
    assert sum(count for effect, count in effects.items() if effect[0] == "prune") == sum(
        bool(t.pruning) for t in tasks
    )


@given(_worlds())
def test_steps_never_overlap(made):
    world, wanted = made
    order = [task.step for task in plan(_sync, wanted, world.live(), everything)]
    done = []

    def watch(move, _tasks):
        if isinstance(move, Run):
            steps = {task.step for batch in move.applies for task in batch} | {p.task.step for p in move.prunes}
            assert len(steps) <= 1
            done.extend(steps)

    synced(world, _sync, wanted, watch=watch, replan=False)
    assert done == sorted(done, key=order.index)


@given(_worlds(hooks=False))
def test_what_was_made_first_goes_last(made):
    world, wanted = made
    waves = {at: _wave(each) for at, each in world.objects.items()}
    synced(world, _sync, wanted, replan=False)
    pruned = [waves[effect[1]] for effect in world.effects if effect[0] == "prune"]
    assert pruned == sorted(pruned, reverse=True)


def _wave(each):
    world = World(objects={})
    return int(world._cached(each).meta.annotations["argocd.argoproj.io/sync-wave"])


@given(_worlds(), st.data())
@settings(max_examples=2 * settings.default.max_examples)
def test_a_sync_that_is_killed_anywhere_does_nothing_twice_and_comes_to_the_same_end(made, data):
    world, wanted = made
    undisturbed = _copy(world)
    end, _ = synced(undisturbed, _sync, wanted)
    killed = _copy(world)
    killed.kill_after = data.draw(st.integers(1, max(len(undisturbed.effects), 1)))
    resumed, _ = synced(killed, _sync, wanted)
    assert killed.counted() == undisturbed.counted()
    assert killed.state() == undisturbed.state()
    assert resumed.phase == end.phase
    assert {_outcome(row) for row in resumed.results} == {_outcome(row) for row in end.results}


def _outcome(row):
    return row.kind, row.name, row.sync_phase, row.status


@given(
    _worlds(), st.sets(st.sampled_from(("r0", "r1", "r2", "h0", "h1"))), st.sets(st.sampled_from(("r0", "r3", "h1")))
)
def test_a_sync_that_fails_ends_in_time_and_repeats_nothing(made, failing, refusing):
    world, wanted = made
    world.failing, world.refusing = frozenset(failing), frozenset(refusing)
    end, moves = synced(world, _sync, wanted)
    assert end.phase in {"Succeeded", "Failed"}
    assert moves <= 12 * (len(wanted) * 2 + len(world.objects) + 4)
    assert all(count == 1 for effect, count in world.counted().items() if effect[0] in {"apply", "prune"})
    if end.phase == "Succeeded":
        assert all(row.hook_phase not in {"Failed", "Error"} for row in end.results)


@given(_worlds())
def test_nothing_is_left_behind_that_blocks_a_deletion(made):
    world, wanted = made
    end, _ = synced(world, _sync, wanted)
    ran = {(row.kind, row.name) for row in end.results if row.hook_type}
    assert [at for at, each in world.objects.items() if (at.kind, at.name) in ran and each.finalizers] == []


@given(_worlds())
def test_a_dry_run_changes_nothing(made):
    world, wanted = made
    before = world.state()
    end, _ = synced(world, Sync(started_at=STARTED, revision="0123456789", prune=True, dry=True), wanted)
    assert end.phase == "Succeeded"
    assert world.state() == before
    assert {effect[0] for effect in world.effects} <= {"apply"}
