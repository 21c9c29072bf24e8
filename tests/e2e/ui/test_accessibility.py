"""Every screen that there is, in both themes, without anything that axe calls serious."""

import pytest
from playwright.sync_api import expect

from .browsing import THEMES, Person, settled, violations
from .crowd import name

pytestmark = pytest.mark.conformance

SCREENS = (
    "/applications",
    "/applications?view=tiles",
    "/applications?q=name:nowhere",
    "/settings/permissions?object=default/shop",
    "/settings/projects/default",
    "/changes?kind=refused",
    "/ownership?object=-/ConfigMap/shop/nothing",
    "/tour",
    "/nowhere",
)
"""Those that no menu leads to as they are."""


@pytest.fixture(params=THEMES)
def reader(request, browser, place, session):
    somebody = Person(browser, place.web, session, theme=request.param)
    yield somebody
    somebody.leave()


@pytest.fixture(params=THEMES)
def sample_reader(request, browser, sample, sample_session):
    somebody = Person(browser, sample.web, sample_session, theme=request.param)
    yield somebody
    somebody.leave()


def addresses(page, menu):
    """Of everything that a menu leads to."""
    links = page.get_by_role("navigation", name=menu).get_by_role("listitem").get_by_role("link")
    expect(links.first).to_be_visible()
    return [each.get_attribute("href") for each in links.all()]


def found(reader, paths):
    """What is wrong with each of them; nothing of those that are well."""
    faults = {}
    for path in paths:
        page = reader.visit(path)
        settled(page) if path != "/nowhere" else expect(page.get_by_text("There is no page")).to_be_visible()
        if wrong := violations(page):
            faults[path] = wrong
        page.close()
    return faults


def test_what_keeps_people_out_is_found(stranger):
    """So that nothing found means that there is nothing."""
    page = stranger.visit("/login")
    settled(page)
    page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    assert [each["id"] for each in violations(page)] == ["button-name"]


def test_everybody_can_log_in(browser, place):
    for theme in THEMES:
        somebody = Person(browser, place.web, theme=theme)
        page = somebody.visit("/login")
        settled(page)
        assert violations(page) == []
        somebody.leave()


def test_everybody_can_use_every_room(reader):
    page = reader.visit("/settings")
    paths = [*addresses(page, "Rooms"), *addresses(page, "Settings")]
    assert len(paths) > 12
    assert found(reader, [*dict.fromkeys(paths), *SCREENS]) == {}


def test_everybody_can_use_every_tab_of_an_application(reader):
    path = f"/applications/argocd/{name(0)}"
    assert tab_faults(reader, path) == {}


def test_everybody_can_use_the_sample_platform(sample, sample_reader):
    sample.until(lambda: sample.app("order-service"))
    page = sample_reader.visit("/settings")
    assert found(sample_reader, addresses(page, "Rooms")) == {}
    assert tab_faults(sample_reader, "/applications/argocd/order-service") == {}


def tab_faults(reader, path):
    page = reader.visit(path)
    settled(page)
    faults = {}
    for title in page.get_by_role("tab").all_inner_texts():
        page.get_by_role("tab", name=title, exact=True).click()
        settled(page)
        if wrong := violations(page):
            faults[title] = wrong
    return faults


@pytest.mark.parametrize("opened", ["palette", "keys", "account", "cluster"])
def test_everybody_can_use_what_opens_over_a_page(reader, opened):
    page = reader.visit("/settings/clusters")
    settled(page)
    match opened:
        case "palette":
            page.keyboard.press("/")
            expect(page.get_by_role("dialog")).to_be_visible()
        case "keys":
            page.keyboard.press("?")
            expect(page.get_by_role("dialog")).to_be_visible()
        case "account":
            page.get_by_role("button", name="admin").click()
            expect(page.get_by_role("menu")).to_be_visible()
        case "cluster":
            page.get_by_role("button", name="in-cluster").click()
            expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page) == []
