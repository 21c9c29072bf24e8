"""Row 5 of the table of attacks. Whatever is sent, it becomes a push, an ignored webhook, or a refusal: nothing else is ever raised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.forge.webhooks import senders
from tests.forge.webhooks.senders import SENDERS, sent

from plumbline.base.errors import BadDocument, InvalidInput, LimitExceeded, Unauthenticated
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.forge.webhooks import Ignored, Push, Secrets, matches, merged, read
from plumbline.forge.webhooks.decoding import MOST_VALUES

SECRETS = Secrets(harbor=Plaintext("shared harbor secret"))
MIB = 1 << 20

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def paths(value, at=()):
    yield at
    if isinstance(value, dict):
        for key, child in value.items():
            yield from paths(child, (*at, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from paths(child, (*at, index))


def changed(value, path, new):
    """A copy with another value at the path; without one where *new* is Ellipsis."""
    if not path:
        return None if new is ... else new
    key, *rest = path
    copy = dict(value) if isinstance(value, dict) else list(value)
    if not rest and new is ...:
        del copy[key]
    else:
        copy[key] = changed(value[key], rest, new)
    return copy


@st.composite
def mutants(draw):
    """A real payload in which some places hold something else, or nothing."""
    name = draw(st.sampled_from(sorted(SENDERS)))
    payload = SENDERS[name][1]
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(paths(payload))))
        payload = changed(payload, path, draw(st.just(...) | st.just([]) | st.just({}) | values))
    return name, payload


def outcome(headers, body, secrets=SECRETS):
    try:
        found = read(headers, body, secrets)
    except (InvalidInput, Unauthenticated):
        return ()
    assert isinstance(found, Ignored) or (found and all(isinstance(push, Push) for push in found))
    return () if isinstance(found, Ignored) else found


@given(mutants())
def test_fields_that_are_missing_or_of_another_type_never_crash(mutant):
    name, payload = mutant
    headers, body = sent(name, payload)
    for push in outcome(headers, body):
        assert push.urls
        assert push.ref
        matches(push, "https://git.example/a", "HEAD", lambda *_: False)
        assert merged(push, push).ref == push.ref


@given(st.sampled_from(sorted(SENDERS)), st.binary(max_size=200))
def test_bytes_of_any_kind_never_crash(name, body):
    outcome(sent(name)[0], body)


@given(
    st.dictionaries(
        st.sampled_from(
            ["x-github-event", "x-gitlab-event", "x-gogs-event", "x-event-key", "x-hook-uuid", "x-vss-activityid",
             "x-hub-signature-256", "x-hub-signature", "x-gogs-signature", "x-gitlab-token", "authorization",
             "content-type"]
        ),
        st.text(max_size=20),
    ),
    values,
)  # fmt: skip
def test_headers_of_any_kind_never_crash(headers, payload):
    secret = Plaintext("s")
    everything = Secrets(
        github=secret, gitlab=secret, bitbucket_uuid=secret, bitbucket_server=secret, gogs=secret,
        azure_username="u", azure_password=secret, harbor=secret, generic=secret,
    )  # fmt: skip
    outcome(headers, encode(payload), everything)


@pytest.mark.parametrize(
    ("name", "payload", "why"),
    [
        ("bitbucket server", senders.bitbucket_server(repository={"links": {"clone": "x"}}), "CVE-2025-59531: no list"),
        ("bitbucket server", senders.bitbucket_server(repository={"links": {"clone": [{"name": "http", "href": 5}]}}), "CVE-2025-59531: no text"),
        ("bitbucket server", senders.bitbucket_server(repository={"links": {"clone": [5, None]}}), "CVE-2025-59531: no object"),
        ("bitbucket server", senders.bitbucket_server(changes=[]), "no change"),
        ("gogs", {key: value for key, value in senders.gogs().items() if key != "repository"}, "CVE-2025-59537"),
        ("azure", senders.azure(refUpdates=[]), "CVE-2025-59538"),
        ("azure", {"eventType": "git.push"}, "no resource"),
        ("azure", senders.azure(repository={"remoteUrl": "http://[x/_git"}), "an address that cannot be read"),
        ("harbor", {"type": "PUSH_ARTIFACT"}, "nothing in it"),
        ("github", {}, "nothing in it"),
    ],
)  # fmt: skip
def test_what_once_crashed_others_is_ignored(name, payload, why):
    found = read(*sent(name, payload), SECRETS)
    assert isinstance(found, Ignored) or why.startswith("an address")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"[" * 1_000_000, "arrays in arrays"),
        (b'{"repository":' * 200_000, "objects in objects"),
        (b'{"other":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}", "in a field that nobody reads"),
        (b'{"total_commits":' + b"9" * 1_000_000 + b"}", "a number of a million digits"),
        (b'{"total_commits":1e999999}', "a number that is none"),
        (b'{"commits":[' + b"null," * (MOST_VALUES + 1) + b"null]}", "more values than anybody pushes"),
    ],
)
@pytest.mark.parametrize("name", ["github", "generic"])
def test_payloads_made_to_break_a_reader_are_refused(name, body, why):
    with pytest.raises((BadDocument, LimitExceeded)):
        read(sent(name)[0], body, SECRETS)


def test_fifty_megabytes_in_a_field_that_nobody_reads_are_skipped():
    body = b'{"filler":"' + b"x" * (49 * MIB) + b'",' + encode(senders.github())[1:]
    assert len(read(sent("github")[0], body, SECRETS)) == 1


def test_a_payload_names_no_more_than_a_hundred_refs():
    many = [{"ref": {"id": f"refs/heads/{n}"}} for n in range(5000)]
    assert len(read(*sent("bitbucket server", senders.bitbucket_server(changes=many)), SECRETS)) == 100
