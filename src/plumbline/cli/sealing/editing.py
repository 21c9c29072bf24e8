"""Sealed values changed in a text, and every other character of it left as it is: comments, order, quotes, line ends."""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.documents import Document, dump_yaml, load_documents
from plumbline.base.documents.spans import Form, Written, written
from plumbline.base.errors import BadDocument, InvalidInput
from plumbline.base.json import Json, JsonObject, encode_sorted
from plumbline.kube.names import GroupVersionKind

Path: TypeAlias = tuple[str | int, ...]

ITEMS: Final = ("spec", "encryptedData")
_QUOTES: Final[dict[Form, str]] = {"single": "'", "double": '"'}
_SCALARS: Final[frozenset[Form]] = frozenset({"plain", "single", "double", "block", "alias"})
_STEP: Final = 2
_HINT: Final = (
    "Write the file in the usual form, one key on a line, or use `plumb seal --merge-into`, which writes it anew."
)


class Found(NamedTuple):
    """A SealedSecret in a text: which of the text's documents it is, and what that says."""

    at: int
    obj: JsonObject
    line: int


def sealed_secrets(text: bytes, source: str) -> list[Found]:
    """Every SealedSecret that is a document of its own. Raises BadDocument, DuplicateKey or LimitExceeded."""
    return [
        Found(at, document.value, document.line)
        for at, document in enumerate(load_documents(text, source=source))
        if isinstance(document.value, dict) and _is_sealed(document.value)
    ]


def with_texts(text: bytes, at: int, new: Mapping[Path, str]) -> bytes:
    """*text* where its document *at* says these texts at these paths: those that are there, and items of a SealedSecret.

    What comes out has been read again: it says what it said before, but for these. Raises InvalidInput where that cannot
    be had by putting one text in the place of another.
    """
    decoded = text.decode()
    entries = _entries(decoded, load_documents(text)[at])
    there = [_replacement(decoded, entries[path], value) for path, value in new.items() if path in entries]
    after = _applied(decoded, there).encode()
    for path, value in new.items():
        if path not in entries:
            after = _with_new(after, at, str(path[-1]), value)
    _check(text, after, at, new)
    return after


class _Change(NamedTuple):
    start: int
    end: int
    text: str


def _applied(text: str, changes: list[_Change]) -> str:
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _is_sealed(obj: JsonObject) -> bool:
    gvk = GroupVersionKind.of(obj)
    return gvk.group == "bitnami.com" and gvk.kind == "SealedSecret"


def _entries(text: str, document: Document) -> dict[Path, Written]:
    try:
        return {each.path: each for each in written(text, document)}
    except BadDocument as odd:
        raise InvalidInput("The value cannot be changed in place", why=odd.why, hint=_HINT) from odd


def _replacement(text: str, entry: Written, value: str) -> _Change:
    """Values are base64, which needs no quotes; where there are some they stay."""
    start, end = entry.value
    if entry.form not in _SCALARS:
        raise InvalidInput("The value cannot be changed in place", why=f"{entry.path[-1]} holds no text", hint=_HINT)
    quote = _QUOTES.get(entry.form, "")
    # A value in block style ends where the next line begins, and an empty one where it could begin.
    tail = text[start:end][len(text[start:end].rstrip()) :]
    gap = "" if text[:start].endswith((" ", "\t", "\n")) or start == 0 or quote else " "
    return _Change(start, end - len(tail), f"{gap}{quote}{value}{quote}")


def _with_new(text: bytes, at: int, key: str, value: str) -> bytes:
    decoded = text.decode()
    document = load_documents(text)[at]
    entries = _entries(decoded, document)
    holder = entries.get(ITEMS)
    line = _Line(decoded, "\r\n" if "\r\n" in decoded else "\n")
    if holder is None:
        return _applied(decoded, [_first_of_spec(line, entries, key, value)]).encode()
    siblings = [each for path, each in entries.items() if path[:-1] == ITEMS]
    if not siblings and holder.form in {"plain", "flow"}:
        change = _first(line, holder, key, value)
    elif not siblings:
        raise InvalidInput("The key cannot be added in place", why="spec.encryptedData is no mapping", hint=_HINT)
    elif holder.form == "flow":
        change = _in_flow(line, siblings[-1], key, value)
    else:
        change = _beside(line, siblings, key, value)
    return _applied(decoded, [change]).encode()


