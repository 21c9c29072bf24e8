"""Where a secret is configured, only who knows it is listened to."""

import pytest
from tests.forge.webhooks import senders
from tests.forge.webhooks.senders import basic, sent, signed

from plumbline.base.errors import Unauthenticated
from plumbline.base.plaintext import Plaintext
from plumbline.forge.webhooks import Ignored, Secrets, read

KEY = b"it's a secret"
SECRET = Plaintext(KEY)
ALL = Secrets(
    github=SECRET,
    gitlab=SECRET,
    bitbucket_uuid=SECRET,
    bitbucket_server=SECRET,
    gogs=SECRET,
    azure_username="azure",
    azure_password=SECRET,
    harbor=SECRET,
    generic=SECRET,
)
PROOFS = [
    ("github", "x-hub-signature-256", lambda body: signed(body, KEY), "as GitHub writes it"),
    ("github", "x-hub-signature-256", lambda body: signed(body, KEY, ""), "the prefix may be left out"),
    ("ghcr", "x-hub-signature-256", lambda body: signed(body, KEY), "the registry has GitHub's secret"),
    ("gitlab", "x-gitlab-token", lambda _: KEY.decode(), "the secret itself"),
    ("gogs", "x-gogs-signature", lambda body: signed(body, KEY, ""), "without a prefix"),
    ("gitea", "x-gitea-signature", lambda body: signed(body, KEY, ""), "in its own header"),
    ("bitbucket", "x-hook-uuid", lambda _: KEY.decode(), "the id of the webhook"),
    ("bitbucket server", "x-hub-signature", lambda body: signed(body, KEY), "as it writes it"),
    ("azure", "authorization", lambda _: basic("azure", KEY.decode()), "user and password"),
    ("harbor", "authorization", lambda _: KEY.decode(), "the header as a whole"),
    ("generic", "authorization", lambda _: f"Bearer {KEY.decode()}", "a token"),
    ("generic", "x-hub-signature-256", lambda body: signed(body, KEY), "or a signature"),
]


def with_header(name, header, value, payload=None):
    headers, body = sent(name, payload)
    headers.pop("authorization", None)
    return {**headers, header: value}, body


@pytest.mark.parametrize(("name", "header", "proof", "why"), PROOFS, ids=[f"{p[0]} {p[1]}" for p in PROOFS])
def test_who_knows_the_secret_is_listened_to(name, header, proof, why):
    _, body = sent(name)
    assert not isinstance(read(*with_header(name, header, proof(body)), ALL), Ignored), why


@pytest.mark.parametrize(("name", "header", "proof", "why"), PROOFS, ids=[f"{p[0]} {p[1]}" for p in PROOFS])
@pytest.mark.parametrize("damage", ["flipped", "none", "empty", "short", "other body", "not ascii"])
def test_who_does_not_know_it_is_not(name, header, proof, damage, why):
    headers, body = with_header(name, header, proof(sent(name)[1]))
    wrong = {
        "flipped": headers[header][:-1] + ("0" if headers[header][-1] != "0" else "1"),
        "none": "none",
        "empty": "",
        "short": "sha2",
        "other body": proof(body + b" ") if "sign" in header else "wrong",
        "not ascii": "sha256=é",
    }[damage]
    if (name, damage) == ("bitbucket", "empty"):
        headers.pop("x-hook-uuid")
        headers["x-event-key"] = "repo:refs_changed"
    with pytest.raises(Unauthenticated) as refused:
        read({**headers, header: wrong}, body, ALL)
    assert KEY.decode() not in str(refused.value), why


@pytest.mark.parametrize(
    ("name", "proof_of"),
    [("github", "gogs"), ("gogs", "github"), ("gitlab", "github"), ("bitbucket server", "gitlab"), ("azure", "harbor")],
)
def test_the_proof_of_one_sender_is_none_for_another(name, proof_of):
    others = {header: proof(sent(name)[1]) for kind, header, proof, _ in PROOFS if kind == proof_of}
    headers, body = sent(name)
    with pytest.raises(Unauthenticated):
        read({**headers, **others}, body, ALL)


def test_sha1_is_not_a_signature_any_more():
    headers, body = with_header("github", "x-hub-signature", "sha1=" + "0" * 40)
    with pytest.raises(Unauthenticated):
        read(headers, body, ALL)


def test_a_ping_is_checked_too_so_that_a_wrong_secret_shows_at_once():
    headers, body = sent("github", {"zen": "x"})
    with pytest.raises(Unauthenticated):
        read({**headers, "x-github-event": "ping"}, body, ALL)


def test_both_user_and_password_have_to_be_right():
    for user, password in (("azure", "wrong"), ("wrong", KEY.decode()), ("", "")):
        with pytest.raises(Unauthenticated):
            read(*with_header("azure", "authorization", basic(user, password)), ALL)


@pytest.mark.parametrize("given", ["Basic", "Basic %%%", "Basic " + "/w==", "Basic bm9jb2xvbg==", "Bearer x"])
def test_a_header_that_holds_no_user_and_password_is_none(given):
    with pytest.raises(Unauthenticated):
        read(*with_header("azure", "authorization", given), ALL)


@pytest.mark.parametrize("name", [name for name in senders.SENDERS if name != "harbor"])
def test_without_a_secret_everybody_is_listened_to(name):
    headers, body = sent(name)
    assert not isinstance(read(headers, body, Secrets()), Ignored)


@pytest.mark.parametrize(
    "known",
    [
        {"github": SECRET},
        {"gitlab": SECRET},
        {"bitbucket_uuid": SECRET},
        {"bitbucket_server": SECRET},
        {"gogs": SECRET},
        {"azure_username": "azure"},
        {"azure_password": SECRET},
    ],
    ids=lambda known: next(iter(known)),
)
def test_where_a_forge_has_to_prove_who_it_is_nobody_gets_around_that_by_being_none(known):
    headers, body = sent("generic")
    with pytest.raises(Unauthenticated, match="none for those that are no known forge"):
        read(headers, body, Secrets(**known))


def test_secrets_do_not_show():
    assert KEY.decode() not in repr(ALL)
