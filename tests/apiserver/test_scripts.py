"""Request for request what the real server answers, as it was recorded by the conformance tests."""

from collections.abc import Iterator

import pytest
from tests.apiserver.scripts import EVERY, THEMES, goldens
from tests.apiserver.scripts.normal import normalised
from tests.apiserver.scripts.ours import OurServer
from tests.apiserver.scripts.steps import Step, run


@pytest.fixture(scope="module")
def server() -> Iterator[OurServer]:
    made = OurServer()
    yield made
    made.close()


@pytest.mark.parametrize(("theme", "name"), EVERY)
def test_ours_answers_as_the_real_server_does(server: OurServer, theme: str, name: str) -> None:
    script, namespace = THEMES[theme][name], f"script-{EVERY.index((theme, name))}"
    run(server, [Step("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})], namespace)
    ours = normalised(script, run(server, script, namespace), namespace)
    found = goldens.disagreements(script, ours, goldens.load(theme)[name])
    assert not found, "\n".join(found)


@pytest.mark.parametrize("theme", THEMES)
def test_every_record_is_of_a_script_that_is_there(theme: str) -> None:
    assert goldens.load(theme).keys() == THEMES[theme].keys()
