"""The string transform: formats, conversions, trims, expressions, joins."""

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Callable
from typing import Final

from plumbline.base.errors import BadExpression, EvaluationFailed
from plumbline.base.json import Json
from plumbline.base.limits import KIB
from plumbline.base.regex import capturing
from plumbline.composition.patching.converts import Step, refusing
from plumbline.composition.patching.govalues import MOST_TEXT, TOO_LONG, Form, json_text, plain, raw, utf8
from plumbline.composition.patching.templates import StringRegexp, StringTransform
from plumbline.gotemplate.quoting import quoted

_MOST_SEARCHED: Final = 64 * KIB
"""Characters that an expression is looked for in: it takes time with their number and its own length."""
_BASE64: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_base64: Final = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?").fullmatch
_GROUP: Final = 4
_PADDING: Final = ord("=")
_LINE_ENDS: Final = b"\r\n"


def string_step(string: StringTransform, *, native: bool) -> Step:
    """What *string* does; what is wrong with it is said when it is used."""
    kind = string.type or ("Format" if native else "")
    makers: dict[str, tuple[str, Json, Callable[[Json], Step]]] = {
        "Format": ("fmt", string.fmt, Form),
        "Convert": ("convert", string.convert, _convert),
        "TrimPrefix": ("trim", string.trim, lambda trim: lambda value: plain(value).removeprefix(trim)),
        "TrimSuffix": ("trim", string.trim, lambda trim: lambda value: plain(value).removesuffix(trim)),
        "Regexp": ("regexp", string.regexp, _regexp),
        "Join": ("join", string.join, lambda join: _join(join.separator or "", native=native)),
    }
    if not native:
        makers["Replace"] = ("replace", string.replace, lambda it: _replace(it.search or "", it.replace or ""))
    if kind not in makers:
        return refusing(f"type {kind} is not supported for string transform type")
    field, given, make = makers[kind]
    return refusing(f"string transform of type {kind} {field} is not set") if given is None else make(given)


def _replace(search: str, replacement: str) -> Step:
    def replace(value: Json) -> str:
        text = plain(value)
        # Counted before it is made: an empty search puts the replacement between all characters.
        size = len(text) + text.count(search) * max(0, len(replacement) - len(search))
        if size > MOST_TEXT:
            raise EvaluationFailed(TOO_LONG)
        return text.replace(search, replacement)

    return replace


def _join(separator: str, *, native: bool) -> Step:
    def join(value: Json) -> str:
        if not isinstance(value, list):
            raise EvaluationFailed("cannot join non-array values")
        texts = [plain(each) for each in value]
        if sum(map(len, texts)) + len(separator) * len(texts) > MOST_TEXT:
            raise EvaluationFailed(TOO_LONG)
        if native or not texts or not separator:
            return separator.join(texts)
        # The function writes a separator after each item and takes back one byte, however many the separator has.
        return raw("".join(each + separator for each in texts))[:-1].decode(errors="surrogateescape")

    return join


def _regexp(given: StringRegexp) -> Step:
    expression, group = given.match or "", given.group or 0
    try:
        captures = capturing(expression)
    except BadExpression as fault:
        return refusing(f"could not compile regexp: {fault}")

    def find(value: Json) -> str:
        text = plain(value)
        if len(text) > _MOST_SEARCHED:
            raise EvaluationFailed(f"no expression is looked for in more than {_MOST_SEARCHED} characters")
        found = captures.find(text)
        if found is None or not 0 <= group <= captures.count:
            raise EvaluationFailed(f"regexp {quoted(expression)} had no matches for group {group}")
        begin, end = found[2 * group : 2 * group + 2]
        return text[begin:end] if begin >= 0 else ""

    return find


def _convert(to: str) -> Step:
    step = _CONVERTS.get(to)
    return step or refusing(f"type {to} is not supported for string convert")


def _upper(char: str) -> str:
    upper = char.upper()
    if len(upper) == 1:
        return upper
    # Go knows no letter that becomes two; some have a single one for titles, which it takes.
    title = char.title()
    return title if len(title) == 1 else char


def _to_upper(value: Json) -> str:
    text = plain(value)
    return text.upper() if text.isascii() else "".join(map(_upper, utf8(text)))


def _to_lower(value: Json) -> str:
    text = plain(value)
    return text.lower() if text.isascii() else "".join("i" if char == "İ" else char.lower() for char in utf8(text))


def _to_json(value: Json) -> str:
    try:
        return json_text(value)
    except EvaluationFailed as fault:
        raise EvaluationFailed(f"cannot marshal to JSON: {fault}") from fault


def _from_base64(value: Json) -> str:
    text = raw(plain(value))
    letters = text.replace(b"\r", b"").replace(b"\n", b"")
    if not _base64(letters):
        raise EvaluationFailed(f"string is not valid base64: illegal base64 data at input byte {_fault_at(text)}")
    return binascii.a2b_base64(letters).decode(errors="surrogateescape")


def _fault_at(text: bytes) -> int:
    """Where Go gives up: it takes four letters at a time, and passes over ends of lines."""
    at = letters = 0
    while at < len(text):
        byte = text[at]
        if byte == _PADDING:
            return _padding_fault(text, at, letters)
        if byte in _BASE64:
            letters = (letters + 1) % _GROUP
        elif byte not in _LINE_ENDS:
            return at
        at += 1
    return len(text) - letters


def _padding_fault(text: bytes, at: int, letters: int) -> int:
    if letters < 2:  # noqa: PLR2004 - so many are needed for a byte
        return at
    following = _next(text, at + 1)
    if letters == 2:  # noqa: PLR2004 - which needs two of padding
        if following == len(text):
            return following
        if text[following] != _PADDING:
            return following - 1
        following = _next(text, following + 1)
    return following


def _next(text: bytes, at: int) -> int:
    while at < len(text) and text[at] in _LINE_ENDS:
        at += 1
    return at


def _hashed(value: Json) -> bytes:
    if isinstance(value, str):
        return raw(value)
    return raw(_to_json(value))


def _hash(name: str) -> Step:
    def hashed(value: Json) -> str:
        try:
            return hashlib.new(name, _hashed(value), usedforsecurity=False).hexdigest()
        except EvaluationFailed as fault:
            raise EvaluationFailed(f"cannot generate hash: {fault}") from fault

    return hashed


def _adler32(value: Json) -> str:
    try:
        return str(zlib.adler32(_hashed(value)))
    except EvaluationFailed as fault:
        raise EvaluationFailed(f"unable to generate Adler checksum: {fault}") from fault


_CONVERTS: Final[dict[str, Step]] = {
    "ToUpper": _to_upper,
    "ToLower": _to_lower,
    "ToJson": _to_json,
    "ToBase64": lambda value: base64.b64encode(raw(plain(value))).decode(),
    "FromBase64": _from_base64,
    "ToSha1": _hash("sha1"),
    "ToSha256": _hash("sha256"),
    "ToSha512": _hash("sha512"),
    "ToAdler32": _adler32,
}
