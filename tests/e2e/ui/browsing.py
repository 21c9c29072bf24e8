"""The web interface in Chromium, as somebody has it in front of them.

Another promise about a screen is a function: `page = person.visit("/path")`, what is done there by role and name, and
`expect(...)`. Another screen that everybody must be able to read is a line of `SCREENS` in test_accessibility.py; rooms of the
rail, parts of the settings and tabs of an application are found by themselves.
"""

import base64
import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright
from tests.e2e.installation import Installation

AXE = Path(__file__).parents[3] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
SIZE = {"width": 1360, "height": 850}
THEMES = ("light", "dark")
WITHIN_MS = 20_000
_LINK = re.compile(r"http\S+/auth/link\?token=\S+")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_HARD = ("serious", "critical")
_RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map(({ html }) => html.slice(0, 200)) }));
}"""
_NETWORK = "Failed to load resource"

expect.set_options(timeout=WITHIN_MS)


class Furnished(Installation):
    """Remembers the link that it printed for whoever sits at the machine."""

    login = ""

    def plumb(self, *args, stdin=""):
        said = super().plumb(*args, stdin=stdin)
        found = _LINK.search(said.out)
        if found:
            self.login = found[0]
        return said

    @property
    def password(self):
        secret = self.live("/api/v1/namespaces/argocd/secrets/argocd-initial-admin-secret")
        return base64.b64decode(secret["data"]["password"]).decode()


class Person:
    """Somebody with a browser. What the page complains about in its console is remembered."""

    def __init__(self, browser, web, state=None, *, theme="light"):
        self.web, self.troubles = web, []
        self.context = browser.new_context(
            base_url=web,
            storage_state=state,
            viewport=SIZE,
            color_scheme=theme,
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
        )
        self.context.set_default_timeout(WITHIN_MS)

    def visit(self, path):
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", self._heard)
        page.goto(path)
        return page

    def _heard(self, message):
        if message.type == "error" and _NETWORK not in message.text:
            self.troubles.append(message.text)

    def leave(self):
        self.context.close()
        assert self.troubles == []


@contextmanager
def chromium():
    """The system's own: it is not ours to download one."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("there is no Chromium on PATH, and `make peers` could not install it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def settled(page):
    """Whatever was on its way has come: pages say so with a sentence while it is."""
    expect(page.get_by_role("status").filter(has_text=re.compile("on (its|their) way|is being"))).to_have_count(0)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()


def violations(page):
    """What keeps people from using a page, by axe's judgement."""
    page.evaluate(AXE.read_text())
    return [each for each in page.evaluate(_RUN) if each["impact"] in _HARD]


def hard_to_use(page):
    """The same in both themes, of what is on the page just now: the page follows the system's."""
    found = {}
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        if wrong := violations(page):
            found[theme] = wrong
    return found


def focused(page):
    """The name of what has the focus, as people hear it."""
    return page.evaluate(
        "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    )
