"""What happens is seen where it is looked at, without asking again."""

import pytest
from playwright.sync_api import expect
from tests.e2e.installation import application, config_map

pytestmark = pytest.mark.conformance


@pytest.fixture
def pushed(place, desk):
    """An application that is in sync with its folder."""
    sha = desk.push({"seen/a.yaml": config_map("a", "1")})
    place.apply(application("seen", namespace="seen"))
    place.synced("seen", sha)
    yield "seen"
    place.delete_app("seen")


def test_a_push_is_seen_without_a_reload(place, desk, person, pushed):
    page = person.visit("/applications?q=name:seen")
    row = page.get_by_role("row", name="seen")
    expect(row.get_by_text(desk.head[:7])).to_be_visible()
    page.evaluate("() => { window.untouched = true; }")
    sha = desk.push({"seen/a.yaml": config_map("a", "2")})
    expect(row.get_by_text(sha[:7])).to_be_visible(timeout=45_000)
    assert page.evaluate("() => window.untouched")


def test_one_that_comes_and_one_that_goes_are_seen_too(place, person):
    page = person.visit("/applications?q=name:passing")
    expect(page.get_by_text("No application fits")).to_be_visible()
    place.apply(application("passing", namespace="passing", automated=False))
    expect(page.get_by_role("link", name="passing")).to_be_visible()
    place.delete_app("passing")
    expect(page.get_by_text("No application fits")).to_be_visible()
