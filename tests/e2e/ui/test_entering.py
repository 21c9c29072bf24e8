"""Into the interface and out again."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.conformance


def test_the_printed_link_leads_in_once(browser, place, stranger):
    place.plumb("open", "--no-launch", "--data", str(place.folder))  # the first one may be older than a link lasts
    page = stranger.visit(place.login)
    expect(page).to_have_url(re.compile(r"/applications$"))
    expect(page.get_by_role("button", name="admin")).to_be_visible()
    again = browser.new_context()
    answer = again.new_page().goto(place.login)
    assert answer.status == 401
    again.close()


def test_a_wrong_password_is_told_and_the_right_one_leads_to_where_one_wanted(place, stranger):
    page = stranger.visit("/settings/about")
    expect(page).to_have_url(re.compile(r"/login"))
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("User name and password do not go together.")
    page.get_by_label("Password").fill(place.password)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/settings/about$"))
    page.get_by_role("button", name="admin").click()
    page.get_by_role("menuitem", name="Log out").click()
    expect(page).to_have_url(re.compile(r"/login"))
    page.goto("/applications")
    expect(page).to_have_url(re.compile(r"/login"))


def test_the_page_runs_nothing_that_is_not_from_here(person):
    """Every address that the page asks is on the same server: no fonts, no counters, no scripts from elsewhere."""
    asked = []
    page = person.visit("/applications")
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    expect(page.get_by_role("table", name="Applications")).to_be_visible()
    assert asked
    assert [url for url in asked if not url.startswith((person.web, "data:"))] == []
