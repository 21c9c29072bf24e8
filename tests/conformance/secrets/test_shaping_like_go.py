"""Keys, values, YAML, PEM and keys are taken as Go and the libraries of External Secrets take them.

Upstream's own packages for this are in a module that no proxy serves, so that the libraries beneath are asked.
"""

import base64
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.secrets.external.shaping.making import SURROUNDINGS, chain, pem, plain, printed, rsa_key
from tests.secrets.external.shaping.vectors import NUMBERS, PATTERNS, PEMS, YAML_STRINGS, jwk_of

from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.regex import capturing
from plumbline.gotemplate.sprig.pem import blocks, encoded
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretTemplate, TemplateFrom
from plumbline.secrets.external.shaping import gojson
from plumbline.secrets.external.shaping.decoding import decoded_value
from plumbline.secrets.external.shaping.keys import converted
from plumbline.secrets.external.shaping.markers import data_hash
from plumbline.secrets.external.shaping.rewriting import replaced
from plumbline.secrets.external.shaping.templating import Sources, rendered

pytestmark = pytest.mark.conformance

LIBRARIES = (
    "software.sslmate.com/src/go-pkcs12@v0.7.3",
    "github.com/lestrrat-go/jwx/v2@v2.1.6",
    "sigs.k8s.io/yaml@v1.6.0",
)
PROGRAM = Path(__file__).with_name("shaping_oracle")
BUILD = {"GOFLAGS": "-mod=mod -buildvcs=false", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
AT_ONCE = settings(
    max_examples=15, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture]
)
MANY = 60


@pytest.fixture(scope="module")
def go(tmp_path_factory):
    """Asks Go: the value that it answers, or an exception with its complaint."""
    binary = shutil.which("go")
    if binary is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    folder = tmp_path_factory.mktemp("shaping")
    shutil.copy(PROGRAM / "main.go", folder)
    for arguments in (
        ("mod", "init", "example.org/oracle"),
        ("mod", "edit", *(f"-require={library}" for library in LIBRARIES)),
        ("build", "-o", "oracle", "."),
    ):
        subprocess.run(
            [binary, *arguments], cwd=folder, env=environment() | BUILD, check=True, capture_output=True, timeout=300
        )

    def ask(verb, *questions):
        body = encode([{"verb": verb, "args": arguments} for arguments in questions])
        done = subprocess.run([folder / "oracle"], input=body, check=True, capture_output=True, timeout=60)
        return [None if "fault" in each else each["value"] for each in decode(done.stdout)]

    return ask


def test_rewrites_expand_as_replace_all_string_does(go):
    assert go("replaced", *PATTERNS) == [replaced(capturing(p), text, by) for p, text, by in PATTERNS]


@AT_ONCE
@given(
    cases=st.lists(
        st.tuples(
            st.sampled_from(["a*", "(a)|b", "(?P<x>a+)(b)?", "", "$", "^", "[^a]*?", "b|(?:)", "a{0}", "."]),
            st.text("abÄ /", max_size=8),
            st.text("$1{x}0a_", max_size=6),
        ),
        min_size=MANY,
        max_size=MANY,
    )
)
def test_random_rewrites_do_too(go, cases):
    assert go("replaced", *cases) == [replaced(capturing(p), text, by) for p, text, by in cases]


def test_letters_and_numbers_are_those_of_go(go):
    text = "".join(chr(code) for code in range(0x20, 0x2FFF))
    allowed = [converted(plain(**{char: ""}), "Default").keys() == {char} for char in text]
    answered = go("allowed", [text])[0]
    assert [char for char, ours, theirs in zip(text, allowed, answered, strict=True) if ours != theirs] == [
        "-",
        ".",
        "_",
    ]


def test_hashes_are_equal_byte_for_byte(go):
    cases = [{}, {"a": b""}, {"b": b"\x00\xff", "a": b"one", "Z.z-": "Ä".encode()}, {"ключ": b"1", "a_b": b"2"}]
    asked = [
        [encode({key: base64.b64encode(value).decode() for key, value in case.items()}).decode()] for case in cases
    ]
    assert go("hashed", *asked) == [data_hash(plain(**case)) for case in cases]


@AT_ONCE
@given(texts=st.lists(st.text("AQ=-_+/\n\r b", max_size=9), min_size=MANY, max_size=MANY))
def test_base64_is_strict_as_in_go(go, texts):
    for verb, strategy in (("base64", "Base64"), ("base64url", "Base64URL")):
        answers = zip(texts, go(verb, *([text] for text in texts)), strict=True)
        assert {text: answer for text, answer in answers if answer != _decoded(text, strategy)} == {}


def _decoded(text, strategy):
    try:
        return decoded_value(Plaintext(text), strategy).reveal().hex()
    except InvalidInput:
        return None


