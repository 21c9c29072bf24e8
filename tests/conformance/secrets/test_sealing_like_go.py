"""What we seal sealed-secrets opens, and the other way round; and both say the same of keys, templates and bad input."""

import subprocess
from base64 import b64decode, b64encode
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from tests.conformance.real import programs

from plumbline.base.errors import PlumblineError, Undecryptable
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing import (
    Keyring,
    certificate_of,
    key_of,
    key_secret,
    label_of,
    made_key,
    outdated,
    renewed,
    resealed,
    scope_annotations,
    scope_of,
    sealed_secret,
    sealed_value,
    self_signed,
    unsealed,
    verified,
)
from plumbline.secrets.sealing.envelope import envelope_of
from plumbline.secrets.sealing.scopes import SCOPES

pytestmark = pytest.mark.conformance

ORACLE = Path(__file__).with_name("sealing_oracle")
# Certificates of the other side begin when they are made, and kubeseal takes none that has expired by the time it is.
NOW = datetime.now(UTC).replace(microsecond=0)
PLACE = {"name": "db", "namespace": "shop"}


@pytest.fixture(scope="module")
def ask():
    program = programs() / "sealing-oracle"
    subprocess.run([ORACLE / "build", program], check=True, capture_output=True, timeout=600)

    def asked(*questions):
        done = subprocess.run([program], input=encode(questions), check=True, capture_output=True, timeout=120)
        return decode(done.stdout)

    return asked


@pytest.fixture(scope="module")
def theirs(ask):
    """The Secrets of two keys that the controller made, of other sizes."""
    return [each["given"] for each in ask({"do": "key", "bits": 2048}, {"do": "key", "bits": 4096, "name": "seal"})]


@pytest.fixture(scope="module")
def ours():
    return [
        key_secret(made_key(NOW - timedelta(days=1 + at), size=2048), "kube-system", name=f"ours-{at}") for at in (0, 1)
    ]


@pytest.fixture(scope="module")
def both(theirs, ours):
    return [*theirs, *ours]


@pytest.fixture(scope="module")
def ring(both):
    return Keyring(map(key_of, both))


def pem(secret):
    return b64decode(secret["data"]["tls.crt"]).decode()


def secret_of(values, **metadata):
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {**PLACE, **metadata},
        "data": {name: b64encode(value).decode() for name, value in values.items()},
    }


def contents(secret):
    """An empty value is nothing to Go."""
    return {name: b64decode(value or "") for name, value in (secret.get("data") or {}).items()}


def opened(obj, ring):
    return {name: value.reveal() for name, value in unsealed(obj, ring, now=NOW).values.items()}


def given(answer):
    assert "fault" not in answer, answer
    return answer["given"]


def test_keys_of_the_controller_are_read_and_written_alike(theirs):
    for secret in theirs:
        key = key_of(secret)
        again = key_secret(key, "kube-system")
        assert again["data"] == secret["data"]
        assert again["type"] == secret["type"]
        assert again["metadata"]["labels"] == secret["metadata"]["labels"]
        assert again["metadata"]["generateName"] == secret["metadata"]["generateName"]
        assert key.not_after - key.not_before == timedelta(hours=87600)


def test_keys_of_ours_are_read_by_the_controller(ask, both, ring):
    assert given(ask({"do": "newest", "keys": both})[0]) == ring.newest.fingerprint
    prints = [given(each) for each in ask(*({"do": "fingerprint", "certificate": pem(each)} for each in both))]
    assert prints == [key_of(each).fingerprint for each in both]


@pytest.mark.parametrize("order", ["CertNotBefore", "SecretCreationTimestamp"])
def test_the_newest_key_is_the_same(ask, both, order):
    for at in range(len(both)):
        dated = [
            each | {"metadata": each["metadata"] | {"creationTimestamp": f"2026-08-0{1 + (at + number) % 4}T00:00:00Z"}}
            for number, each in enumerate(both)
        ]
        answer = ask({"do": "newest", "keys": dated, "order": order})[0]
        assert given(answer) == Keyring(map(key_of, dated), order).newest.fingerprint


