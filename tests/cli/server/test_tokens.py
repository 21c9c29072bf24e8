"""What a token says about itself."""

import base64

import pytest

from plumbline.base.json import encode
from plumbline.cli.server.tokens import described, subject


def token(claims):
    return f"x.{base64.urlsafe_b64encode(encode(claims)).decode().rstrip('=')}.y"


def test_a_token_of_ours_and_of_somebody_else():
    ours = described(token({"iss": "argocd", "sub": "ada:login", "iat": 0, "exp": 3600}))
    assert (ours["type"], ours["username"]) == ("local", "ada")
    assert (ours["issued_at"], ours["expires_at"]) == ("1970-01-01T00:00:00Z", "1970-01-01T01:00:00Z")
    assert described(token({"iss": "https://idp"}))["type"] == "sso"


def test_whether_a_token_is_renewed_by_itself_is_said():
    assert described(token({}), renewable=True)["has_refresh_token"] is True
    assert described(token({}))["has_refresh_token"] is False


@pytest.mark.parametrize("text", ["", "a.b.c", "x", token([1])])
def test_what_is_no_token_says_nothing(text):
    assert subject(text) == ""


@pytest.mark.parametrize("moment", [1e30, "soon", None])
def test_a_time_that_is_none_is_left_out(moment):
    assert "expires_at" not in described(token({"exp": moment}))
