"""What the server says, and which error it becomes. Messages are the real ones of an API server where it matters."""

from datetime import UTC, datetime

import pytest

from plumbline.base import errors
from plumbline.base.errors import Cause, FieldClaim
from plumbline.base.json import encode
from plumbline.kube.client import Request, Response
from plumbline.kube.client.statuses import failure

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def status(code, reason="", message="", **details):
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "code": code}
    return body | ({"reason": reason} if reason else {}) | ({"details": details} if details else {})


def meant(code, body=b"", path="/api/v1/namespaces/a/pods/x", **headers):
    body = body if isinstance(body, bytes) else encode(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return failure(Request("GET", path), Response(code, named, body), NOW)


@pytest.mark.parametrize(
    ("code", "reason", "expected", "why"),
    [
        (400, "BadRequest", "InvalidInput", "the request is malformed"),
        (401, "Unauthorized", "Unauthenticated", "nobody knows us"),
        (403, "Forbidden", "Forbidden", "we may not"),
        (405, "MethodNotAllowed", "InvalidInput", "not a verb of this resource"),
        (406, "NotAcceptable", "InvalidInput", "it cannot answer in that form"),
        (409, "AlreadyExists", "AlreadyExists", "the name is taken"),
        (409, "Conflict", "Conflict", "somebody else wrote first"),
        (410, "Expired", "Expired", "the history is gone"),
        (410, "Gone", "Expired", "the same, older"),
        (413, "RequestEntityTooLarge", "LimitExceeded", "more than the server takes"),
        (415, "UnsupportedMediaType", "InvalidInput", "a kind of patch that it does not know"),
        (418, "Teapot", "Refused", "some other refusal"),
        (422, "Invalid", "InvalidInput", "the object is not valid"),
        (429, "TooManyRequests", "Throttled", "slow down"),
        (500, "InternalError", "ServerFault", "its own fault"),
        (501, "", "ServerFault", "its own fault"),
        (503, "ServiceUnavailable", "ServerFault", "not now"),
        (504, "Timeout", "TimedOut", "it gave up waiting itself"),
    ],
)
def test_every_status_becomes_one_error(code, reason, expected, why):
    error = meant(code, status(code, reason, "because"))
    assert type(error).__name__ == expected, why
    assert error.why == "because"
    assert error.what == "GET /api/v1/namespaces/a/pods/x failed"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (400, "etcdserver: request is too large"),
        (500, "etcdserver: request is too large"),
        (500, "rpc error: code = ResourceExhausted desc = trying to send message larger than max (3 vs. 2)"),
    ],
)
def test_what_etcd_has_no_room_for_is_too_large_however_it_is_said(code, message):
    assert isinstance(meant(code, status(code, "", message)), errors.LimitExceeded)


def test_a_missing_object_is_not_a_missing_kind():
    gone = meant(404, status(404, "NotFound", 'pods "x" not found', name="x", kind="pods"))
    unserved = meant(404, status(404, "NotFound", "the server could not find the requested resource"))
    unrouted = meant(404, b"404 page not found\n", path="/apis/nope/v1/things")
    assert (gone.code, unserved.code, unrouted.code) == ("not-found", "unknown-kind", "unknown-kind")


@pytest.mark.parametrize("code", [404, 409, 410])
def test_what_controllers_act_upon_counts_only_from_an_api_server(code):
    """A proxy's 404 page must never be taken for a deleted object."""
    assert meant(code, b"<html>Not here</html>").code == "garbled-reply"


@pytest.mark.parametrize(("code", "expected"), [(401, "unauthenticated"), (403, "forbidden"), (502, "server-fault")])
def test_a_page_of_something_in_between_is_named_as_such(code, expected):
    error = meant(code, b"<html>who are you</html>")
    assert error.code == expected
    assert "not an answer of a Kubernetes API" in error.why
    assert "who are you" in error.why


def test_an_empty_failure_still_says_its_number():
    assert meant(502).why == "HTTP 502"


@pytest.mark.parametrize("code", [301, 302, 308, 100])
def test_a_redirect_is_no_answer(code):
    assert meant(code, location="https://elsewhere.example/").code == "garbled-reply"


def test_causes_are_kept():
    listed = [{"reason": "FieldValueRequired", "message": "Required value", "field": "spec.ports"}, {"message": "more"}]
    error = meant(422, status(422, "Invalid", "no", causes=listed))
    assert error.causes == (Cause("FieldValueRequired", "Required value", "spec.ports"), Cause("", "more"))


