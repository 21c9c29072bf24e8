"""What a plan is called, and what an approval names."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans import Approval, approval_of, approves, digest, plan_id, replans

from .samples import real

PLAN = Plaintext(b"plan bytes")
HEX = "0123456789abcdef" * 4
ID = "plan-main-b8e362c206"


def _digest(json_=None, plan=PLAN, serial=3, lineage="l", revision="main@sha1:abc"):
    return digest(
        plan, serial=serial, lineage=lineage, revision=revision, json=real("mixed") if json_ is None else json_
    )


def _altered(**fields):
    return Plaintext(json.dumps({**json.loads(real("mixed").reveal()), **fields}, separators=(",", ":")))


def test_the_same_plan_made_twice_has_the_same_digest_and_other_bytes():
    one, other = _altered(timestamp="2026-01-01T00:00:00Z"), _altered(timestamp="2026-01-02T00:00:00Z")
    first, second = _digest(one), _digest(other, plan=Plaintext(b"other bytes"))
    assert first.content == second.content
    assert first.file != second.file
    assert str(first) == first.content
    assert len(first.content) == len(first.file) == 64
    assert first.content.startswith(first.short)


def test_the_order_of_what_has_none_does_not_matter():
    one = [{"resource": "a", "attribute": ["x"]}, {"resource": "b", "attribute": ["y"]}]
    assert _digest(_altered(relevant_attributes=one)) == _digest(_altered(relevant_attributes=one[::-1]))
    assert _digest(_altered(relevant_attributes=one)) != _digest(_altered(relevant_attributes=one[:1]))
    assert _digest(_altered(checks=None)).content


OTHERS = [
    ({"serial": 4}, "another state"),
    ({"lineage": "m"}, "another state from the beginning"),
    ({"revision": "main@sha1:abd"}, "another source"),
    ({"json_": real("tainted")}, "another plan"),
    ({"json_": _altered(variables={"password": {"value": "other"}})}, "other variables"),
    ({"lineage": "lmain@sha1:abc", "revision": ""}, "the same letters in other places"),
]


@pytest.mark.parametrize(("change", "why"), OTHERS)
def test_anything_else_has_another_digest(change, why):
    assert _digest(**change).content != _digest().content, why


@given(st.integers(2**53, 2**53 + 100), st.integers(2**53, 2**53 + 100))
def test_large_numbers_are_told_apart(one, other):
    digests = [_digest(Plaintext(b'{"format_version":"1.2","x":%d}' % number)).content for number in (one, other)]
    assert (digests[0] == digests[1]) == (one == other)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"format_version":"1.2","checks":1}', b"\xff", b"[" * 100_000]
)
def test_what_is_no_plan_has_no_digest(content):
    with pytest.raises(BadDocument):
        _digest(Plaintext(content))


def test_what_is_too_large_has_no_digest():
    with pytest.raises(LimitExceeded):
        _digest(Plaintext(b" " * (64 * 1024 * 1024 + 1)))


IDS = [
    ("main@sha1:b8e362c206e3d0cbb7ed22ced771a0056455a2fb", "plan-main-b8e362c206", "a branch of Git"),
    ("feature/x@sha1:b8e362c206e3d0cb", "plan-feature/x-b8e362c206", "a branch with a slash"),
    ("v1.2@sha1:b8e", "plan-v1.2-b8e", "a short hash"),
    ("main/b8e362c206e3d0cbb7ed22ced771a0056455a2fb", "plan-main-b8e362c206", "as it was written before"),
    ("b8e362c206e3d0cbb7ed22ced771a0056455a2fb", "plan-b8e362c206", "a hash alone"),
    ("sha256:b8e362c206e3d0cb", "plan-sha256:b8e", "a bucket: upstream cuts the name of the algorithm along"),
    ("short", "plan-short", "less than ten letters"),
    ("a/b/c", "plan-a/b/c", "more than one slash"),
    ("latest@sha256", "plan-latest-sha256", "no algorithm, where upstream fails"),
]


@pytest.mark.parametrize(("revision", "expected", "why"), IDS)
def test_plans_are_named_as_upstream_names_them(revision, expected, why):
    assert plan_id(revision) == expected, why


APPROVALS = [
    ("", Approval.MANUAL, "nothing said"),
    ("manual", Approval.MANUAL, "said so"),
    ("auto", Approval.AUTO, "by itself"),
    ("disable", Approval.DISABLED, "drift only"),
    ("replan", Approval.REPLAN, "again"),
    ("replan-main-b8e362c206", Approval.REPLAN, "this one again"),
    (ID, Approval.THIS, "the id"),
    (HEX, Approval.THIS, "the digest"),
    (f"sha256:{HEX}", Approval.THIS, "the digest and its kind"),
    (HEX[:12], Approval.THIS, "enough of the digest"),
    (HEX[:11], Approval.OTHER, "too little of the digest"),
    (HEX[1:20], Approval.OTHER, "not its beginning"),
    (f"{HEX}0", Approval.OTHER, "more than the digest"),
    ("plan-main", Approval.OTHER, "the beginning of an id approves nothing"),
    ("plan-", Approval.OTHER, "nor does less"),
    ("plan-main-b8e362c2066", Approval.OTHER, "nor does more"),
    ("AUTO", Approval.OTHER, "words are written as they are"),
    (" auto", Approval.OTHER, "same"),
    ("plan-dev-b8e362c206", Approval.OTHER, "another plan"),
]


@pytest.mark.parametrize(("text", "expected", "why"), APPROVALS)
def test_an_approval_names_one_plan_or_none(text, expected, why):
    assert approval_of(text, ID, HEX) is expected, why
    assert approves(text, ID, HEX) is (expected is Approval.THIS)


def test_without_a_plan_nothing_is_approved():
    assert approval_of("plan-main-b8e362c206") is Approval.OTHER
    assert approval_of(HEX[:12]) is Approval.OTHER
    assert not approves("", "", "")
    found = _digest()
    assert approves(found.short, "", found)


REPLANS = [
    ("replan", True, "whatever it is"),
    ("replan-main", True, "of the branch"),
    ("replan-main-b8e362c206", True, "this one"),
    ("replan-dev", False, "another"),
    ("re", False, "not the word"),
    (ID, False, "an approval"),
]


@pytest.mark.parametrize(("text", "expected", "why"), REPLANS)
def test_a_new_plan_is_asked_for_as_upstream_has_it(text, expected, why):
    assert replans(text, ID) is expected, why
    assert replans(text, "") is False
