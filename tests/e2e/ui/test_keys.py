"""Without a mouse: there and back, and what the keys are."""

import re

import pytest
from playwright.sync_api import expect

from .browsing import focused
from .crowd import name

pytestmark = pytest.mark.conformance


def test_a_journey_by_keys_alone(person):
    page = person.visit("/settings/about")
    expect(page.get_by_role("heading", name="About")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page.get_by_role("link", name=name(0))).to_be_visible()
    third = page.get_by_role("rowheader").nth(2).get_by_role("link").inner_text()
    for key in "jjjk":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/applications/argocd/{third}"))
    expect(page.get_by_role("heading", name=third)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/applications$"))


def test_the_sheet_of_keys_opens_closes_and_gives_the_focus_back(person):
    page = person.visit("/applications")
    expect(page.get_by_role("link", name=name(0))).to_be_visible()
    page.get_by_role("button", name="Keys").focus()
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet.get_by_text("Go to", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(page.get_by_role("button", name="Keys")).to_be_focused()


def test_keys_are_off_while_somebody_types(person):
    page = person.visit("/applications")
    expect(page.get_by_role("link", name=name(0))).to_be_visible()
    page.keyboard.press("f")
    page.keyboard.type("gs?")
    expect(page.get_by_label("Filter applications")).to_have_value("gs?")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_no_key_of_the_list_changes_anything(person):
    """Whatever is pressed there, no request is made that could change something."""
    page = person.visit("/applications")
    expect(page.get_by_role("link", name=name(0))).to_be_visible()
    changing = []
    page.on("request", lambda request: changing.append(request.url) if request.method != "GET" else None)
    for key in "xsdrlyehp.[]":
        page.keyboard.press(key)
        page.keyboard.press("Escape")
    assert changing == []


def test_the_first_tab_leads_past_the_rail(person):
    page = person.visit("/applications")
    expect(page.get_by_role("link", name=name(0))).to_be_visible()
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "content"
