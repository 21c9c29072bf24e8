"""An application that is poison hurts nobody but itself, now and after a restart."""

import asyncio
from types import MappingProxyType

import pytest
from tests.delivery.town import SERVER, application, config_map, story

from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Key
from plumbline.base.errors import TimedOut
from plumbline.base.json import encode
from plumbline.kernel.faults.simulation import Plan, differences

from .scenarios import POLICY, WAVES
from .stage import Delivering, People, day

GOOD = {"web/a.yaml": config_map("a")}
APPLICATIONS = Collection("argoproj.io", "applications")
HUGE = {"retry": {"limit": -(2**31), "backoff": {"duration": "9" * 30 + "h", "maxDuration": "-5m", "factor": -3}}}
EMPTY = application(path="empty")["spec"]
GARBAGE = {
    "number": {"spec": 3},
    "empty": {"spec": {}},
    "types": {"spec": {"project": ["default"], "source": ["a"], "destination": 7, "syncPolicy": "yes"}},
    "huge": {"spec": {**EMPTY, "syncPolicy": {"automated": {"prune": True}, **HUGE}}},
    "status": {"spec": EMPTY, "status": "fine", "operation": {"sync": 7}},
    "history": {"spec": EMPTY, "status": {"history": [7, {"id": "x"}], "operationState": {"phase": 3}}},
    "large": {"spec": EMPTY, "metadata": {"annotations": {"note": "x" * 1_500_000}}},
    "notes": {"spec": EMPTY, "metadata": {"annotations": {"plumbline.dev/depends-on": ",,/,a/b/c,", "argocd.argoproj.io/refresh": "\x00", "plumbline.dev/rollback": "{"}}},
}  # fmt: skip


async def force(plane, name, garbage):
    """Put an Application into storage past every check, as an older definition might have left it."""
    key = Key(APPLICATIONS, "argocd", name)
    metadata = {"name": name, "namespace": "argocd", "uid": f"uid-{name}", "generation": 1} | garbage.get(
        "metadata", {}
    )

    def body(revision):
        whole = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", **garbage}
        return encode(whole | {"metadata": {**metadata, "resourceVersion": str(revision)}})

    await plane.store.put(key, None, body)


class Poisoned(Delivering):
    """Every sort of garbage, and one application that is none."""

    files = MappingProxyType({**WAVES, "empty/nothing.txt": ""})

    async def people(self, client, world):
        for name, garbage in sorted(GARBAGE.items()):
            await force(self.cluster.plane, name, garbage)
        people = People(client, self.repository)
        await people.deploy(syncPolicy=POLICY)
        await people.synced()


def test_row_27_garbage_is_there_from_the_start_and_the_others_are_delivered():
    found = day(Poisoned)
    assert found.result.deaths == 0
    assert found.application["status"]["sync"]["status"] == "Synced"
    state = found.result.state
    for name in ("number", "types", "empty"):
        status = state[("applications", "argocd", name)]["status"]
        assert [each["type"] for each in status["conditions"]] == ["InvalidSpecError"], name
    operation = state[("applications", "argocd", "status")]["status"]["operationState"]
    assert operation["phase"] == "Error"
    assert "operation.sync cannot be used" in operation["message"]


@pytest.mark.parametrize("number", [2, 9, 20])
def test_row_27_garbage_makes_no_crash_loop_of_a_restart(number):
    calm, killed = day(Poisoned), day(Poisoned, Plan(3, kill_at=(number, "after")))
    assert killed.result.deaths == 1
    assert differences(calm.result, killed.result) == []


@story(files={**GOOD, "bad/broken.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [1, 2\nb: }"})
async def test_a_source_that_never_renders_is_said_and_not_rendered_in_a_loop(town):
    await town.deploy("bad")
    await town.deploy("web")
    await town.synced("web", within_s=10)
    await town.settle(600)
    (condition,) = (await town.app("bad"))["status"]["conditions"]
    assert condition["type"] == "ComparisonError"
    assert "broken.yaml" in condition["message"]
    assert town.renderer.counts.renders <= 10


@story(files={**GOOD, **{f"hang{n}/a.yaml": config_map(f"h{n}") for n in range(4)}})
async def test_a_source_that_renders_for_ever_keeps_nobody_waiting(town):
    render = town.renderer.render

    async def slowly(request):
        if request.app.name.startswith("hang"):
            await asyncio.sleep(90)
            raise TimedOut("Rendering took longer than 90 s")
        return await render(request)

    town.renderer.render = slowly
    for n in range(4):
        await town.deploy(f"hang{n}")
    await town.deploy("web")
    await town.synced("web", within_s=10)
    await town.settle(300)
    assert "longer than 90 s" in str((await town.app("hang0"))["status"]["conditions"])


@story(files={**GOOD, "odd/b.yaml": config_map("b")})
async def test_a_live_object_that_is_garbage_is_mended_or_named_and_the_others_go_on(town):
    notes = {
        "kubectl.kubernetes.io/last-applied-configuration": "{{{",
        "argocd.argoproj.io/tracking-id": "odd:::///",
        "argocd.argoproj.io/sync-wave": "NaN",
        "argocd.argoproj.io/sync-options": "\t,,=,",
    }
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "annotations": notes}, "data": {"x": ""}}
    await town.create("v1/configmaps", body, "shop")
    await town.deploy("odd")
    await town.deploy("web")
    await town.synced("web", within_s=10)
    await town.synced("odd", within_s=60)
    assert (await town.get("v1/configmaps", "b"))["data"]["value"] == "1"


@story(files=GOOD)
async def test_a_destination_that_nobody_knows_is_that_applications_problem(town):
    await town.deploy("lost", destination={"server": "https://nowhere.example.org", "namespace": "shop"}, path="web")
    await town.deploy("both", destination={"server": SERVER, "name": "in-cluster", "namespace": "shop"}, path="web")
    await town.deploy("web")
    await town.synced("web", within_s=10)
    for name in ("lost", "both"):
        assert (await town.app(name))["status"]["conditions"][0]["type"] == "InvalidSpecError"
