"""Taking secrets out of what is about to be written down: log lines, events, comments, error texts.

Three nets, each for what falls through the one before: `Plaintext` never prints itself; keys that name a secret lose
their value; and text loses what looks like a credential, or what somebody said is one. None of this is a reason to be
careless, and nothing here raises: a log line must not stop the work that it tells about.
"""

import base64
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import Final
from urllib.parse import quote

from plumbline.base.errors import PlumblineError
from plumbline.base.json import Json, encode
from plumbline.base.plaintext import Plaintext

MASK: Final = "***"

_LONGEST: Final = 16_384
_DEEPEST: Final = 8
_WIDEST: Final = 256
_LINES: Final = 128
_TELLING_LINE: Final = 16
"""Lines of a secret that are masked on their own. Shorter ones are braces, or the like of `-----END`."""
_WRITABLE: Final = 2**63
_URL_SAFE: Final = str.maketrans("+/", "-_")
_SECRET_FIELDS: Final[frozenset[object]] = frozenset({"data", "stringData"})
_VALUE_FIELD: Final[frozenset[object]] = frozenset({"value"})

_TELLING_KEY: Final = (
    r"(?i)passw(?:or)?d|passphrase|secret|token|authorization|credential|cookie|bearer"
    r"|(?:api|private|access|client|signing|encryption|ssh|tls)[-_. ]?key|key[-_. ]?(?:data|material)|dockerconfigjson"
    r"|kubeconfig|stringdata"
)
_ABOUT_ONE: Final = r"(?i)(?:name|namespace|refs?|kind|type|path|file|dir|url|count|id|hash|digest|version|bytes|_s|store|class|expiry)$"
_TYPED_IN: Final = r"(?i)passw|passphrase"
_ASSIGNED: Final = (
    r"(?i)((?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|signature|credential|\bsig)[A-Za-z0-9_-]{0,20}"
    r"(?:=|[\"']\s*:\s*))"
)
_CREDENTIALS: Final = (
    (("key-----",), r"-----BEGIN [A-Z ]{0,40}KEY-----[^-]*(?:-----END [A-Z ]{0,40}KEY-----)?", MASK),
    (
        ("bearer", "basic"),
        r"(?i)\b(bearer|basic)\s+(?=[A-Za-z]*[0-9._~+/=-])[A-Za-z0-9._~+/=-]{8,}",
        rf"\1 {MASK}",
    ),
    (("://",), r"(?i)\b([a-z][a-z0-9+.-]{0,20}://)(?!git@)[^/\s@'\"]{1,512}@", rf"\1{MASK}@"),
    (("eyj",), r"\beyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?", MASK),
    (
        ("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "xox", "hvs.", "hvb.", "age-secret-key-1"),
        r"\b(?:gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|hv[sb]\.|AGE-SECRET-KEY-1)[A-Za-z0-9_.-]{8,}",
        MASK,
    ),
    (("=", ":"), _ASSIGNED + r"(?:\"[^\"]*\"|'[^']*'|[^\s&,;\"'})\]]+)", rf"\1{MASK}"),
)
"""What a credential looks like: parts without which there is none, the pattern, and what is left of it.

Each pattern takes linear time: what is bounded in it would be quadratic otherwise.
"""


class KnownSecrets:
    """Literal values that are masked wherever they turn up, in the forms that they travel in.

    Bounded: the one that was named longest ago makes place. What is shorter than `SHORTEST` is not taken, since masking
    it would mask ordinary words.
    """

    SHORTEST: Final = 6

    def __init__(self, capacity: int = 512) -> None:
        self._capacity = capacity
        self._forms: OrderedDict[bytes, frozenset[str]] = OrderedDict()
        self._by_start: dict[str, list[str]] | None = {}
        self._lock = Lock()

    def add(self, secret: Plaintext | bytes | str) -> None:
        raw = _raw(secret).strip()
        if len(raw) < self.SHORTEST:
            return
        forms = frozenset(form for form in _forms(raw) if len(form) >= self.SHORTEST)
        with self._lock:
            self._forms.pop(raw, None)
            self._forms[raw] = forms
            if len(self._forms) > self._capacity:
                self._forms.popitem(last=False)
            self._by_start = None

    def clear(self) -> None:
        with self._lock:
            self._forms.clear()
            self._by_start = {}

    def mask(self, text: str) -> str:
        by_start = self._index()
        if not by_start:
            return text
        # Text is short and there may be thousands of forms, so text is asked what it holds and not each form.
        starts = {text[index : index + self.SHORTEST] for index in range(len(text) - self.SHORTEST + 1)}
        found = [form for start in starts & by_start.keys() for form in by_start[start] if form in text]
        for form in sorted(found, key=len, reverse=True):
            text = text.replace(form, MASK)
        return text

    def _index(self) -> dict[str, list[str]]:
        with self._lock:
            if self._by_start is None:
                self._by_start = {}
                for form in {form for forms in self._forms.values() for form in forms}:
                    self._by_start.setdefault(form[: self.SHORTEST], []).append(form)
            return self._by_start


known = KnownSecrets()
"""What this process holds: its own tokens, and the credentials that it uses for others."""


def redact_text(text: str) -> str:
    """The text without credentials, and cut where it is longer than anybody reads."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}... and {len(text) - _LONGEST} more characters"
    text = known.mask(text)
    lowered = text.lower()
    for parts, pattern, replacement in _CREDENTIALS:
        if any(part in lowered for part in parts):
            # Left to the cache of `re`: compiling at import would cost those that redact nothing.
            text = re.sub(pattern, replacement, text)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def redact(value: object, key: str = "") -> Json:
    """A value that JSON can hold and that holds no secret, whatever was given."""
    try:
        return _redact(value, key, _DEEPEST)
    except Exception as error:  # noqa: BLE001 - what cannot be looked at is not shown
        return f"<{type(value).__name__} withheld: {type(error).__name__}>"


@lru_cache(maxsize=1024)
def names_secret(key: str) -> bool:
    """Whether a field of this name holds a secret, rather than something about one such as its name."""
    return bool(re.search(_TELLING_KEY, key)) and not re.search(_ABOUT_ONE, key)


def _redact(value: object, key: str, levels: int) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        # A number under such a name is a count or a time, unless it is what somebody took for a password.
        if re.search(_TYPED_IN, key):
            return MASK
        return value if isinstance(value, float) or abs(value) < _WRITABLE else str(value)
    if isinstance(value, Plaintext) or (key and names_secret(key)):
        return MASK
    if isinstance(value, Mapping):
        return _redact_mapping(value, levels - 1) if levels else "..."
    if isinstance(value, list | tuple | set | frozenset):
        return [_redact(item, key, levels - 1) for item in islice(value, _WIDEST)] if levels else "..."
    return redact_text(_text_of(value))


def _text_of(value: object) -> str:
    match value:
        case bytes() | bytearray() | memoryview():
            return "<bytes>"
        case PlumblineError():
            return f"{value.code}: {value}"
        case BaseException():
            return f"{type(value).__name__}: {value}"
        case _:
            return str(value)


def _redact_mapping(mapping: Mapping[object, object], levels: int) -> dict[str, Json]:
    hidden: frozenset[object] = frozenset()
    if mapping.get("kind") == "Secret":
        hidden = _SECRET_FIELDS
    elif names_secret(str(mapping.get("name", ""))):
        hidden = _VALUE_FIELD
    return {
        redact_text(str(key)): MASK if key in hidden else _redact(value, str(key), levels)
        for key, value in islice(mapping.items(), _WIDEST)
    }


def _raw(secret: Plaintext | bytes | str) -> bytes:
    if isinstance(secret, Plaintext):
        return secret.reveal()
    return secret.encode("utf-8", "surrogatepass") if isinstance(secret, str) else secret


def _forms(raw: bytes) -> Iterator[str]:
    """As text, line by line, escaped for JSON and for URLs, and as it shows inside of any base64."""
    for offset in range(3):
        whole = base64.b64encode(b"\0" * offset + raw).decode()
        # The first and the last digits also depend on what stands before and after the secret.
        inner = whole[-(-8 * offset // 6) : 8 * (offset + len(raw)) // 6]
        yield inner
        yield inner.translate(_URL_SAFE)
    text = raw.decode("utf-8", "replace")
    yield text
    yield encode(text)[1:-1].decode()
    yield quote(text, safe="")
    lines = text.splitlines()
    if len(lines) > 1:
        yield from (line.strip() for line in lines[:_LINES] if len(line.strip()) >= _TELLING_LINE)
