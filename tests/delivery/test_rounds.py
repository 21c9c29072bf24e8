"""What goes unnoticed is noticed within a round, and a round in which nothing is wrong writes nothing."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from tests.delivery.test_plugins import FILES as PLUGIN_FILES
from tests.delivery.test_plugins import counted
from tests.delivery.test_projects_and_settings import set_config

from plumbline.delivery.rounds import COMPARED_S, due

from .town import config_map, story

KEYS = [("argocd", f"app-{number}") for number in range(600)]


@given(st.integers(1, 50), st.lists(st.integers(1, 20), min_size=1, max_size=20), st.integers(0, 10**8))
def test_each_has_its_turn_once_in_a_round_however_the_turns_are_cut(turns, steps, start):
    at, seen = start, Counter()
    for step in steps:
        seen.update(due(KEYS[:50], at, at + step, turns))
        at += step
    whole, rest = divmod(at - start, turns)
    # Turns that were missed for longer than a round are made up for once.
    most = whole + bool(rest)
    assert all(count <= most for count in seen.values())
    if at - start >= turns:
        assert set(seen) == set(KEYS[:50])


def test_a_round_is_even():
    sizes = [len(list(due(KEYS, turn - 1, turn, 60))) for turn in range(60)]
    assert sum(sizes) == len(KEYS)
    assert max(sizes) <= 4 * len(KEYS) / 60


def test_a_clock_that_goes_back_makes_no_turn():
    assert list(due(KEYS, 100, 40, 60)) == []


@story(files={"web/a.yaml": config_map("a")})
async def test_what_is_remembered_wrongly_is_put_right_within_a_round(town):
    await town.deploy(syncPolicy={})
    await town.sync()
    await town.synced()
    remembered = town.delivery._steps.comparing._found
    (key, (grounds, comparison)) = next(iter(remembered.items()))
    remembered[key] = (grounds, comparison._replace(status="OutOfSync"))
    town.delivery.controller.wake(key)
    await town.settle()
    assert (await town.app())["status"]["sync"]["status"] == "OutOfSync", "nothing has said that it is otherwise"
    await town.settle(COMPARED_S + 120)
    assert (await town.app())["status"]["sync"]["status"] == "Synced"


@story(files={"web/a.yaml": config_map("a")})
async def test_a_round_in_which_nothing_is_wrong_renders_and_writes_nothing(town):
    await town.deploy()
    before, renders = await town.synced(), town.renderer.counts.renders
    await town.settle(COMPARED_S + 120)
    after = await town.app()
    assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert town.renderer.counts.renders == renders


@story(files=PLUGIN_FILES)
async def test_everything_is_rendered_anew_as_often_as_the_setting_says(town):
    plugin = await counted(town)
    await town.settle(1800)
    assert plugin.made == 1
    await set_config(town, **{"timeout.hard.reconciliation": "10m"})
    await town.settle(1800)
    assert plugin.made == 4
    assert (await town.get("v1/configmaps", "made"))["data"] == {"count": "4"}
