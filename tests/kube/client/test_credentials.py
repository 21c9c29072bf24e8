import pytest

from plumbline.base.errors import BadKubeconfig
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Connection
from plumbline.kube.client.credentials import Fixed, FromFiles
from plumbline.kube.client.parts import Certificate, User
from plumbline.kube.client.sources import credentials_of

PLAIN = Certificate(b"C", Plaintext("K"))


def header(identity):
    return dict(identity.headers).get("Authorization")


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        (User(), None),
        (User(token=Plaintext("t")), "Bearer t"),
        (User(basic=("u", Plaintext("p:q"))), "Basic dTpwOnE="),
        (User(token=Plaintext("t"), basic=("u", Plaintext("p"))), "Bearer t"),
    ],
)
async def test_what_is_written_down_is_ready_and_cannot_be_renewed(user, expected):
    credentials = Fixed(user)
    identity = credentials.ready()
    assert header(identity) == expected
    assert await credentials.renew(identity) is None
    assert await credentials.renew(None) is identity


@pytest.mark.parametrize("token", ["a\r\nX-Evil: 1", "a\x00b", "ü"])
def test_a_token_cannot_smuggle_a_header_in(token):
    with pytest.raises(BadKubeconfig):
        Fixed(User(token=Plaintext(token)))


def test_an_identity_prints_nothing():
    assert repr(Fixed(User(token=Plaintext("hunter2"))).ready()) == "Identity(***)"


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "token"
    path.write_text("one\n")
    return path


async def test_a_token_file_is_read_again_after_a_while(token_file, clock):
    credentials = FromFiles(User(token_file=token_file), clock, "x")
    first = credentials.ready()
    assert header(first) == "Bearer one"
    token_file.write_text("two")
    await clock.advance(9)
    assert credentials.ready() is first
    await clock.advance(2)
    assert header(credentials.ready()) == "Bearer two"


async def test_an_unchanged_file_is_the_same_identity(token_file, clock):
    """Another one would mean other connections."""
    credentials = FromFiles(User(token_file=token_file), clock, "x")
    first = credentials.ready()
    await clock.advance(60)
    assert credentials.ready() is first


async def test_a_refused_token_is_read_again_at_once(token_file, clock):
    credentials = FromFiles(User(token_file=token_file), clock, "x")
    first = credentials.ready()
    assert await credentials.renew(first) is None, "the file says the same"
    token_file.write_text("two")
    assert header(await credentials.renew(first)) == "Bearer two"


async def test_a_token_that_vanishes_for_a_moment_is_still_good(token_file, clock):
    credentials = FromFiles(User(token_file=token_file), clock, "x")
    first = credentials.ready()
    token_file.unlink()
    await clock.advance(60)
    assert credentials.ready() is first


@pytest.mark.parametrize("content", [None, b"x" * ((1 << 20) + 1)])
def test_a_file_that_cannot_be_used_from_the_start_is_refused_by_name(tmp_path, clock, content):
    path = tmp_path / "token"
    if content:
        path.write_bytes(content)
    with pytest.raises(BadKubeconfig) as caught:
        FromFiles(User(token_file=path), clock, "context 'c'").ready()
    assert "tokenFile of context 'c'" in caught.value.what
    assert str(path) in caught.value.why


def test_an_empty_token_file_falls_back_to_the_token_next_to_it(token_file, clock):
    token_file.write_text(" \n")
    assert header(FromFiles(User(token=Plaintext("t"), token_file=token_file), clock, "x").ready()) == "Bearer t"


async def test_certificate_files_are_read_again_too(tmp_path, clock):
    chain, key = tmp_path / "c", tmp_path / "k"
    chain.write_bytes(b"C1")
    key.write_bytes(b"K1")
    credentials = FromFiles(User(certificate_file=chain, key_file=key), clock, "x")
    assert credentials.ready().certificate == Certificate(b"C1", Plaintext("K1"))
    chain.write_bytes(b"C2")
    key.write_bytes(b"K2")
    await clock.advance(11)
    assert credentials.ready().certificate == Certificate(b"C2", Plaintext("K2"))


def test_a_certificate_and_its_key_may_come_from_two_places(tmp_path, clock):
    key = tmp_path / "k"
    key.write_bytes(b"K1")
    inline = User(certificate=Certificate(b"C", Plaintext("")), key_file=key)
    assert FromFiles(inline, clock, "x").ready().certificate == Certificate(b"C", Plaintext("K1"))
    chain = User(certificate=Certificate(b"", Plaintext("K")), certificate_file=key)
    assert FromFiles(chain, clock, "x").ready().certificate == Certificate(b"K1", Plaintext("K"))
    token = User(token_file=key, certificate=PLAIN)
    assert FromFiles(token, clock, "x").ready().certificate is PLAIN


def test_every_connection_has_its_source_of_credentials(token_file, clock):
    assert isinstance(credentials_of(Connection("https://x"), clock), Fixed)
    assert isinstance(credentials_of(Connection("https://x", user=User(token_file=token_file)), clock), FromFiles)