def test_certificates_are_the_same_bit_for_bit(ask, both):
    began = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    for hours in (1, 87600, 24 * 365 * 40):
        for secret in both:
            question = {"do": "sign", "private": b64decode(secret["data"]["tls.key"]).decode(), "hours": hours}
            signed = given(ask(question | {"began": "2026-03-04T05:06:07Z"})[0])
            key = key_of(secret)
            mine = self_signed(key.loaded, int(signed["serial"]), (began, began + timedelta(hours=hours)))
            assert mine.decode() == signed["pem"]


@pytest.mark.parametrize("scope", SCOPES)
def test_what_kubeseal_sealed_we_open(ask, both, ring, scope):
    values = {"empty": b"", "bytes": bytes(range(256)), "long": b"x" * 70_000, "text": "ü".encode()}
    questions = [{"do": "seal", "secret": secret_of(values), "scope": scope, "certificate": pem(each)} for each in both]
    for secret, answer in zip(both, ask(*questions), strict=True):
        sealed = given(answer)
        found = unsealed(sealed, ring, now=NOW)
        assert {name: value.reveal() for name, value in found.values.items()} == values
        assert set(found.fingerprints.values()) == {key_of(secret).fingerprint}
        verified(sealed, ring)


@pytest.mark.parametrize("scope", SCOPES)
def test_what_we_sealed_the_controller_opens(ask, both, scope):
    values = {"empty": b"", "bytes": bytes(range(256)), "long": b"x" * 70_000}
    made = [sealed_secret(secret_of(values), key_of(each).certificate, scope) for each in both]
    for answer in ask(*({"do": "unseal", "sealed": each, "keys": both} for each in made)):
        assert contents(given(answer)) == values
    assert all(given(each) is True for each in ask(*({"do": "verify", "sealed": each, "keys": both} for each in made)))


@pytest.mark.parametrize("scope", SCOPES)
def test_envelopes_have_the_same_layout(ask, both, ring, scope):
    question = {"do": "raw", "value": b64encode(b"v" * 33).decode(), "scope": scope, **PLACE}
    for secret in both:
        certificate = key_of(secret).certificate
        texts = [given(ask(question | {"certificate": pem(secret)})[0])]
        texts.append(sealed_value(Plaintext(b"v" * 33), certificate, scope, **PLACE))
        assert len({len(each) for each in texts}) == 1
        assert {each[:2] for each in texts} == {"AQ" if certificate.public.key_size == 2048 else "Ag"}
        assert len({len(envelope_of(each).wrapped) for each in texts}) == 1
        for each in texts:
            assert ring.opened(each, label_of(scope, **PLACE)).value.reveal() == b"v" * 33


