"""What Azure's refusals mean."""

import pytest

from plumbline.base.errors import Throttled
from plumbline.base.json import encode
from plumbline.providers.azure.refusals import SLOWER_S, refusal, why_failed

CASES = [
    (400, "InvalidParameterValue", "invalid-input", "a bad field"),
    (401, "ExpiredAuthenticationToken", "unauthenticated", "an old token"),
    (403, "AuthorizationFailed", "forbidden", "no role"),
    (403, "RequestDisallowedByPolicy", "forbidden", "a policy"),
    (404, "ResourceNotFound", "not-found", "not there"),
    (404, "ParentResourceNotFound", "not-found", "nor what it is in"),
    (404, "SubscriptionNotFound", "refused", "says nothing about the resource"),
    (404, "InvalidResourceType", "refused", "nor does this"),
    (405, "MethodNotAllowed", "refused", "anything else"),
    (408, "RequestTimeout", "server-fault", "too slow"),
    (409, "ServerIsBusy", "not-yet", "one operation at a time"),
    (409, "ScopeLocked", "refused", "a lock"),
    (409, "MissingSubscriptionRegistration", "refused", "nobody has registered it"),
    (409, "ServerNameAlreadyExists", "already-exists", "the name is taken"),
    (409, "Conflict", "conflict", "somebody else was faster"),
    (412, "PreconditionFailed", "conflict", "it has changed"),
    (429, "TooManyRequests", "throttled", "slow down"),
    (500, "InternalServerError", "server-fault", "Azure's fault"),
    (503, "ServiceUnavailable", "server-fault", "Azure is down"),
]


@pytest.mark.parametrize(("status", "code", "expected", "why"), CASES, ids=[case[-1] for case in CASES])
def test_a_refusal_becomes_one_error(status, code, expected, why):
    error = refusal("It failed", status, encode({"error": {"code": code, "message": "because"}}))
    assert (error.code, error.why) == (expected, "because")


@pytest.mark.parametrize(("after", "expected"), [("7", 7.0), ("", SLOWER_S), ("soon", SLOWER_S), ("99999", 600.0)])
def test_azure_says_how_long_to_wait(after, expected):
    error = refusal("It failed", 503 if after else 429, b"", retry_after=after)
    assert isinstance(error, Throttled)
    assert error.after_s == expected


def test_details_say_what_the_message_does_not():
    details = [{"code": "ServerIsBusy", "message": "busy"}, {"code": "x", "message": "because"}]
    error = refusal("It failed", 400, encode({"error": {"code": "y", "message": "because", "details": details}}))
    assert error.code == "not-yet"
    assert error.why == "because; busy"


def test_words_are_short_and_hold_no_secret():
    body = encode({"error": {"code": "x", "message": "password=hunter2hunter2 " + "x" * 2000}})
    why = refusal("It failed", 400, body).why
    assert len(why) < 600
    assert "hunter2hunter2" not in why


@pytest.mark.parametrize("answer", [{}, {"error": "no"}, {"status": "Failed", "error": None}])
def test_an_operation_may_fail_without_a_reason(answer):
    assert why_failed(answer) == "Azure gives no reason"
