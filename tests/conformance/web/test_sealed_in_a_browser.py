"""What the built page seals in Chromium is opened here, and nothing of it was sent or kept in the clear."""

import mimetypes
from datetime import UTC, datetime
from importlib.resources import files
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect
from tests.e2e.ui.browsing import chromium

from plumbline.base.documents import load_document
from plumbline.base.errors import Undecryptable
from plumbline.base.json import encode
from plumbline.secrets.sealing import Keyring, made_key, unsealed

pytestmark = pytest.mark.conformance

NOW = datetime(2026, 11, 1, tzinfo=UTC)
# Browsers have cryptography for pages of their own machine.
HERE = "http://localhost"
VALUE = "päss wörd\nof two lines \U0001f511"
STATIC = files("plumbline.web") / "static"


@pytest.fixture(scope="module")
def key():
    return made_key(NOW)


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def visit(browser, key):
    """Somebody who seals at a server that has nothing but a certificate."""
    page = browser.new_context().new_page()
    seen = SimpleNamespace(page=page, requests=[])
    page.on("request", lambda request: seen.requests.append(f"{request.url} {request.headers} {request.post_data}"))
    page.route("**/*", lambda route: answered(route, key))
    yield seen
    page.context.close()


def answered(route, key):
    path = route.request.url.removeprefix(HERE).partition("?")[0]
    said = {
        "/api/v1/session/userinfo": {"loggedIn": True, "username": "ada", "iss": "argocd", "groups": []},
        "/api/v1/settings": {},
        "/api/v1/sealing/certificate": {
            "pem": key.certificate_pem.decode(),
            "fingerprint": key.fingerprint,
            "bits": 4096,
            "madeAt": key.not_before.isoformat(),
            "expiresAt": key.not_after.isoformat(),
            "expired": False,
        },
    }.get(path)
    if said is not None:
        return route.fulfill(body=encode(said), content_type="application/json")
    if path.startswith("/api/"):
        return route.fulfill(status=404, body=b"{}", content_type="application/json")
    file = STATIC / path.strip("/")
    found = file if path != "/" and file.is_file() else STATIC / "index.html"
    return route.fulfill(body=found.read_bytes(), content_type=mimetypes.guess_type(found.name)[0])


@pytest.mark.parametrize("scope", ["strict", "namespace-wide", "cluster-wide"])
def test_what_the_page_sealed_is_opened_with_the_private_key(visit, key, scope):
    page = visit.page
    page.goto(f"{HERE}/secrets/seal?namespace=shop&name=db&key=password&scope={scope}")
    page.get_by_label("Value 1").fill(VALUE)
    page.get_by_role("button", name="Seal", exact=True).click()
    expect(page.get_by_role("heading", name="1 value sealed")).to_be_focused()
    sealed = load_document(page.locator("pre").inner_text().encode()).value
    opened = unsealed(sealed, Keyring([key]), now=NOW)
    assert opened.values["password"].reveal().decode() == VALUE
    assert opened.fingerprints == {"password": key.fingerprint}
    assert (opened.metadata["namespace"], opened.metadata["name"]) == ("shop", "db")
    moved = {**sealed, "metadata": {**sealed["metadata"], "namespace": "other"}}
    if scope != "cluster-wide":
        with pytest.raises(Undecryptable):
            unsealed(moved, Keyring([key]), now=NOW)


def test_the_value_is_nowhere_but_in_the_envelope(visit):
    page = visit.page
    page.goto(f"{HERE}/secrets/seal?namespace=shop&name=db&key=password")
    page.get_by_label("Value 1").fill("canary-3141592")
    page.get_by_role("button", name="Seal", exact=True).click()
    expect(page.get_by_role("heading", name="1 value sealed")).to_be_visible()
    expect(page.get_by_label("Value 1")).to_have_value("")
    kept = page.evaluate("""async () => JSON.stringify([
      { ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href,
      (await indexedDB.databases()).map(({ name }) => name), await caches.keys(),
    ])""")
    assert visit.requests
    for place in (kept, page.content(), *visit.requests):
        assert "canary-3141592" not in place
