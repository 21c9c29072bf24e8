"""What Google's refusals mean."""

import pytest

from plumbline.base.errors import Throttled
from plumbline.base.json import encode
from plumbline.providers.gcp.refusals import SLOWER_S, refusal

CASES = [
    (400, "invalid", "INVALID_ARGUMENT", "invalid-input", "a bad field"),
    (400, "resourceInUseByAnotherResource", "", "not-yet", "a dependent goes first"),
    (400, "invalidState", "", "transient", "the parent is not ready"),
    (401, "authError", "UNAUTHENTICATED", "unauthenticated", "nobody we know"),
    (403, "forbidden", "PERMISSION_DENIED", "forbidden", "no permission"),
    (403, "accessNotConfigured", "", "forbidden", "the API is off"),
    (403, "rateLimitExceeded", "", "throttled", "an old way to say slow down"),
    (404, "notFound", "NOT_FOUND", "not-found", "not there"),
    (408, "", "", "server-fault", "too slow"),
    (409, "alreadyExists", "ALREADY_EXISTS", "already-exists", "the name is taken"),
    (409, "operationInProgress", "", "not-yet", "one operation at a time"),
    (409, "aborted", "ABORTED", "not-yet", "somebody else was faster"),
    (412, "conditionNotMet", "", "conflict", "it has changed"),
    (413, "tooLarge", "", "refused", "anything else"),
    (429, "rateLimitExceeded", "RESOURCE_EXHAUSTED", "throttled", "slow down"),
    (500, "backendError", "INTERNAL", "server-fault", "Google's fault"),
    (503, "backendError", "UNAVAILABLE", "server-fault", "Google is down"),
]


@pytest.mark.parametrize(("status", "reason", "code", "expected", "why"), CASES, ids=[case[-1] for case in CASES])
def test_a_refusal_becomes_one_error(status, reason, code, expected, why):
    body = encode({"error": {"message": "because", "status": code, "errors": [{"reason": reason}]}})
    error = refusal("It failed", status, body, unready=frozenset({"invalidState"}))
    assert (error.code, error.why) == (expected, "because")


@pytest.mark.parametrize(("after", "expected"), [("7", 7.0), ("", SLOWER_S), ("soon", SLOWER_S), ("99999", 600.0)])
def test_google_says_how_long_to_wait(after, expected):
    error = refusal("It failed", 503 if after else 429, b"", retry_after=after)
    assert isinstance(error, Throttled)
    assert error.after_s == expected


def test_a_page_of_a_proxy_is_no_reason():
    assert refusal("It failed", 502, b"<html>").why == "HTTP 502"


def test_reasons_are_also_found_in_details():
    body = encode({"error": {"message": "off", "details": [{"reason": "SERVICE_DISABLED"}]}})
    assert refusal("It failed", 403, body).hint.startswith("Enable the API")


def test_words_are_short_and_hold_no_secret():
    body = encode({"error": {"message": "password=hunter2hunter2 " + "x" * 2000}})
    why = refusal("It failed", 400, body).why
    assert len(why) < 600
    assert "hunter2" not in why
