"""The recorded answers to all scripts are those of the real server. `PLUMBLINE_RECORD=1` records them anew.

That ours gives the same answers is a test without a peer: tests/apiserver/test_scripts.py.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.apiserver.scripts import EVERY, THEMES, goldens
from tests.apiserver.scripts.goldens import Golden

from plumbline.base.environment import environment

from .conftest import Answered

pytestmark = pytest.mark.conformance

_THREADS = 8


@pytest.fixture(scope="module")
def answers(really: Answered) -> dict[tuple[str, str], Golden]:
    """All of them, asked for at once: most of the time somebody waits for the end of a watch."""
    with ThreadPoolExecutor(_THREADS) as threads:
        found = threads.map(lambda each: really(THEMES[each[0]][each[1]]), EVERY)
        return dict(zip(EVERY, found, strict=True))


@pytest.mark.parametrize(("theme", "name"), EVERY)
def test_the_real_server_answers_as_recorded(answers: dict[tuple[str, str], Golden], theme: str, name: str) -> None:
    answered = answers[theme, name]
    if environment().get("PLUMBLINE_RECORD"):
        goldens.save(theme, {**goldens.load(theme), name: answered})
    found = goldens.disagreements(THEMES[theme][name], answered, goldens.load(theme)[name])
    assert not found, "\n".join(found)
