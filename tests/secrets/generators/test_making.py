"""What generators make is as it was asked for, and no two are the same."""

import base64
import string

import pytest
from cryptography.hazmat.primitives.serialization import load_ssh_private_key
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.base.ids import Ids
from plumbline.kinds.externalsecrets.generators import PasswordSpec, SshKeySpec
from plumbline.secrets.generators.making import made

SYMBOLS = '~!@#$%^&*()_+`-={}|[]\\:"<>?,./'


def password(seed=None, **spec):
    return made(PasswordSpec(**spec), Ids(seed))["password"].reveal().decode()


@given(
    length=st.integers(1, 40),
    digits=st.integers(0, 10),
    symbols=st.integers(0, 12),
    no_upper=st.booleans(),
    allow_repeat=st.booleans(),
    seed=st.integers(0, 99),
)
def test_a_password_has_what_was_asked_for(length, digits, symbols, no_upper, allow_repeat, seed):
    letters = length - digits - symbols
    fits = letters >= 0 and (allow_repeat or letters <= (26 if no_upper else 52))
    spec = {"length": length, "digits": digits, "symbols": symbols, "no_upper": no_upper, "allow_repeat": allow_repeat}
    if not fits:
        with pytest.raises(InvalidInput, match="cannot be made"):
            password(seed, **spec)
        return
    found = password(seed, **spec)
    assert len(found) == length
    assert sum(each in string.digits for each in found) == digits
    assert sum(each in SYMBOLS for each in found) == symbols
    assert not (no_upper and any(each in string.ascii_uppercase for each in found))
    assert allow_repeat or len(set(found)) == len(found)


def test_a_quarter_are_digits_and_a_quarter_symbols_if_nothing_is_said():
    found = password()
    assert (len(found), sum(map(str.isdigit, found)), sum(map(str.isalpha, found))) == (24, 6, 12)
    assert password() != password()


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"digits": 11, "length": 30}, "number of digits exceeds"),
        ({"symbols": 3, "symbol_characters": "-_"}, "number of symbols exceeds"),
        ({"symbols": 2, "symbol_characters": "-a"}, "number of symbols exceeds"),
        ({"length": 60, "digits": 0, "symbols": 0}, "number of letters exceeds"),
        ({"length": 5000, "allow_repeat": True}, "longer than"),
        ({"length": 8, "digits": -1}, "must be less than"),
    ],
)
def test_what_cannot_be_made_is_refused(spec, why):
    with pytest.raises(InvalidInput, match=why):
        password(**spec)


def test_a_password_may_be_written_otherwise_and_there_may_be_several():
    encodings = {"base64": base64.b64decode, "base64url": base64.urlsafe_b64decode, "base32": base64.b32decode}
    for name, read in {**encodings, "hex": lambda raw: bytes.fromhex(raw.decode())}.items():
        assert len(read(password(encoding=name).encode())) == 24
    several = made(PasswordSpec(secret_keys=("a", "b")), Ids())
    assert set(several) == {"a", "b"}
    assert several["a"] != several["b"]


PAIRS = [
    SshKeySpec(key_type="ed25519", comment="ann@example"),
    SshKeySpec(key_size=1024),
    *(SshKeySpec(key_type="ecdsa", key_size=bits) for bits in (None, 256, 384, 521)),
]


@pytest.mark.parametrize("spec", PAIRS)
def test_a_pair_of_keys_belongs_together(spec):
    pair = made(spec, Ids())
    opened = load_ssh_private_key(pair["privateKey"].reveal(), None)
    assert load_public(pair["publicKey"].reveal()) == opened.public_key()
    assert pair["publicKey"].reveal().endswith(b" ann@example\n" if spec.comment else b"\n")


def load_public(text):
    from cryptography.hazmat.primitives.serialization import load_ssh_public_key  # noqa: PLC0415 - used once

    return load_ssh_public_key(text)


def test_a_key_that_protects_nothing_is_not_made():
    with pytest.raises(InvalidInput, match="256, 384 or 521"):
        made(SshKeySpec(key_type="ecdsa", key_size=2048), Ids())
    with pytest.raises(InvalidInput, match="protects nothing"):
        made(SshKeySpec(key_size=512), Ids())


def test_no_more_passwords_are_made_than_a_secret_holds():
    keys = tuple(f"key{number}" for number in range(1_000))
    with pytest.raises(InvalidInput, match="a Secret holds no more than 1,024 KiB"):
        made(PasswordSpec(length=4_000, allow_repeat=True, secret_keys=keys), Ids(1))
    assert len(made(PasswordSpec(secret_keys=keys), Ids(1))) == 1_000
