"""Cookies as Argo CD's pages and proxies know them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import LimitExceeded
from plumbline.web.requests import Request
from plumbline.web.session import cookies


def request(header):
    scope = {"method": "GET", "path": "/", "headers": [(b"cookie", header.encode("latin-1"))], "query_string": b""}
    return Request(scope, None)


def brought_back(headers):
    return dict(text.split("; ")[0].split("=", 1) for _, text in headers)


def test_a_short_value_is_one_cookie_out_of_reach_of_scripts():
    assert cookies.kept("argocd.token", "a.b.c", secure=False) == [
        ("Set-Cookie", "argocd.token=a.b.c; Path=/; SameSite=Strict; HttpOnly")
    ]
    assert cookies.kept("x", "y", secure=True, same_site="Lax", life_s=5) == [
        ("Set-Cookie", "x=y; Path=/; SameSite=Lax; HttpOnly; Max-Age=5; Secure")
    ]


@given(st.integers(0, 75_000))
def test_long_values_come_back_whole_and_no_cookie_is_too_long(length):
    value = ("abcdefg." * 10_000)[:length]
    headers = cookies.kept("argocd.token", value, secure=True)
    assert all(len(text) <= 4093 for _, text in headers)
    assert cookies.joined("argocd.token", brought_back(headers)) == value


def test_pieces_are_named_as_upstream_names_them():
    found = brought_back(cookies.kept("argocd.token", "x" * 9000, secure=False))
    assert list(found) == ["argocd.token", "argocd.token-1", "argocd.token-2"]
    assert found["argocd.token"].startswith("3:x")


def test_what_browsers_would_not_keep_is_refused():
    with pytest.raises(LimitExceeded):
        cookies.kept("argocd.token", "x" * 90_000, secure=False)


@pytest.mark.parametrize("value", ["x:y", "0:y", "99:y", "-1:y", "1e3:y"])
def test_a_number_of_pieces_that_makes_no_sense_is_no_token(value):
    assert cookies.joined("t", {"t": value}) == ""


def test_cookies_of_a_request():
    assert cookies.sent(request('a=1; b="2"; c; a=3;  d=e=f')) == {"a": "1", "b": "2", "d": "e=f"}
    assert cookies.sent(request("")) == {}


def test_forgetting_takes_all_pieces():
    found = cookies.dropped("t", {"t": "2:x", "t-1": "y", "other": "z"}, secure=False)
    assert [text.partition(";")[0] for _, text in found] == ["t=", "t-1="]
    assert all("Max-Age=0" in text for _, text in found)
