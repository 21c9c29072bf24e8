"""Passwords: new ones by argon2id, Argo CD's as they are, and nothing that a hash asks for beyond reason."""

import bcrypt
import pytest

from plumbline.access.passwords import DECOY, check_new, hashed, verified
from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext


def crypted(password):
    return Plaintext(bcrypt.hashpw(password, bcrypt.gensalt(4)))


def test_a_new_one_is_argon2id_and_salted():
    first, second = hashed(Plaintext("secret-1")), hashed(Plaintext("secret-1"))
    assert first.reveal().startswith(b"$argon2id$v=19$m=19456,t=2,p=1$")
    assert first != second
    assert verified(Plaintext("secret-1"), first)
    assert not verified(Plaintext("secret-2"), first)


def test_one_of_argo_cd_goes_on_working():
    assert verified(Plaintext("secret-1"), crypted(b"secret-1"))
    assert not verified(Plaintext("secret-2"), crypted(b"secret-1"))


def test_bcrypt_looks_at_72_bytes_as_it_does_upstream():
    long = "ä" * 60
    assert verified(Plaintext(long), crypted(long.encode()[:72]))


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        ("", "nothing"),
        ("secret-1", "the password itself"),
        ("$2b$31$" + "a" * 53, "days of work"),
        ("$argon2id$v=19$m=4194304,t=2,p=1$cGx1bWJsaW5l$cGx1bWJsaW5l", "all the memory there is"),
        ("$argon2id$v=19$m=8,t=9999,p=1$cGx1bWJsaW5l$cGx1bWJsaW5l", "a long time"),
        ("$argon2id$v=19$m=19456,t=2,p=1$!$!", "not base64"),
        ("$2b$04$" + "a" * 52 + "\n", "not quite"),
        ("$2b$01$" + "a" * 53, "less work than bcrypt allows"),
        ("$1$abc$def", "another kind"),
    ],
)
def test_other_hashes_match_nothing(stored, why):
    assert not verified(Plaintext("secret-1"), Plaintext(stored)), why


@pytest.mark.parametrize("password", ["", "x" * 1025])
def test_none_and_endless_ones_match_nothing(password):
    assert not verified(Plaintext(password), crypted(password.encode()[:72]))


def test_the_decoy_is_checked_like_any_other_and_nothing_matches_it():
    assert not verified(Plaintext("secret-1"), DECOY)


@pytest.mark.parametrize(
    ("new", "pattern", "why"),
    [
        ("short", "^.{8,32}$", "too short"),
        ("x" * 33, "^.{8,32}$", "too long"),
        ("nodigits", "[0-9]", "as the pattern says"),
        ("\udcff" * 9, "", "unused"),
        ("Somebody", "", "the name itself"),
        ("secret-1", "", "the old one"),
    ],
)
def test_a_new_one_that_will_not_do(new, pattern, why):
    raw = new.encode("utf-8", "surrogateescape")
    with pytest.raises(InvalidInput) as refused:
        check_new(Plaintext(raw), "somebody", pattern, crypted(b"secret-1"))
    assert new not in str(refused.value) or not new, why


def test_a_new_one_that_will():
    check_new(Plaintext("secret-2"), "somebody", "^.{8,32}$", crypted(b"secret-1"))
    check_new(Plaintext("secret-2"), "somebody", "^.{8,32}$", None)
