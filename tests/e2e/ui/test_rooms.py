"""What the other rooms show of an installation that really runs."""

import re

import pytest
from playwright.sync_api import expect
from tests.e2e.installation import application, config_map

from .browsing import settled

pytestmark = pytest.mark.conformance

OBJECTS = 600
DRAWN = 300
FOUNDATION = "/apis/infra.contrib.fluxcd.io/v1alpha2/namespaces/terraform-system/terraforms/foundation"


@pytest.fixture(scope="module")
def large(place, desk):
    sha = desk.push({f"large/{number}.yaml": config_map(f"part-{number:03}") for number in range(OBJECTS)})
    place.apply(application("large", namespace="large"))
    place.synced("large", sha)
    return "/applications/argocd/large"


def test_six_hundred_objects_are_counted_and_not_all_drawn(large, person):
    page = person.visit(f"{large}?tab=topology")
    expect(page.get_by_text(re.compile(rf"\b{OBJECTS}\b")).first).to_be_visible()
    assert page.locator(".react-flow__node").count() < DRAWN


def test_changes_are_told_with_who_made_them_and_can_be_taken_along(large, person):
    page = person.visit("/changes?kind=login")
    row = page.get_by_role("row").filter(has_text="admin").first
    expect(row).to_be_visible()
    row.get_by_role("button").click()
    expect(page.get_by_role("dialog", name="What happened").get_by_text("person:admin")).to_be_visible()
    answer = person.context.request.get(page.get_by_role("link", name="CSV", include_hidden=True).get_attribute("href"))
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.text().startswith("at,kind,verb,actor")


def test_the_owner_of_an_object_is_found(large, person):
    page = person.visit("/ownership")
    page.get_by_label("Whose is it?").fill("ConfigMap/large/part-001")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Owner", exact=True).get_by_text("Application argocd/large")).to_be_visible()


def test_lead_time_is_shown_with_what_it_is(large, person):
    page = person.visit("/insights")
    expect(page.get_by_role("region", name="Lead time").get_by_text("From the time of a commit")).to_be_visible()


def test_the_tour_has_four_steps_with_commands_for_this_installation(sample, newcomer):
    sample.until(lambda: sample.app("platform"))
    page = newcomer.visit("/tour")
    steps = page.get_by_role("list", name="Steps of the tour")
    expect(steps.get_by_role("checkbox")).to_have_count(4)
    steps.get_by_role("checkbox", name="1. Edit").focus()
    page.keyboard.press("Space")
    expect(steps.get_by_role("checkbox", name="1. Edit (done)")).to_be_checked()
    steps.get_by_text("The commands").first.click()
    expect(steps.get_by_text(f"git clone {sample.web}/git/platform.git ~/platform")).to_be_visible()


def test_the_plan_that_waits_is_seen(sample, newcomer):
    sample.until(lambda: sample.live(FOUNDATION), within_s=90)
    page = newcomer.visit("/terraform")
    settled(page)
    expect(page.get_by_text("foundation").first).to_be_visible()
