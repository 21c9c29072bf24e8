"""Login links: for ten minutes, for this installation, and for nobody who guesses."""

from datetime import UTC, datetime, timedelta

import pytest

from plumbline.access import links
from plumbline.base.errors import Unauthenticated
from plumbline.base.plaintext import Plaintext

KEY, NOW = Plaintext("key"), datetime(2026, 1, 1, tzinfo=UTC)


def token():
    return links.issued(KEY, NOW).reveal().decode()


def test_it_opens_for_ten_minutes():
    made = token()
    assert links.opened(made, KEY, NOW).expires_s == NOW.timestamp() + 600
    assert links.opened(made, KEY, NOW + timedelta(seconds=599))
    with pytest.raises(Unauthenticated):
        links.opened(made, KEY, NOW + timedelta(seconds=600))


def test_no_two_are_the_same():
    made = {links.opened(token(), KEY, NOW).id for _ in range(50)}
    assert len(made) == 50
    assert all(len(each) == 32 for each in made), "128 bits that nobody guesses"


def test_another_key_opens_nothing():
    with pytest.raises(Unauthenticated):
        links.opened(token(), Plaintext("another"), NOW)


def test_every_changed_character_spoils_it():
    made = token()
    for at in range(len(made) - 1):
        other = made[:at] + ("A" if made[at] != "A" else "B") + made[at + 1 :]
        with pytest.raises(Unauthenticated):
            links.opened(other, KEY, NOW)


@pytest.mark.parametrize("text", ["", "x", "é" * 50, "!" * 50, "A" * 50, "A" * 51])
def test_what_is_none_is_refused(text):
    with pytest.raises(Unauthenticated):
        links.opened(text, KEY, NOW)
