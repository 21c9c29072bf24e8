"""What admission changes and refuses: request for request what the real server answers."""

from collections.abc import Iterator

import pytest
from tests.apiserver.admission.gates import COMPLETE_THEMES, THEMES
from tests.apiserver.scripts import goldens
from tests.apiserver.scripts.ours import OurServer
from tests.apiserver.scripts.steps import Script, Step, run
from tests.apiserver.strategies.chance import without_chance

from plumbline.apiserver.plane import Plane
from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock

EVERY = [(theme, name) for theme, scripts in THEMES.items() for name in scripts]
EVERY_COMPLETE = [(theme, name) for theme, scripts in COMPLETE_THEMES.items() for name in scripts]


def complete_plane() -> Plane:
    return Plane(LoopClock(), Ids(), controllers=False)


@pytest.fixture(scope="module")
def server() -> Iterator[OurServer]:
    made = OurServer()
    yield made
    made.close()


@pytest.fixture(scope="module")
def complete_server() -> Iterator[OurServer]:
    made = OurServer(complete_plane)
    yield made
    made.close()


def _disagreements(server: OurServer, theme: str, name: str, script: Script) -> str:
    namespace = f"{theme}-{list(goldens.load(theme)).index(name)}"
    run(server, [Step("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})], namespace)
    ours = without_chance(script, run(server, script, namespace), namespace)
    return "\n".join(goldens.disagreements(script, ours, goldens.load(theme)[name]))


@pytest.mark.parametrize(("theme", "name"), EVERY)
def test_ours_answers_as_the_real_server_does(server: OurServer, theme: str, name: str) -> None:
    assert not _disagreements(server, theme, name, THEMES[theme][name])


@pytest.mark.parametrize(("theme", "name"), EVERY_COMPLETE)
def test_ours_answers_as_the_real_server_does_with_all_plugins(
    complete_server: OurServer, theme: str, name: str
) -> None:
    assert not _disagreements(complete_server, theme, name, COMPLETE_THEMES[theme][name])


@pytest.mark.parametrize("theme", [*THEMES, *COMPLETE_THEMES])
def test_every_record_is_of_a_script_that_is_there(theme: str) -> None:
    assert goldens.load(theme).keys() == {**THEMES, **COMPLETE_THEMES}[theme].keys()
