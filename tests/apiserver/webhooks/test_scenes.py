"""Webhooks are asked, and their answers taken, as the real server was recorded to do it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.apiserver.webhooks import stage
from tests.apiserver.webhooks.behaviours import BEHAVIOURS
from tests.apiserver.webhooks.hookserver import HookServer, hook_server
from tests.apiserver.webhooks.planes import HookedServer
from tests.apiserver.webhooks.scenes import SCENES

RECORDED = stage.load()


@dataclass(frozen=True)
class Stage:
    server: HookedServer
    hooks: HookServer


@pytest.fixture(scope="module")
def ready() -> Iterator[Stage]:
    with hook_server(BEHAVIOURS) as hooks:
        found = Stage(HookedServer(), hooks)
        for name in SCENES:
            stage.set_scene(found.server, name, hooks)
        yield found
        hooks.released.set()
        found.server.close()


@pytest.mark.parametrize("name", SCENES)
def test_does_as_the_real_server(ready: Stage, name: str) -> None:
    wrong = stage.disagreements(name, stage.played(ready.server, name, ready.hooks), RECORDED[name])
    assert not wrong, "\n".join(wrong)


def test_everything_recorded_is_still_played() -> None:
    assert set(RECORDED) == set(SCENES)
