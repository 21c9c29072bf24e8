"""What templates can call beside Sprig."""

import base64

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    pkcs12,
)
from tests.secrets.external.shaping.making import cert_pem, chain, pem, printed, rsa_key, signed
from tests.secrets.external.shaping.vectors import PEMS, jwk_of

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import decode, encode
from plumbline.gotemplate.sprig.pem import blocks, encoded


def _failure(text, **values):
    with pytest.raises(InvalidInput) as caught:
        printed(text, **values)
    return caught.value.why.partition("error calling ")[2].partition(": ")[2]


@pytest.mark.parametrize("password", ["", "s3cret"])
def test_pkcs12_from_pem_and_back(password):
    made = chain()
    values = {"c": made.root + made.leaf + made.middle, "k": made.key, "p": password}
    packed = printed("{{ fullPemToPkcs12Pass .c .k .p }}", **{**values, "c": made.full})
    assert printed("{{ .x | b64dec | pkcs12keyPass .p }}", x=packed, p=password).decode() == made.key
    assert printed("{{ .x | b64dec | pkcs12certPass .p }}", x=packed, p=password).decode() == made.full


def test_without_a_password_no_name_of_the_function_is_longer():
    made = chain()
    for name in ("pemToPkcs12", "fullPemToPkcs12"):
        packed = printed(f"{{{{ {name} .c .k }}}}", c=made.full, k=made.key)
        certificates = made.full if name == "fullPemToPkcs12" else made.leaf
        assert (
            printed("{{ .x | b64dec | pkcs12key }}{{ .x | b64dec | pkcs12cert }}", x=packed).decode()
            == made.key + certificates
        )


def test_what_is_no_chain_keeps_its_order():
    made = chain()
    stranger = cert_pem(signed("stranger", ec.generate_private_key(ec.SECP256R1())))
    packed = printed("{{ fullPemToPkcs12 .c .k }}", c=made.leaf + stranger, k=made.key)
    assert printed("{{ .x | b64dec | pkcs12cert }}", x=packed).decode() == made.leaf + stranger


def test_truststores_are_those_of_java():
    made = chain()
    for text in ("{{ pemTruststoreToPKCS12 .c }}", '{{ pemTruststoreToPKCS12Pass .c "changeit" }}'):
        packed = base64.b64decode(printed(text, c=made.middle + made.root))
        password = b"changeit" if b"Pass" in text.encode() else None
        names = [each.friendly_name for each in pkcs12.load_pkcs12(packed, password).additional_certs]
        assert names == [rb"CN=middle,O=Org\, Inc", rb"CN=root,O=Org\, Inc"]


def test_pkcs12_that_cannot_be_made_or_opened():
    made = chain()
    other = pem(ec.generate_private_key(ec.SECP256R1()))
    damaged = "unable to decode {} with password: it is damaged, or the password is wrong"
    packed = base64.b64decode(printed("{{ pemToPkcs12Pass .c .k `right` }}", c=made.leaf, k=made.key))
    trusted = base64.b64decode(printed("{{ pemTruststoreToPKCS12 .c }}", c=made.root))
    only_key = pkcs12.serialize_key_and_certificates(
        None, load_pem_private_key(made.key.encode(), None), None, None, NoEncryption()
    )
    assert _failure("{{ pkcs12keyPass `wrong` .x }}", x=packed) == damaged.format("pkcs12")
    assert _failure("{{ pkcs12cert .x }}", x="nonsense") == damaged.format("pkcs12 certificate")
    assert "no private key in it" in _failure("{{ pkcs12key .x }}", x=trusted)
    assert "no certificate in it" in _failure("{{ pkcs12cert .x }}", x=only_key)
    assert "does not belong" in _failure("{{ pemToPkcs12 .c .k }}", c=made.leaf, k=other)
    assert _failure("{{ pemToPkcs12 .c .k }}", c="nothing", k=made.key) == "failed to decode PEM block"
    assert _failure("{{ pemToPkcs12 .c .k }}", c=made.leaf, k=made.leaf) == "unable to parse private key type"
    assert _failure("{{ pemToPkcs12 .c .k }}", c=made.key, k=made.key) == "failed to parse certificate"


def test_pem_is_filtered_by_kind():
    made = chain()
    everything = f"junk\n{made.leaf}{made.key}{made.root}"
    assert printed("{{ filterPEM `certificate` .x }}", x=everything).decode() == made.leaf + made.root
    assert printed("{{ filterPEM `PRIVATE KEY` .x }}", x=everything).decode() == made.key
    assert printed("{{ filterPEM `OTHER` .x }}", x=everything) == b""
    assert printed("{{ filterPEM `OTHER` .x }}", x="") == b""
    assert _failure("{{ filterPEM `OTHER` .x }}", x="only junk") == "error filtering pem: found junk"