class _Line(NamedTuple):
    """A text, and how its lines end."""

    text: str
    end: str

    def start_of(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def end_of(self, at: int) -> int:
        """Before the line's end, whatever it is."""
        found = self.text.find("\n", at)
        found = len(self.text) if found < 0 else found
        return found - 1 if self.text[:found].endswith("\r") else found

    def indent(self, at: int) -> str:
        return self.text[self.start_of(at) : at]


def _first_of_spec(line: _Line, entries: Mapping[Path, Written], key: str, value: str) -> _Change:
    inside = [each for path, each in entries.items() if len(path) == len(ITEMS) and path[0] == ITEMS[0]]
    spec = entries.get(ITEMS[:1])
    if spec is None or spec.form != "mapping" or not inside or line.indent(inside[0].key.start).strip():
        raise InvalidInput("The key cannot be added in place", why="it has no spec.encryptedData", hint=_HINT)
    first = min(each.key.start for each in inside)
    indent = line.indent(first)
    start = line.start_of(first)
    new = f"{indent}{ITEMS[1]}:{line.end}{indent}{' ' * _STEP}{_plain(key)}: {value}{line.end}"
    return _Change(start, start, new)


def _first(line: _Line, holder: Written, key: str, value: str) -> _Change:
    """Where there is nothing yet: in block style, unless all around it is in flow style."""
    start, end = holder.value
    indent = line.indent(holder.key.start)
    if holder.key_form == "double" or indent.strip():
        return _Change(start, end, f"{{{_flow(holder, key, value)}}}")
    begin = start - len(line.text[:start]) + len(line.text[:start].rstrip(" "))
    return _Change(begin, end, f"{line.end}{indent}{' ' * _STEP}{_plain(key)}: {value}")


def _in_flow(line: _Line, last: Written, key: str, value: str) -> _Change:
    lead = line.indent(last.key.start)
    gap = f",{line.end}{lead}" if not lead.strip() else ", "
    return _Change(last.value.end, last.value.end, f"{gap}{_flow(last, key, value)}")


def _flow(like: Written, key: str, value: str) -> str:
    quote = _QUOTES.get(like.key_form, "")
    return f"{quote}{key}{quote}: {quote}{value}{quote}" if quote else f"{_plain(key)}: {value}"


def _plain(key: str) -> str:
    """In quotes where it would be read as something else than a text."""
    return dump_yaml({key: ""}).rpartition(":")[0]


def _beside(line: _Line, siblings: list[Written], key: str, value: str) -> _Change:
    """After its predecessor where keys are in order, else after the last."""
    names = [str(each.path[-1]) for each in siblings]
    indent = line.indent(siblings[0].key.start)
    if indent.strip():
        raise InvalidInput("The key cannot be added in place", why="keys do not begin their lines", hint=_HINT)
    before = (
        [each for each, name in zip(siblings, names, strict=True) if name < key] if names == sorted(names) else siblings
    )
    if not before:
        start = line.start_of(siblings[0].key.start)
        return _Change(start, start, f"{indent}{_plain(key)}: {value}{line.end}")
    start, end = before[-1].value
    last = max(start + len(line.text[start:end].rstrip()), before[-1].key.end)
    place = line.end_of(last)
    return _Change(place, place, f"{line.end}{indent}{_plain(key)}: {value}")


def _check(before: bytes, after: bytes, at: int, new: Mapping[Path, str]) -> None:
    """Whatever was overlooked above, such as an anchor that others use, shows in what the text now says."""
    expected: list[Json] = [each.value for each in load_documents(before)]
    for path, value in new.items():
        expected[at] = _set(expected[at], path, value)
    try:
        said = [each.value for each in load_documents(after)]
    except BadDocument as odd:
        raise InvalidInput("The value cannot be changed in place", why="others refer to it", hint=_HINT) from odd
    if encode_sorted(said) != encode_sorted(expected):
        raise InvalidInput("The value cannot be changed in place", why="more than it would change", hint=_HINT)


def _set(value: Json, path: Path, text: str) -> Json:
    if not path:
        return text
    if not (value is None or isinstance(value, dict)):
        raise InvalidInput("The key cannot be added in place", why="something else than keys is there", hint=_HINT)
    mapping = value or {}
    return {**mapping, path[0]: _set(mapping.get(path[0]), path[1:], text)}