def test_json_is_written_as_go_writes_it(go):
    documents = [
        *NUMBERS,
        '{"b":[1,2.50,{"z":null}],"a":"<&>\\u2028\\u0001\\"\\\\é\\ud83d\\ude00","c":true,"e":1e21,"f":1e-7,"g":-0.0}',
        "[]",
        "{}",
    ]
    for document, (number, html, raw) in zip(documents, go("shown", *([each] for each in documents)), strict=True):
        value = gojson.floating(decode(document))
        assert (gojson.written(value).decode(), gojson.written(value, html=False).decode()) == (html, raw)
        if number:
            assert gojson.as_bytes(value).decode() == number


def test_yaml_becomes_strings_as_in_go(go):
    answered = go("strings", *([text] for text in YAML_STRINGS))
    assert answered == [_strings(text) for text in YAML_STRINGS]


def _strings(text):
    template = ExternalSecretTemplate(template_from=(TemplateFrom(literal=text),))
    try:
        made = rendered(template, {}, Sources(), SURROUNDINGS)
    except InvalidInput:
        return None
    return {key: value.reveal().decode() for key, value in made.values.items()}


def test_to_yaml_prints_what_go_prints(go):
    documents = [
        '{"b":[1,2.5,{"z":null}],"a":"line\\nline\\n","c":true,"d":{},"e":[],"f":"yes","g":"1","h":1e20,"i":"a: b"}',
        '[[1,["x"]],{"k":{"l":"m"}}]',
        '"text"',
        "12345678",
        "0.1",
        "null",
        '{"key10":1,"key9":2,"Key":3}',
    ]
    asked = go("toYaml", *([each] for each in documents))
    assert asked == [printed("{{ fromJson .x | toYaml }}", x=each).decode() for each in documents]


def test_pem_is_read_and_written_as_in_go(go):
    assert go("blocks", *([text] for text in PEMS)) == [
        [encoded(b.kind, b.body, b.headers) for b in blocks(t)] for t in PEMS
    ]


def test_names_and_identifiers_of_certificates(go):
    certificate = chain().leaf
    assert go("names", [certificate])[0] == printed('{{ certSANs .x | join " " }}', x=certificate).decode().split(" ")


@pytest.mark.parametrize("password", ["", "s3cret", "pässwort"])
def test_pkcs12_goes_there_and_back(go, password):
    made = chain()
    ours = printed("{{ fullPemToPkcs12Pass .c .k .p }}", c=made.full, k=made.key, p=password).decode()
    one = printed("{{ pemToPkcs12Pass .c .k .p }}", c=made.full, k=made.key, p=password).decode()
    key, certificates = go("unpacked", [ours, password])[0]
    assert (key, sorted(certificates.split("-----BEGIN"))) == (made.key, sorted(made.full.split("-----BEGIN")))
    assert go("unpacked", [one, password])[0] == [made.key, made.leaf]
    assert go("unpacked", [ours, "wrong"]) == [None]

    theirs = go("packed", [made.full, made.key, password])[0]
    assert printed("{{ .x | b64dec | pkcs12keyPass .p }}", x=theirs, p=password).decode() == made.key
    assert printed("{{ .x | b64dec | pkcs12certPass .p }}", x=theirs, p=password).decode() == made.full

    trusted = printed("{{ pemTruststoreToPKCS12Pass .c .p }}", c=made.middle + made.root, p=password).decode()
    assert go("trusted", [trusted, password])[0] == made.middle + made.root


def test_json_web_keys_become_the_same_pem(go):
    keys = [
        rsa_key(),
        ed25519.Ed25519PrivateKey.generate(),
        *map(ec.generate_private_key, (ec.SECP256R1(), ec.SECP521R1())),
    ]
    for key in keys:
        private, public = jwk_of(key), jwk_of(key.public_key())
        answered = go("jwk", [private], [public])
        assert answered[0] == pem(key)
        assert [printed("{{ jwkPrivateKeyPem .x }}", x=private), printed("{{ jwkPublicKeyPem .x }}", x=public)] == [
            each.encode() for each in answered
        ]


def test_what_go_encrypts_is_decrypted(go):
    sealed = go("sealed", ["hunter2", pem(rsa_key())])[0]
    text = '{{ rsaDecrypt "RSA-OAEP" "SHA256" (b64dec .x) .k }}'
    assert printed(text, x=sealed, k=pem(rsa_key())) == b"hunter2"


def test_hexadecimal(go):
    cases = ["", "00ff", "68656c6c6f", "0g", "abc", "é0", "4a4B"]
    for case, answer in zip(cases, go("hexdec", *([case] for case in cases)), strict=True):
        ours = printed("{{ hexdec .x }}", x=case)
        assert ours.startswith(b"encoding/hex: ") if answer is None else ours.decode(errors="replace") == answer


def test_identifiers_of_keys_decide_about_chains(go):
    """What is compared to order a chain is what Go reads from the certificates."""
    made = chain()
    leaf, middle, root = go("identifiers", [made.full])[0]
    assert (leaf[0], middle[0], root[0]) == (middle[1], root[1], root[1])