def test_pem_that_is_broken_is_passed_over_and_headers_stay():
    assert [len(blocks(text)) for text in PEMS] == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1]
    headed = blocks(PEMS[7])[0]
    assert encoded(*headed[::2], headed.headers) == PEMS[7].replace("MIIB\n", "MIIB\n")
    assert [len(line) for line in encoded("A", bytes(100)).splitlines()[1:-1]] == [64, 64, 8]


def test_chains_are_sorted_and_filtered():
    made = chain()
    mixed = made.root + made.leaf + made.middle
    for kind, expected in (("leaf", made.leaf), ("intermediate", made.middle), ("root", made.root), ("other", "")):
        assert printed(f"{{{{ filterCertChain `{kind}` .x }}}}", x=mixed).decode() == expected
    assert printed("{{ filterCertChain `intermediate` .x }}", x=made.leaf) == b""
    assert printed("{{ filterCertChain `leaf` .x }}", x=made.root) == b""
    assert printed("{{ filterCertChain `root` .x }}", x=made.leaf) == b""


def test_chains_that_are_none():
    made = chain()
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    strangers = [cert_pem(signed(f"s{at}", key)) for at, key in enumerate(keys)]
    assert (
        _failure("{{ filterCertChain `leaf` .x }}", x=made.leaf + strangers[0])
        == "found multiple leaf or disjunct certificates"
    )
    assert _failure("{{ filterCertChain `leaf` .x }}", x="") == "no leaf certificate found"
    one = signed("one", keys[0])
    two = signed("two", keys[1], one, keys[0])
    back = signed("one", keys[0], two, keys[1])
    assert _failure("{{ filterCertChain `leaf` .x }}", x=cert_pem(back) + cert_pem(two)) == "no leaf certificate found"
    third = ec.generate_private_key(ec.SECP256R1())
    leaf = signed("leaf", third, one, keys[0])
    assert _failure("{{ filterCertChain `leaf` .x }}", x=cert_pem(leaf) + cert_pem(back) + cert_pem(two)) == (
        "constructing chain resulted in cycle"
    )


def test_certificates_without_identifiers_are_their_own_roots():
    bare = cert_pem(signed("bare", ec.generate_private_key(ec.SECP256R1()), identified=False))
    assert printed("{{ filterCertChain `root` .x }}", x=bare).decode() == bare


def test_names_of_a_certificate():
    names = printed("{{ range certSANs .x }}{{ . }};{{ end }}", x=chain().leaf).decode()
    assert names == "leaf.example.org;10.0.0.1;2001:db8::1;leaf@example.org;spiffe://example.org/leaf;"
    assert _failure("{{ certSANs .x }}", x="junk") == "failed to decode PEM block"
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([])
    bare = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    moment = x509.load_pem_x509_certificate(chain().leaf.encode())
    bare = bare.not_valid_before(moment.not_valid_before_utc).not_valid_after(moment.not_valid_after_utc)
    assert printed("{{ certSANs .x | len }}", x=cert_pem(bare.sign(key, hashes.SHA256()))) == b"0"


SHA1 = hashes.SHA1()  # noqa: S303 - upstream has it
KEYS = [
    (rsa_key, "RSA"),
    (lambda: ec.generate_private_key(ec.SECP256R1()), "P-256"),
    (lambda: ec.generate_private_key(ec.SECP384R1()), "P-384"),
    (ed25519.Ed25519PrivateKey.generate, "Ed25519"),
]


@pytest.mark.parametrize(("make", "why"), KEYS, ids=[case[-1] for case in KEYS])
def test_json_web_keys_become_pem(make, why):
    key = make()
    assert printed("{{ jwkPrivateKeyPem .x }}", x=jwk_of(key)).decode() == pem(key), why
    public = printed("{{ jwkPublicKeyPem .x }}", x=jwk_of(key.public_key())).decode()
    assert public.startswith("-----BEGIN PUBLIC KEY-----\n")


def test_primes_are_found_again():
    key = decode(jwk_of(rsa_key()))
    short = encode({name: key[name] for name in ("kty", "n", "e", "d")}).decode()
    made = load_pem_private_key(printed("{{ jwkPrivateKeyPem .x }}", x=short), None)
    assert made.private_numbers().d == rsa_key().private_numbers().d


BAD_JWKS = [
    ("jwkPublicKeyPem", "{", "failed to parse JWK: it is no JSON"),
    ("jwkPublicKeyPem", "[]", "failed to parse JWK: it is no JSON object"),
    ("jwkPublicKeyPem", '{"kty":"oct","k":"canary"}', "only keys of RSA"),
    ("jwkPublicKeyPem", '{"kty":"OKP","crv":"X25519","x":"AA"}', "only keys of RSA"),
    ("jwkPublicKeyPem", '{"kty":"RSA","n":"canary"}', "it has no `e`"),
    ("jwkPublicKeyPem", '{"kty":"RSA","n":"AQAB","e":"can*ary"}', "`e` is no base64 for URLs"),
    ("jwkPublicKeyPem", '{"kty":"RSA","n":"AQAB","e":"%s"}' % ("AAAA" * 700), "`e` is too long"),
    ("jwkPublicKeyPem", '{"kty":"RSA","n":"AQAB","e":"AQAB"}', "its numbers are no key"),
    ("jwkPublicKeyPem", '{"kty":"EC","crv":"P-256","x":"AQAB","y":"AQAB"}', "its numbers are no key"),
    ("jwkPublicKeyPem", '{"kty":"EC","d":"AQAB"}', "is a private key"),
    ("jwkPrivateKeyPem", '{"kty":"RSA","n":"AQAB","e":"AQAB"}', "has no private key"),
    ("jwkPrivateKeyPem", '{"kty":"OKP","crv":"Ed25519","x":"AQAB","d":"AQAB"}', "its numbers are no key"),
]


