"""Two thousand applications feel like ten."""

import re

import pytest
from playwright.sync_api import expect

from .crowd import COUNT, DEGRADED, name

pytestmark = pytest.mark.conformance

DRAWN = 80
"""Rows that the page holds at most, however many there are."""
FIRST_BYTES = 100_000


def rows(page):
    return page.get_by_role("table", name="Applications").get_by_role("row")


def test_only_what_is_in_sight_is_asked_for_and_drawn(person):
    sizes = []
    page = person.visit("/settings/about")
    page.on(
        "response",
        lambda answer: (
            sizes.append(int(answer.headers.get("content-length") or len(answer.body())))
            if "/api/v1/applications?" in answer.url
            else None
        ),
    )
    page.get_by_role("link", name="Apps").click()
    expect(page.get_by_text(re.compile(rf"{COUNT:,} applications")).first).to_be_visible()
    expect(rows(page).nth(1)).to_be_visible()
    assert rows(page).count() < DRAWN
    assert sizes[0] < FIRST_BYTES


def test_the_last_of_them_is_reached_by_scrolling(person):
    page = person.visit("/applications")
    expect(page.get_by_role("link", name=name(0))).to_be_visible()
    page.get_by_role("region", name="List of applications").evaluate("(list) => list.scrollTo(0, list.scrollHeight)")
    expect(page.get_by_role("link", name=name(COUNT - 1))).to_be_visible()
    assert rows(page).count() < DRAWN


def test_a_filter_is_in_the_address_and_can_be_sent_to_somebody(person):
    page = person.visit("/applications")
    page.get_by_role("checkbox", name="Degraded").check()
    expect(page.get_by_text(f"{DEGRADED} applications").first).to_be_visible()
    assert "health%3ADegraded" in page.url
    page.get_by_label("Filter applications").fill(f"health:Degraded name:{name(50)}")
    expect(page.get_by_text("1 application", exact=True).first).to_be_visible()
    other = person.visit(page.url)
    expect(other.get_by_role("link", name=name(50))).to_be_visible()
    page.get_by_role("button", name="Clear the filter").click()
    expect(page.get_by_text(re.compile(rf"{COUNT:,} applications")).first).to_be_visible()


def test_the_palette_finds_one_of_them(person):
    page = person.visit("/applications")
    expect(page.get_by_role("link", name=name(0))).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("combobox").last).to_be_focused()
    page.keyboard.type(name(1234))
    page.get_by_role("option", name=re.compile(name(1234))).click()
    expect(page).to_have_url(re.compile(rf"/applications/argocd/{name(1234)}"))


def test_nothing_found_says_so_and_leads_back(person):
    page = person.visit("/applications?q=name:nowhere")
    page.get_by_role("button", name="Show all applications").click()
    expect(page.get_by_role("link", name=name(0))).to_be_visible()


def test_tiles_stand_beside_each_other_as_there_is_room(person):
    page = person.visit("/applications?view=tiles")
    expect(page.get_by_role("list", name="Applications 1 to 3", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 900, "height": 850})
    page.reload()
    expect(page.get_by_role("list", name="Applications 1 to 2", exact=True)).to_be_visible()
