"""What comes back from a webhook: reviews, and everything else."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.webhooks.answers import Reply, answer_of
from plumbline.apiserver.webhooks.hooks import ReviewVersion
from plumbline.apiserver.webhooks.reviews import Verdict, verdict_of
from plumbline.base.errors import WebhookFailed
from plumbline.base.json import encode

REVIEW = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
GOOD = {**REVIEW, "response": {"uid": "u", "allowed": True}}

_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def reply(body: bytes, status: int = 200, content_type: str = "application/json") -> Reply:
    return Reply(status, content_type, body, None)


def why(body: bytes, status: int = 200, content_type: str = "application/json") -> str:
    with pytest.raises(WebhookFailed) as failed:
        answer_of(reply(body, status, content_type), REVIEW)
    return failed.value.what


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (400, b"x", "the server rejected our request for an unknown reason"),
        (403, b" nope \n", "nope"),
        (415, b"send something else", "send something else"),
        (404, b"x", "the server could not find the requested resource"),
        (410, b"x", "the server responded with the status code 410 but did not return more information"),
        (500, b'a "b"', 'an error on the server ("a \\"b\\"") has prevented the request from succeeding'),
        (599, b"", 'an error on the server ("") has prevented the request from succeeding'),
    ],
)
def test_a_code_that_is_no_success_is_told_in_known_words(status, body, said):
    assert why(body, status, "text/plain") == said


def test_a_long_error_page_is_cut():
    assert len(why(b"x" * 100_000, 500, "text/plain")) < 2200


def test_the_words_of_what_is_not_text_stay_unknown():
    assert why(b"\x00", 500, "application/octet-stream").startswith('an error on the server ("unknown")')


def test_a_status_speaks_for_itself():
    assert why(encode({"kind": "Status", "message": "own words"}), 500) == "own words"


def test_yaml_is_read_as_well():
    body = b"apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: u, allowed: true}\n"
    assert answer_of(reply(body), REVIEW) == GOOD


@pytest.mark.parametrize("body", [b"[", b"a: b: c", b"\xff\xfe", b"[" * 100_000, b"&a [*a]", b'"'])
def test_anything_else_is_a_reason_and_never_a_crash(body):
    assert why(body)


@given(_json)
def test_any_json_is_an_answer_or_a_reason(value):
    try:
        answer = answer_of(reply(encode(value)), REVIEW)
    except WebhookFailed:
        return
    assert isinstance(answer, dict)


@given(_json, st.sampled_from(ReviewVersion), st.booleans())
def test_any_response_is_a_verdict_or_a_reason(response, version, mutating):
    try:
        verdict = verdict_of({**REVIEW, "response": response}, "u", version, mutating=mutating)
    except WebhookFailed:
        return
    assert isinstance(verdict, Verdict)


@given(
    st.fixed_dictionaries(
        {"uid": st.just("u")},
        optional=dict.fromkeys(
            ("allowed", "status", "patch", "patchType", "warnings", "auditAnnotations", "other"), _json
        ),
    )
)
def test_any_fields_of_a_response_are_a_verdict_or_a_reason(response):
    try:
        verdict = verdict_of({**REVIEW, "response": response}, "u", ReviewVersion.V1, mutating=True)
    except WebhookFailed:
        return
    assert all(isinstance(each, str) for each in verdict.warnings)


def test_a_patch_is_decoded():
    response = {"uid": "u", "allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(b"[]").decode()}
    verdict = verdict_of({**REVIEW, "response": response}, "u", ReviewVersion.V1, mutating=True)
    assert verdict.patch == b"[]"
    assert verdict.patch_type == "JSONPatch"


@pytest.mark.parametrize(
    ("response", "said", "reason"),
    [
        ({"warnings": [1]}, "of type string", "a warning is text"),
        ([], "into Go struct field AdmissionReview.response", "a response is an object"),
        ({"patch": "ab=c"}, "illegal base64 data at input byte 2", "padding in the middle"),
        ({"patch": "YQ"}, "illegal base64 data at input byte 2", "no padding"),
    ],
)
def test_says_which_field_is_wrong(response, said, reason):
    with pytest.raises(WebhookFailed) as failed:
        verdict_of({**REVIEW, "response": response}, "u", ReviewVersion.V1, mutating=True)
    assert said in failed.value.what, reason