@pytest.mark.parametrize(("name", "text", "said"), BAD_JWKS)
def test_json_that_is_no_key(name, text, said):
    failure = _failure(f"{{{{ {name} .x }}}}", x=text)
    assert said in failure
    assert "canary" not in failure


@pytest.mark.parametrize(("name", "digest"), [("SHA1", SHA1), ("SHA512", hashes.SHA512()), ("None", hashes.SHA256())])
def test_what_is_encrypted_to_a_key_is_decrypted(name, digest):
    sealed = rsa_key().public_key().encrypt(b"\xffhunter2", padding.OAEP(padding.MGF1(digest), digest, None))
    text = f'{{{{ rsaDecrypt "RSA-OAEP" "{name}" .x .k }}}}'
    pkcs1 = rsa_key().private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    assert printed(text, x=sealed, k=pem(rsa_key())) == b"\xffhunter2"
    assert printed(text, x=sealed, k=pkcs1) == b"\xffhunter2"
    assert _failure(text, x=sealed[:-1] + b"\0", k=pkcs1) == "error decrypting data with RSA"


def test_decryption_that_cannot_be():
    text = '{{ rsaDecrypt .s "SHA256" .x .k }}'
    assert printed(text, s="None", x="plain", k="") == b"plain"
    assert _failure('{{ rsaDecrypt "DES" "SHA256" .x .x }}', x="canary") == (
        "decryption scheme is not supported, only RSA-OAEP and None are"
    )
    assert _failure(text, s="RSA-OAEP", x="c", k="junk") == "could not parse private key: failed to decode PEM block"
    assert _failure(text, s="RSA-OAEP", x="c", k=chain().key) == "could not parse RSA private key"


YAMLS = [
    ("{{ fromYaml .x | toYaml }}", "b: 1\na: [x]", b"a:\n- x\nb: 1", "there and back"),
    ("{{ (fromYaml .x).port }}", "port: 5432", b"5432", "numbers are floats"),
    ("{{ (fromYaml .x).port }}", "port: 12345678", b"1.2345678e+07", "with all that comes of it"),
    ("{{ fromYaml .x | len }}", "", b"0", "nothing"),
    ("{{ (fromYaml .x).Error }}", "- a", b"error unmarshaling JSON: it is no object", "a list"),
    ("{{ dict `k` (list 1 2.5 true nil) | toYaml }}", "", b"k:\n- 1\n- 2.5\n- true\n- null", "values of templates"),
    ("{{ toYaml .x }}", "yes", b'"yes"', "text that looks like truth"),
    ("{{ now | toYaml }}", "", b'"2026-01-02T03:04:05Z"', "times"),
    ("{{ toYaml (list (splitList `,` .x)) }}", "a,b", b"- - a\n  - b", "lists of text"),
    ("{{ hexdec .x }}", "00ff4A", b"\x00\xffJ", "bytes"),
    ("{{ hexdec .x }}", "0g", b"encoding/hex: invalid byte: U+0067 'g'", "no digit"),
    ("{{ hexdec .x }}", "0\x01", b"encoding/hex: invalid byte: U+0001", "nothing to show"),
    ("{{ hexdec .x }}", "abc", b"encoding/hex: odd length hex string", "half a byte"),
    ("{{ 1e300 | toYaml }}", "", b"1e+300", "large numbers"),
]


@pytest.mark.parametrize(("text", "value", "out", "why"), YAMLS, ids=[case[-1] for case in YAMLS])
def test_yaml_and_hexadecimal(text, value, out, why):
    assert printed(text, x=value) == out, why


def test_what_cannot_be_yaml_is_nothing():
    nested = "{{ $x := dict }}{{ range until 260 }}{{ $x = list $x }}{{ end }}{{ toYaml $x }}"
    with pytest.raises(LimitExceeded):
        printed(nested)
    assert printed("{{ float64 `inf` | toYaml }}{{ toYaml now.Month }}") == b""


def test_bad_yaml_is_a_map_with_the_complaint():
    assert printed("{{ hasKey (fromYaml .x) `Error` }}", x="a: [") == b"true"


def test_what_takes_long_is_counted():
    made = chain()
    with pytest.raises(LimitExceeded):
        printed("{{ range until 500 }}{{ pemToPkcs12 $.c $.k }}{{ end }}", c=made.leaf, k=made.key)
