"""Settings, as somebody changes them in a browser."""

import re

import pytest
from playwright.sync_api import expect

from .browsing import settled

pytestmark = pytest.mark.conformance


def test_a_repository_is_connected_step_by_step_and_forgotten(place, person, desk):
    """It really answers; one that does not is not kept."""
    page = person.visit("/settings/repositories")
    page.get_by_role("button", name="Connect a repository").click()
    page.get_by_label("Address").fill("https://user:secret@git.example.org/private")
    page.get_by_role("button", name="Test and save").click()
    steps = page.get_by_role("list", name="Connection test")
    expect(steps.get_by_text("It has credentials in it.")).to_be_visible()
    page.get_by_label("Address").fill("http://127.0.0.1:9/nobody")
    page.get_by_role("button", name="Test and save").click()
    expect(steps.get_by_text(re.compile("there is no connection to it"))).to_be_visible()
    page.get_by_label("Address").fill(f"{place.web}/git/shop.git")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password or token").fill("canary-password")
    page.get_by_role("button", name="Test and save").click()
    page.get_by_role("button", name="Done").click()
    page.goto("/settings/repositories")
    row = page.get_by_role("row", name=re.compile("shop.git"))
    expect(row.get_by_text("its own")).to_be_visible()
    assert "canary-password" not in page.content()
    assert page.get_by_role("row", name=re.compile("nobody")).count() == 0
    row.get_by_role("button", name=re.compile("Forget")).click()
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("heading", name="Repositories")).to_be_visible()
    expect(row).to_have_count(0)


def test_a_token_of_a_role_is_shown_once_and_revoked(place, person):
    place.apply({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "browsed", "namespace": "argocd"},
        "spec": {
            "sourceRepos": ["*"],
            "roles": [{"name": "ci", "policies": ["p, proj:browsed:ci, applications, sync, browsed/*, allow"]}],
        },
    })  # fmt: skip
    page = person.visit("/settings/projects")
    page.get_by_role("link", name="browsed").click()
    page.get_by_role("button", name="New token for ci").click()
    page.get_by_label("Id, to tell it").fill("once")
    page.get_by_role("button", name="Make the token").click()
    token = page.get_by_label("Token", exact=True).input_value()
    assert token.count(".") == 2
    page.get_by_role("button", name="I have kept it").click()
    expect(page.get_by_role("list", name="Tokens of ci").get_by_text("once", exact=True).first).to_be_visible()
    assert token not in page.content()
    page.get_by_role("button", name="Revoke once").click()
    page.get_by_role("button", name="Revoke it").click()
    expect(page.get_by_text("No tokens")).to_be_visible()
    page.goto("/settings/permissions?who=proj:browsed:ci&resource=applications&action=sync&object=browsed/web")
    answer = page.get_by_role("region", name="Answer")
    expect(answer.get_by_text("p, proj:browsed:ci, applications, sync, browsed/*, allow")).to_be_visible()


def test_a_token_of_an_account_is_shown_once_and_revoked(place, person):
    place.apply({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cm", "namespace": "argocd"},
        "data": {"accounts.robot": "apiKey"},
    })  # fmt: skip
    page = person.visit("/settings/accounts")
    made = page.get_by_role("button", name="New token for robot")
    while not made.count():
        page.reload()
        settled(page)
    made.click()
    page.get_by_label("Id, to tell it").fill("nightly")
    page.get_by_role("button", name="Make the token").click()
    assert page.get_by_label("Token", exact=True).input_value().count(".") == 2
    page.get_by_role("button", name="I have kept it").click()
    page.get_by_role("button", name="Revoke nightly").click()
    page.get_by_role("button", name="Revoke it").click()
    expect(page.get_by_role("list", name="Tokens of robot")).to_have_count(0)


def test_the_policy_is_asked_and_the_deciding_line_is_shown(person):
    page = person.visit("/settings/permissions")
    page.get_by_label("Which one").fill("default/shop")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("region", name="Answer").get_by_text("Yes")).to_be_visible()


def test_a_theme_is_chosen_and_stays(person):
    page = person.visit("/settings/appearance")
    page.get_by_role("radio", name="Dark").check()
    page.get_by_role("radio", name=re.compile("Compact")).check()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("html")).to_have_attribute("data-density", "compact")


def test_the_version_is_told(person):
    page = person.visit("/settings/about")
    expect(page.get_by_text(re.compile(r"^v\d"))).to_be_visible()
    expect(page.get_by_text("plumbline.dev/simulated")).to_be_visible()