def test_a_field_conflict_says_who_holds_what():
    listed = [
        {"reason": "FieldManagerConflict", "message": 'conflict with "kubectl"', "field": ".data.a"},
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "x \\"y\\"" using v1 at 2026-01-01',
            "field": ".data.b",
        },
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "odd\\x00" with subresource "status"',
            "field": ".c",
        },
        {"reason": "Other", "message": "noise"},
    ]
    error = meant(409, status(409, "Conflict", "Apply failed with 3 conflicts", causes=listed))
    assert isinstance(error, errors.FieldConflict)
    assert error.claims == (
        FieldClaim("kubectl", ".data.a"),
        FieldClaim('x "y"', ".data.b"),
        FieldClaim("odd\\x00", ".c"),
    )


def test_a_version_from_the_future_means_that_history_was_replaced():
    causes = [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]
    assert meant(504, status(504, "Timeout", "x", causes=causes, retryAfterSeconds=1)).code == "expired"


def test_an_expired_list_offers_to_go_on():
    body = status(410, "Expired") | {"metadata": {"continue": "abc"}}
    error = meant(410, body)
    assert isinstance(error, errors.Expired)
    assert error.continue_token == "abc"


@pytest.mark.parametrize(
    "message",
    [
        "failed to create typed patch object (a/x; /v1, Kind=Pod): .spec.bogus: field not declared in schema",
        "failed to convert new object (a/x; /v1, Kind=Secret) to proper version: illegal base64 data at input byte 1",
    ],
)
def test_a_body_that_does_not_fit_its_schema_is_not_the_servers_fault(message):
    assert meant(500, status(500, "", message)).code == "schema-violation"


@pytest.mark.parametrize(
    ("code", "header", "seconds", "expected"),
    [
        (429, "7", None, 7.0),
        (429, None, 3, 3.0),
        (429, None, None, 1.0),
        (429, "garbage", None, 1.0),
        (429, "-5", None, 1.0),
        (429, "9" * 40, None, 999999999.0),
        (429, "Thu, 01 Jan 2026 00:00:09 GMT", None, 9.0),
        (429, "Thu, 01 Jan 1970 00:00:09 GMT", None, 0.0),
        (429, "Thu, 01 Jan 2026 00:00:09", None, 1.0),
        (503, "2", None, 2.0),
    ],
)
def test_the_time_to_wait_is_what_the_server_says(code, header, seconds, expected):
    details = {"retryAfterSeconds": seconds} if seconds else {}
    error = meant(code, status(code, "x", "later", **details), **({"retry_after": header} if header else {}))
    assert isinstance(error, errors.Throttled)
    assert error.after_s == expected


def test_a_proxy_that_says_later_is_heard_too():
    error = meant(503, b"<html>", retry_after="4")
    assert isinstance(error, errors.Throttled)
    assert error.after_s == 4.0


@pytest.mark.parametrize(
    "message",
    [
        "failed (/x; /v1, Kind=Secret): .stringData.p: expected string, got &value.valueUnstructured{Value:hunter2}",
        'Secret "x" is invalid: data[p]: Invalid value: "hunter2": must be, valid',
        'Secret "x" is invalid: type: Unsupported value: "a: hunter2": supported values: x',
    ],
)
def test_secret_values_that_the_server_quotes_are_left_out(message):
    body = status(422, "Invalid", message, causes=[{"message": 'Invalid value: "hunter2"', "field": "data[p]"}])
    for path in ("/api/v1/namespaces/a/secrets/x", "/api/v1/namespaces/a/secrets"):
        error = meant(422, body, path=path)
        assert "hunter2" not in f"{error} {error.causes}"
        assert error.causes[0].field == "data[p]"
    assert "hunter2" in str(meant(422, body))


def test_messages_are_bounded_and_printable():
    error = meant(400, status(400, "BadRequest", "\x1b[2J" + "x" * 100_000))
    assert len(error.why) == 1_000
    assert "\x1b" not in error.why


@pytest.mark.parametrize("body", [b'{"kind":"Status"', b'{"details":5,"code":404}', b"{}", b"[]", b'{"a":' * 100_000])
def test_a_broken_status_is_no_status(body):
    assert meant(404, body).code == "garbled-reply"