RICH = {
    "labels": {"app": "shop"},
    "annotations": {"note": "n", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
    "uid": "11111111-2222-3333-4444-555555555555",
    "resourceVersion": "7",
    "generation": 2,
    "creationTimestamp": "2026-01-01T00:00:00Z",
    "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}],
    "finalizers": ["example.org/keep"],
}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("asked", SCOPES)
def test_sealed_objects_are_put_together_alike(ask, both, scope, asked):
    rich = RICH | {"annotations": RICH["annotations"] | scope_annotations(asked)}
    secret = secret_of({"a": b"1"}, **rich) | {
        "type": "kubernetes.io/basic-auth",
        "immutable": True,
        "stringData": {"b": "2"},
    }
    answer = ask({"do": "seal", "secret": secret, "scope": scope, "certificate": pem(both[0])})[0]
    certificate = certificate_of(pem(both[0]).encode())
    # kubeseal cannot tell its default from strict that was asked for.
    mine = sealed_secret(secret, certificate, None if scope == "strict" else scope, noted=False)
    assert _shape(mine) == _shape(given(answer))


def _shape(sealed):
    """Without what is another each time, and what says nothing."""
    spec = {**sealed["spec"], "encryptedData": sorted(sealed["spec"]["encryptedData"])}
    return _told({**sealed, "spec": spec})


def _told(value):
    if isinstance(value, dict):
        return {name: told for name, each in value.items() if (told := _told(each)) not in (None, {}, [])}
    return value


TEMPLATES = [
    {"x": "plain"},
    {"x": ""},
    {"x": "{{ .a }}"},
    {"x": "{{ .missing }}"},
    {"x": "{{ .a }}-{{ .b }}", "y": "{{ .x }}"},
    {"a": None},
    {"a": None, "x": "{{ .a }}"},
    {"a": "mine"},
    {"a": "mine", "x": "{{ .a }}"},
    {"a": "{{ fail `no` }}"},
    {"a": "{{ upper .b }}", "b": None},
    {"nothing": None},
    {"x": "{{ range $k, $v := . }}{{ $k }}={{ $v }};{{ end }}"},
    {"x": "{{ len . }}{{ len .a }}"},
    {"x": "{{ if .missing }}yes{{ else }}no{{ end }}"},
    {"x": "{{ with .a }}{{ . }}{{ end }}"},
    {"x": "{{ index . `a` }}{{ index . `missing` }}|"},
    {"x": "{{ .a | upper | quote }}"},
    {"x": "{{ .a | b64enc }}"},
    {"x": "{{ .raw }}"},
    {"x": "{{ .raw | b64enc }}"},
    {"x": "{{ .json | fromJson | toPrettyJson }}"},
    {"x": "{{ (fromJson .json).k }}"},
    {"x": "{{ .a | sha256sum }}"},
    {"x": "{{ printf `%q %s %v` .a .b . }}"},
    {"x": "{{ default `d` .missing }}{{ default `d` .empty }}"},
    {"x": "{{ ternary 1 2 true }}"},
    {"x": "{{ list 1 2 3 | join `,` }}"},
    {"x": "{{ dict `k` .a | toJson }}"},
    {"x": "{{ regexReplaceAll `a` .a `b` }}"},
    {"x": "{{ define `t` }}[{{ . }}]{{ end }}{{ template `t` .a }}"},
    {"x": "{{ trimSuffix `\n` .lines }}|{{ indent 2 .lines }}"},
    {"x": "{{- .a -}}  "},
    {"x": "{{/* nothing */}}"},
    {"x": "{{ $v := .a }}{{ $v }}"},
    {"x": "{{ eq .a .b }}{{ lt 1 2 }}"},
    {"x": "{{ splitList `:` .url | last }}"},
    {"x": "{{ substr 0 3 .url }}{{ trunc -3 .url }}"},
    {"x": "{{ urlquery .url }}{{ html .url }}{{ js .url }}"},
    {"x": "{{ .url | replace `:` `;` | title }}"},
    {"x": "{{ env `HOME` }}"},
    {"x": "{{ expandenv `$HOME` }}"},
    {"x": "{{ getHostByName `localhost` }}"},
    {"x": "{{ fail .a }}"},
    {"x": "{{ .a.b }}"},
    {"x": "{{ index .a 99 }}"},
    {"x": "{{"},
    {"x": "{{ end }}"},
    {"x": "{{ nope }}"},
    {"x": "{{ include `t` . }}"},
    {"x": "{{ template `t` }}"},
    {"x": "{{ set . `a` `b` }}"},
    {"x": "{{ mustToDate `2006` .a }}"},
    {"x": "{{ atoi .a }}{{ int64 `7` }}"},
    {"x": "fine", "y": "{{ fail `one` }}", "z": "{{ fail `one` }}"},
]
VALUES = {
    "a": b"apple",
    "b": b"",
    "empty": b"",
    "raw": b"\xff\x00\xfe",
    "json": b'{"k": [1, 2.5, null, "<x>"]}',
    "lines": b"one\ntwo\n",
    "url": b"db://u:p@h:5432/x?y=z&w=v",
}


def test_templates_make_the_same_of_the_same_values(ask, both, ring):
    sealed = sealed_secret(secret_of(VALUES), ring.newest.certificate)
    objects = [
        sealed | {"spec": sealed["spec"] | {"template": sealed["spec"]["template"] | {"data": each}}}
        for each in TEMPLATES
    ]
    answers = ask(*({"do": "unseal", "sealed": each, "keys": both} for each in objects))
    differences = []
    for templates, obj, answer in zip(TEMPLATES, objects, answers, strict=True):
        mine = None
        with suppress(PlumblineError):
            mine = opened(obj, ring)
        other = contents(answer["given"]) if "given" in answer else None
        if mine != other:
            differences.append((templates, mine, other, answer.get("fault")))
    assert differences == []


def test_a_complaint_names_the_same_place(ask, both, ring):
    sealed = sealed_secret(secret_of(VALUES), ring.newest.certificate)
    for templates in (
        {"x": "\n {{ fail .a }}"},
        {"x": "{{ .a.b }}"},
        {"x": "{{ nope }}"},
        {"x": "a\n{{ index .a 99 }}"},
    ):
        obj = sealed | {"spec": sealed["spec"] | {"template": {"data": templates}}}
        fault = ask({"do": "unseal", "sealed": obj, "keys": both})[0]["fault"]
        with pytest.raises(PlumblineError) as refused:
            unsealed(obj, ring, now=NOW)
        place = refused.value.why.split(": it fails")[0].removeprefix("template: ")
        assert place in fault
        assert "apple" not in str(refused.value)


def test_secrets_look_alike(ask, both, ring):
    template = {
        "metadata": {
            "labels": {"l": "1"},
            "annotations": {"a": "b"},
            "finalizers": ["example.org/keep"],
            "name": "other",
        },
        "type": "kubernetes.io/basic-auth",
        "immutable": False,
        "data": {"x": "{{ .a }}"},
    }
    owners = [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]
    skipping = template | {
        "metadata": {
            "annotations": {"sealedsecrets.bitnami.com/skip-set-owner-references": "true"},
            "ownerReferences": owners,
        }
    }
    sealed = sealed_secret(secret_of(VALUES), ring.newest.certificate)
    sealed["metadata"]["uid"] = "u-1"
    for each in ({}, template, skipping):
        obj = sealed | {"spec": sealed["spec"] | {"template": each}}
        other = given(ask({"do": "unseal", "sealed": obj, "keys": both})[0])
        mine = unsealed(obj, ring, now=NOW, ids=Ids(1)).secret()
        assert contents(mine) == contents(other)
        assert _told({**mine, **_UNTOLD}) == _told({**other, **_UNTOLD})


_UNTOLD = {"apiVersion": None, "kind": None, "data": None}


def moved(sealed, **metadata):
    return sealed | {"metadata": sealed["metadata"] | metadata}


def with_items(sealed, **items):
    return sealed | {"spec": sealed["spec"] | {"encryptedData": sealed["spec"]["encryptedData"] | items}}


def test_bad_input_is_refused_by_both(ask, both, ring):
    """All but one: a value that is no text makes their whole map empty without a word."""
    sealed = sealed_secret(secret_of({"a": b"1"}), ring.newest.certificate)
    text = sealed["spec"]["encryptedData"]["a"]
    raw = bytearray(b64decode(text))
    chance = Random(7)  # noqa: S311 - chance that can be repeated
    bent = []
    for _ in range(40):
        copy = bytearray(raw)
        at = chance.randrange(len(copy) * 8)
        copy[at // 8] ^= 1 << at % 8
        bent.append(b64encode(copy).decode())
    bent += [b64encode(raw[: chance.randrange(len(raw))]).decode() for _ in range(20)]
    bent += [
        "",
        "A",
        "%",
        text[:-1],
        text + "A",
        text + "==",
        " " + text,
        text.replace("=", ""),
        "=" + text,
        text[::-1],
    ]
    wide = scope_annotations("cluster-wide")
    objects = [with_items(sealed, a=each) for each in bent if each != text]
    objects += [moved(sealed, name="x"), moved(sealed, namespace="x"), moved(sealed, annotations=wide)]
    objects += [with_items(sealed, b=text[:-9])]
    for action in ("unseal", "verify", "rotate"):
        for obj, answer in zip(
            objects, ask(*({"do": action, "sealed": each, "keys": both} for each in objects)), strict=True
        ):
            assert "fault" in answer or answer.get("given") in (None, False), (action, obj)
    for obj in objects:
        with pytest.raises(Undecryptable):
            verified(obj, ring)
        with pytest.raises(Undecryptable):
            unsealed(obj, ring, now=NOW)
        with pytest.raises(Undecryptable):
            resealed(obj, ring)


def test_line_breaks_are_fine_with_both(ask, both, ring):
    sealed = sealed_secret(secret_of({"a": b"1"}), ring.newest.certificate)
    text = sealed["spec"]["encryptedData"]["a"]
    broken = with_items(sealed, a="\r\n".join(text[at : at + 64] for at in range(0, len(text), 64)))
    assert contents(given(ask({"do": "unseal", "sealed": broken, "keys": both})[0])) == {"a": b"1"}
    assert opened(broken, ring) == {"a": b"1"}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("asked", SCOPES)
def test_sealing_again_keeps_the_scope_on_both_sides(ask, both, ring, scope, asked):
    oldest = ring.keys[-1]
    sealed = sealed_secret(secret_of({"a": b"1"}, labels={"l": "1"}), oldest.certificate, scope, noted=False)
    template = sealed["spec"]["template"] | {"metadata": {"annotations": scope_annotations(asked)}, "type": "Opaque"}
    sealed = moved(sealed | {"spec": sealed["spec"] | {"template": template}}, labels={"own": "x"})
    # Their answer does not say what it is.
    named = {"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret"}
    other = named | given(ask({"do": "rotate", "sealed": sealed, "keys": both})[0])
    mine = resealed(sealed, ring)
    for each in (mine, other):
        assert scope_of(each["metadata"].get("annotations", {})) == scope
        assert opened(each, ring) == {"a": b"1"}
        assert outdated(each, ring) == {}
        assert contents(given(ask({"do": "unseal", "sealed": each, "keys": both})[0])) == {"a": b"1"}
    assert outdated(sealed, ring) == {"a": oldest.fingerprint}
    del mine["metadata"]["annotations"]["plumbline.dev/sealed-with"]
    assert _shape(mine) == _shape(other)


def test_templates_are_rendered_by_neither_when_sealing_again(ask, both, ring):
    sealed = sealed_secret(secret_of({"a": b"1"}), ring.newest.certificate)
    sealed["spec"]["template"]["data"] = {"x": "{{ fail .a }}"}
    for action in ("verify", "rotate"):
        assert given(ask({"do": action, "sealed": sealed, "keys": both})[0])
    verified(sealed, ring)
    assert list(resealed(sealed, ring)["spec"]["encryptedData"]) == ["a"]
    assert renewed(sealed, ring)["spec"] == sealed["spec"]


@pytest.mark.parametrize("scope", SCOPES)
def test_the_old_form_is_read_and_renewed_alike(ask, both, ring, scope):
    secret = secret_of({"a": b"1"}, labels={"l": "1"}, annotations=scope_annotations(scope)) | {"type": "Opaque"}
    oldest = ring.keys[-1].certificate
    sealed = given(ask({"do": "old", "secret": secret, "certificate": oldest.pem.decode()})[0])
    sealed["metadata"]["uid"] = "u-1"
    other = given(ask({"do": "unseal", "sealed": sealed, "keys": both})[0])
    mine = unsealed(sealed, ring, now=NOW).secret()
    assert contents(mine) == contents(other)
    assert _told({**mine, **_UNTOLD}) == _told({**other, **_UNTOLD})
    for again in (resealed, renewed):
        new = again(sealed, ring)
        assert outdated(new, ring) == {}
        assert contents(given(ask({"do": "unseal", "sealed": new, "keys": both})[0])) == {"a": b"1"}
