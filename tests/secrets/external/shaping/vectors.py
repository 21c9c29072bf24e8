"""Texts that unit tests and the comparison with Go share."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from plumbline.base.json import encode

PATTERNS = [
    ("a(x*)b", "-ab-axxb-", "${1}W $2 $$ $01 $1x"),
    ("a(?P<n>x*)b", "-ab-axxb-", "$n,${n}.$0"),
    ("a(x*)b", "-ab-axxb-", "$ $- ${ ${} ${1 $1"),
    ("", "ab", "-"),
    ("x*", "axb", "-"),
    ("^", "ab", "p/"),
    ("$", "ab", ".txt"),
    ("[^a-z]", "A/b:Ä", "_"),
    ("(.)(.)?", "abc", "$2$1"),
    ("(?i)PASSWORD", "db-password", "pw"),
    ("database/(.*)", "database/password", "db-$1"),
    ("b|(c)", "abc", "[$1]"),
    (".", "é😀", "<$0>"),
    ("a", "aaa", "$00000000000001$1000000000"),
]
NUMBERS = [
    "0", "1", "-1", "1.5", "100", "1e3", "12345678901234567890", "1e20", "1e21", "1.5e300", "0.000001", "1e-7", "0.1",
    "-0.0", "123456789.125", "5e-324", "2.50", "9007199254740993",
]  # fmt: skip
YAML_STRINGS = [
    "a: text\nb: 1\nc: 1.10\nd: yes\ne: null\nf: 0123\n",
    "b: 1e3\nc: 2020-01-01\nd: 9223372036854775807\ne: 1e-5\nf: -2.5e30\ng: 123456\nh: 1234567.5\ni: 0.1\n",
    "a: |\n  line\n  line\nb: >-\n  folded\n  text\n",
    "1: one\ntrue: yes\n",
    "",
    "# nothing\n",
    "null\n",
    "a: {b: c}\n",
    "a: [b]\n",
    "- a\n",
    "just text\n",
    "a: 'single'\nb: \"dou\\nble\"\n",
    '{"a": "json", "b": 2}',
    "a: &x one\nb: *x\n",
    "a: one\na: two\n",
]
_BODY = "MIIB\n"
PEMS = [
    "",
    "junk",
    f"junk\n-----BEGIN A-----\n{_BODY}-----END A-----\nafter",
    f"-----BEGIN A-----\n{_BODY}-----END A-----",
    f"-----BEGIN A-----\n{_BODY}-----END B-----\n-----BEGIN C-----\n{_BODY}-----END C-----\n",
    f"-----BEGIN A-----\n!!!!\n-----END A-----\n-----BEGIN C-----\n{_BODY}-----END C-----\n",
    f"-----BEGIN A-----\r\n{_BODY[:-1]}\r\n-----END A-----\r\n",
    f"-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\n\n{_BODY}-----END A-----\n",
    "-----BEGIN A-----\n" + "QUJD" * 40 + "\n-----END A-----\n",
    f"-----BEGIN A-----\n-----BEGIN B-----\n{_BODY}-----END B-----\n",
    f"-----BEGIN A-----\n{_BODY}-----END A----- \t\n-----BEGIN B-----\n\n-----END B-----\n",
    f"-----BEGIN A-----\n{_BODY}\n\n-----END A-----\n",
]


def _text(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def _number(number, size=0):
    return _text(number.to_bytes(size or (number.bit_length() + 7) // 8, "big"))


def jwk_of(key):
    """As JSON."""
    if isinstance(key, rsa.RSAPrivateKey):
        numbers = key.private_numbers()
        public = numbers.public_numbers
        parts = {"d": numbers.d, "p": numbers.p, "q": numbers.q, "dp": numbers.dmp1, "dq": numbers.dmq1}
        parts |= {"qi": numbers.iqmp, "n": public.n, "e": public.e}
        return encode({"kty": "RSA"} | {name: _number(value) for name, value in parts.items()}).decode()
    if isinstance(key, rsa.RSAPublicKey):
        numbers = key.public_numbers()
        return encode({"kty": "RSA", "n": _number(numbers.n), "e": _number(numbers.e)}).decode()
    if isinstance(key, ec.EllipticCurvePrivateKey | ec.EllipticCurvePublicKey):
        public = (
            key.public_numbers() if isinstance(key, ec.EllipticCurvePublicKey) else key.public_key().public_numbers()
        )
        size = (key.curve.key_size + 7) // 8
        shown = {
            "kty": "EC",
            "crv": f"P-{key.curve.key_size}",
            "x": _number(public.x, size),
            "y": _number(public.y, size),
        }
        if isinstance(key, ec.EllipticCurvePrivateKey):
            shown["d"] = _number(key.private_numbers().private_value, size)
        return encode(shown).decode()
    shown = {"kty": "OKP", "crv": "Ed25519"}
    if hasattr(key, "public_key"):
        shown["d"] = _text(key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption()))
        key = key.public_key()
    shown["x"] = _text(key.public_bytes(Encoding.Raw, PublicFormat.Raw))
    return encode(shown).decode()
