"""What the server makes of objects on their way into the store: request for request what the real one answers."""

from collections.abc import Iterator

import pytest
from tests.apiserver.scripts import goldens
from tests.apiserver.scripts.ours import OurServer
from tests.apiserver.scripts.steps import Step, run
from tests.apiserver.strategies.chance import without_chance
from tests.apiserver.strategies.lives import life, manifests
from tests.apiserver.strategies.turns import THEMES

EVERY = [(theme, name) for theme, scripts in THEMES.items() for name in scripts]


@pytest.fixture(scope="module")
def server() -> Iterator[OurServer]:
    made = OurServer()
    yield made
    made.close()


def _namespace(server: OurServer, name: str) -> str:
    (made,) = run(server, [Step("POST", "/api/v1/namespaces", {"metadata": {"name": name}})], name)
    assert made.status == 201, made.body
    return name


@pytest.mark.parametrize(("theme", "name"), EVERY)
def test_ours_answers_as_the_real_server_does(server: OurServer, theme: str, name: str) -> None:
    script, namespace = THEMES[theme][name], _namespace(server, f"turn-{EVERY.index((theme, name))}")
    ours = without_chance(script, run(server, script, namespace), namespace)
    found = goldens.disagreements(script, ours, goldens.load(theme)[name])
    assert not found, "\n".join(found)


@pytest.mark.parametrize("theme", THEMES)
def test_every_record_is_of_a_script_that_is_there(theme: str) -> None:
    assert goldens.load(theme).keys() == THEMES[theme].keys()


def test_objects_of_every_kind_live_without_an_unexpected_error(server: OurServer) -> None:
    """That they live as on the real server is compared there: tests/conformance."""
    for number, obj in enumerate(manifests()):
        namespace = _namespace(server, f"life-{number}")
        replies = run(server, life(obj), namespace)
        assert replies[0].status == 201, (obj, replies[0].body)
        assert [reply.body for reply in replies if reply.status >= 500] == []
