"""One application, from a plan by waves to its way back: what people do with it, in the browser."""

import re

import pytest
from playwright.sync_api import expect
from tests.e2e.installation import application, config_map

from .browsing import hard_to_use

pytestmark = pytest.mark.conformance

MANUAL, HELD = "waves", "held"
LIVE = "/api/v1/namespaces/{}/configmaps/{}"


@pytest.fixture(scope="module")
def commits(place, desk):
    """Two of each application: one that people sync, in three waves, and one that syncs by itself."""
    first = desk.push(
        {
            **{f"{MANUAL}/{name}.yaml": config_map(name, wave=wave) for wave, name in enumerate("abc")},
            f"{HELD}/a.yaml": config_map("a", "1"),
        }
    )
    place.apply(
        application(MANUAL, namespace=MANUAL, automated=False, options=("RespectIgnoreDifferences=true",)),
        application(HELD, namespace=HELD),
    )
    place.synced(HELD, first)
    second = desk.push({f"{HELD}/a.yaml": config_map("a", "2")})
    place.synced(HELD, second)
    yield first, second
    for name in (MANUAL, HELD):
        place.delete_app(name)
    place.until(lambda: place.app(MANUAL) is None and place.app(HELD) is None)


@pytest.fixture
def waves(place, commits):
    """Where it is."""
    place.until(lambda: (place.app(MANUAL) or {}).get("status", {}).get("sync", {}).get("status"))
    return f"/applications/argocd/{MANUAL}"


def value(place, name, namespace):
    return (place.config_map(name, namespace) or {}).get("data", {}).get("value")


def test_a_sync_shows_its_plan_by_waves_then_how_far_it_is_then_what_came_of_it(place, person, waves):
    page = person.visit(waves)
    page.get_by_role("button", name="Plan a sync").click()
    panel = page.get_by_role("dialog", name=f"Sync {MANUAL}")
    planned = panel.get_by_role("list", name="Waves", exact=True)
    for number, name in enumerate("abc"):
        lane = planned.get_by_role("listitem").filter(has=page.get_by_role("heading", name=f"Sync · wave {number}"))
        expect(lane.get_by_role("listitem").filter(has_text=f"ConfigMap {MANUAL}/{name}")).to_contain_text("create")
    assert hard_to_use(page) == {}
    assert value(place, "a", MANUAL) is None, "a plan changes nothing"
    panel.get_by_label("Note, kept with the operation").fill("the first of all")
    panel.get_by_role("button", name="Sync", exact=True).click()
    going = panel.get_by_role("list", name="Progress by wave")
    expect(going.get_by_role("listitem").filter(has_text=re.compile(r"Sync · wave 2\s*waits"))).to_be_visible()
    expect(panel.get_by_text("The sync succeeded")).to_be_visible()
    expect(panel.get_by_text("Begun by admin")).to_be_visible()
    for lane in ("PreSync · wave 0", "Sync · wave 0", "Sync · wave 1", "Sync · wave 2"):  # the namespace comes first
        expect(going.get_by_role("progressbar", name=f"{lane}: 1 of 1", exact=True)).to_be_visible()
    assert hard_to_use(page) == {}
    assert [value(place, name, MANUAL) for name in "abc"] == ["1", "1", "1"]
    page.goto(f"{waves}?tab=history")
    expect(page.get_by_role("row").filter(has_text="the first of all").get_by_text("admin")).to_be_visible()


def test_a_difference_is_told_with_who_made_it(place, person, waves):
    place.patch(
        LIVE.format(MANUAL, "a"),
        {"data": {"value": "by-hand"}},
        "application/merge-patch+json",
        fieldManager="kubectl-edit",
    )
    place.until(lambda: place.app(MANUAL)["status"]["sync"]["status"] == "OutOfSync")
    page = person.visit(f"{waves}?tab=diff")
    shown = page.get_by_role("region", name=f"ConfigMap {MANUAL}/a", exact=True)
    gone = shown.get_by_role("row").filter(has_text="goes").filter(has_text="value: by-hand")
    expect(gone.get_by_text("held by kubectl-edit")).to_be_visible()
    expect(shown.get_by_role("row").filter(has_text="comes").filter(has_text='value: "1"')).to_be_visible()
    assert hard_to_use(page) == {}


def test_a_sync_without_a_mouse(place, person, waves):
    """From the list to the application, to the panel, to the end of the sync, and out again: what was done by hand is undone."""
    page = person.visit("/settings/about")
    expect(page.get_by_role("heading", name="About")).to_be_visible()
    for key in "ga":
        page.keyboard.press(key)
    expect(page.get_by_role("table", name="Applications")).to_be_visible()
    page.keyboard.press("f")
    page.keyboard.type(f"name:{MANUAL}")
    expect(page.get_by_text("1 application", exact=True).first).to_be_visible()
    for key in ("Escape", "j", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Plan a sync")).to_be_visible()
    page.keyboard.press("s")
    panel = page.get_by_role("dialog", name=f"Sync {MANUAL}")
    begin = panel.get_by_role("button", name="Sync", exact=True)
    expect(begin).to_be_enabled()
    for _ in range(30):
        if begin.evaluate("(it) => it === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(begin).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel.get_by_text("The sync succeeded")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    assert value(place, "a", MANUAL) == "1"


def test_a_rollback_is_live_at_once_and_holds_until_somebody_takes_the_pin_away(place, person, commits):
    first, second = commits
    page = person.visit(f"/applications/argocd/{HELD}?tab=history")
    expect(page.get_by_role("row").filter(has_text=second[:7]).get_by_text("live", exact=True)).to_be_visible()
    page.get_by_role("button", name="Go back to sync 0").click()
    panel = page.get_by_role("dialog")
    expect(panel.get_by_text(f"1 updated · {first[:7]}")).to_be_visible()
    assert hard_to_use(page) == {}
    panel.get_by_role("button", name="Go back to sync 0").click()
    held = page.get_by_role("region", name="Rollback")
    expect(held.get_by_text(f"Held at {first[:7]}")).to_be_visible()
    expect(page.get_by_role("row").nth(1).get_by_text(first[:7])).to_be_visible()
    expect(page.get_by_role("row").nth(1).get_by_text("live", exact=True)).to_be_visible()
    assert hard_to_use(page) == {}
    assert value(place, "a", HELD) == "1"
    held.get_by_role("button", name="Take the pin away").click()
    expect(held).to_have_count(0)
    place.until(lambda: value(place, "a", HELD) == "2")
