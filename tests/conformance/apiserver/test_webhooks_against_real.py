"""What is recorded about webhooks is what the real server does. `PLUMBLINE_RECORD=1` records it anew.

That ours does the same is a test without a peer: tests/apiserver/webhooks/test_scenes.py.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.apiserver.scripts.steps import Step, run
from tests.apiserver.webhooks import stage
from tests.apiserver.webhooks.behaviours import BEHAVIOURS
from tests.apiserver.webhooks.hookserver import HookServer, hook_server
from tests.apiserver.webhooks.planes import collection, configuration, hook
from tests.apiserver.webhooks.scenes import SCENES
from tests.conformance.real import RealCluster

from plumbline.base.environment import environment
from plumbline.base.json import JsonObject

from .twins import RealServer

pytestmark = pytest.mark.conformance

_READY_S = 20


@dataclass(frozen=True)
class Stage:
    server: RealServer
    hooks: HookServer


@pytest.fixture(scope="module")
def ready(real_cluster: RealCluster) -> Iterator[Stage]:
    """All scenes set: the server takes a moment to notice new webhooks, so that it is waited once."""
    with hook_server(BEHAVIOURS) as hooks:
        found = Stage(RealServer(real_cluster), hooks)
        for name in SCENES:
            stage.set_scene(found.server, name, hooks)
        _await_all(found)
        yield found
        for sort in ("Mutating", "Validating"):
            run(found.server, [Step("DELETE", collection(sort))], "")


@pytest.fixture(scope="module")
def recorded() -> Iterator[dict[str, JsonObject]]:
    found = dict(stage.load()) if stage.GOLDEN.exists() else {}
    yield found
    if environment().get("PLUMBLINE_RECORD"):
        stage.save(found)


@pytest.mark.parametrize("name", SCENES)
def test_the_real_server_does_as_recorded(ready: Stage, recorded: dict[str, JsonObject], name: str) -> None:
    found = stage.played(ready.server, name, ready.hooks)
    if environment().get("PLUMBLINE_RECORD"):
        recorded[name] = found
    wrong = stage.disagreements(name, found, recorded[name])
    assert not wrong, "\n".join(wrong)


def _await_all(found: Stage) -> None:
    """Until webhooks that were made last are asked."""
    space = "hooks-ready"
    steps = [Step("POST", "/api/v1/namespaces", {"metadata": {"name": space}})]
    selector = {"matchLabels": {"kubernetes.io/metadata.name": space}}
    for sort in ("Mutating", "Validating"):
        client = found.hooks.client_config(f"/allow/{sort}")
        made = hook("ready.example.com", client, namespaceSelector=selector, rules=stage.CONFIG_MAPS)
        steps.append(Step("POST", collection(sort), configuration(sort, space, made)))
    assert all(reply.status == 201 for reply in run(found.server, steps, space))
    asking = Step("POST", "/api/v1/namespaces/{ns}/configmaps", {"metadata": {"generateName": "ready-"}})
    deadline = time.monotonic() + _READY_S
    while not {each.path for each in found.hooks.asked} >= {"/allow/Mutating", "/allow/Validating"}:
        assert time.monotonic() < deadline, "the real server does not ask webhooks"
        run(found.server, [asking], space)
        time.sleep(0.1)
