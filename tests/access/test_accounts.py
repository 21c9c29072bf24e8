"""Accounts as Argo CD has them, whoever wrote them down."""

from datetime import UTC, datetime

import pytest

from plumbline.access.accounts import (
    Account,
    TokenRecord,
    opened,
    read_accounts,
    with_password,
    with_tokens,
)
from plumbline.base.plaintext import Plaintext

HASH = Plaintext("$2a$10$x")


def read(settings=None, **secrets):
    return read_accounts(settings or {}, {key.replace("__", "."): Plaintext(value) for key, value in secrets.items()})


def test_there_is_always_an_administrator_who_may_log_in():
    assert read().named == {"admin": Account(name="admin", capabilities=("login",))}


@pytest.mark.parametrize(
    ("settings", "name", "enabled", "capabilities", "why"),
    [
        ({"accounts.bob": "apiKey, login"}, "bob", True, ("apiKey", "login"), "as it is documented"),
        ({"accounts.bob": " login ,, login"}, "bob", True, ("login",), "spaces, nothing, and twice"),
        ({"accounts.bob": ""}, "bob", True, (), "an account that can do nothing"),
        ({"accounts.bob.enabled": "false", "accounts.bob": "login"}, "bob", False, ("login",), "switched off"),
        ({"accounts.bob.enabled": "0"}, "bob", False, (), "Go's other words for false"),
        ({"accounts.bob.enabled": "T"}, "bob", True, (), "and for true"),
        ({"accounts.admin": "apiKey"}, "admin", True, ("login", "apiKey"), "more for the administrator"),
        ({"admin.enabled": "false"}, "admin", False, ("login",), "no administrator"),
        (
            {"admin.enabled": "false", "accounts.admin.enabled": "true"},
            "admin",
            False,
            ("login",),
            "not through a back door",
        ),
    ],
)
def test_what_an_account_may_do_is_in_the_settings(settings, name, enabled, capabilities, why):
    account = read(settings).named[name]
    assert (account.enabled, account.capabilities) == (enabled, capabilities), why


@pytest.mark.parametrize(
    ("settings", "secrets", "key", "why"),
    [
        ({"accounts.bob.enabled": "maybe"}, {}, "accounts.bob.enabled", "neither true nor false"),
        ({"admin.enabled": "nope"}, {}, "admin.enabled", "same"),
        ({"accounts.bob": "login"}, {"accounts__bob__passwordMtime": "soon"}, "accounts.bob.passwordMtime", "no time"),
        ({}, {"admin__passwordMtime": "2026-01-01T00:00:00"}, "admin.passwordMtime", "no time zone"),
    ],
)
def test_what_cannot_be_read_keeps_its_account_out_and_no_other(settings, secrets, key, why):
    found = read({"accounts.eve": "login", **settings}, **secrets)
    name = "bob" if "bob" in key else "admin"
    assert not found.named[name].enabled, why
    assert found.named["eve"].enabled
    assert [problem.key for problem in found.problems] == [key]


@pytest.mark.parametrize("key", ["accounts.a.b.c", "accounts.", "accounts.bob.password", "accounts..enabled"])
def test_what_is_no_setting_of_an_account_is_told(key):
    found = read({key: "x"})
    assert list(found.named) == ["admin"]
    assert found.problems[0].key == key


def test_an_unknown_capability_is_told_and_the_others_count():
    found = read({"accounts.bob": "login,fly"})
    assert found.named["bob"].capabilities == ("login",)
    assert "fly" in found.problems[0].why


def test_what_proves_an_account_is_in_the_secret():
    found = read(
        {"accounts.bob": "apiKey"},
        accounts__bob__password="$2a$10$x",
        accounts__bob__passwordMtime="2026-01-02T03:04:05Z",
        accounts__bob__tokens='[{"id":"ci","iat":1,"exp":2},{"id":"old","iat":1}]',
        admin__tokens="null",
    )
    bob = found.named["bob"]
    assert bob.password == HASH
    assert bob.password_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert bob.token("ci") == TokenRecord("ci", 1, 2)
    assert bob.token("old") == TokenRecord("old", 1)
    assert bob.token("none") is None
    assert not found.problems


def test_tokens_that_cannot_be_read_count_for_nothing():
    found = read({"accounts.bob": "apiKey"}, accounts__bob__tokens="[{]")
    assert found.named["bob"].tokens == ()
    assert found.problems[0].key == "accounts.bob.tokens"


def test_edits_are_what_argo_cd_would_have_written():
    at = datetime(2026, 1, 2, 3, 4, 5, 999, tzinfo=UTC)
    assert with_password("admin", HASH, at) == {
        "admin.password": b"$2a$10$x",
        "admin.passwordMtime": b"2026-01-02T03:04:05Z",
    }
    assert with_tokens("bob", (TokenRecord("a", 1), TokenRecord("b", 1, 2))) == {
        "accounts.bob.tokens": b'[{"id":"a","iat":1},{"id":"b","iat":1,"exp":2}]'
    }
    assert with_tokens("bob", ()) == {"accounts.bob.tokens": None}


def test_values_of_a_secret_that_are_no_base64_are_left_out():
    assert opened({"a": "eA==", "b": "?", "c": 1}) == {"a": Plaintext("x")}
    assert opened(None) == {}
