"""What the API says of itself is so, whatever is asked: no crash, no answer of another shape."""

import base64

import pytest
import requests
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.conformance.web.exploring import explored
from tests.e2e.installation import Installation

pytestmark = pytest.mark.conformance

PASSWORD = "/api/v1/namespaces/argocd/secrets/argocd-initial-admin-secret"
# Asked at random, these would log the test itself out, or stop what it asks.
OWN_LIFE = ("account", "accounts", "session", "sessions")


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    made = Installation(tmp_path_factory.mktemp("described") / "data")
    made.start()
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def token(installation):
    secret = installation.until(lambda: installation.live(PASSWORD))
    password = base64.b64decode(secret["data"]["password"]).decode()
    said = {"username": "admin", "password": password}
    answer = requests.post(f"{installation.web}/api/v1/session", json=said, timeout=10)
    assert answer.status_code == 200, answer.text
    return answer.json()["token"]


def test_the_description_is_one_that_tools_accept(installation):
    OpenAPIV31SpecValidator(requests.get(f"{installation.web}/openapi.json", timeout=10).json()).validate()


def test_every_described_operation_answers_as_it_says(installation, token):
    found = explored(installation.web, token, within_s=60, examples=4, tags_left_out=OWN_LIFE)
    assert found.asked
    assert not found.left_out


def test_nothing_but_what_says_so_is_answered_to_a_stranger(installation):
    described = requests.get(f"{installation.web}/openapi.json", timeout=10).json()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            if operation.get("security") == [] or "undescribed" in operation["tags"]:
                continue
            target = path.replace("{", "").replace("}", "")
            answer = requests.request(method, f"{installation.web}{target}", json={}, timeout=10)
            assert answer.status_code in {401, 403}, f"{method} {path}: {answer.status_code}"
