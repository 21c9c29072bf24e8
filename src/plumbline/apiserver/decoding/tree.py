"""JSON text as a tree that still knows how everything was written.

Keys may repeat, numbers keep their spelling and strings their escapes: that is what Go's decoder sees. What is not JSON
is refused in its words.
"""

import re
from typing import Final, TypeAlias

from plumbline.apiserver.decoding.faults import NotJson, State, fault_at, too_deep
from plumbline.base.errors import LimitExceeded

DEEPEST: Final = 10_000
"""Where Go stops."""
MOST: Final = 300_000
"""Values in one body: no object that could be stored has as many, and they are looked at one by one."""


class Pairs(list[tuple[str, "Node"]]):
    """An object: its keys and values as they were written."""

    __slots__ = ()


Node: TypeAlias = bytes | list["Node"] | Pairs
"""A literal is its own text."""

_STRING: Final = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
_NUMBER: Final = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?"
_SCALAR: Final = rb"(" + _STRING + rb"|" + _NUMBER + rb"|true|false|null)"
_SPACE: Final = rb"[ \t\r\n]*+"
_root: Final = re.compile(_SPACE + rb"(?:" + _SCALAR + rb"|([{\[]))").match
_pair: Final = re.compile(
    _SPACE + rb"(" + _STRING + rb")" + _SPACE + rb":" + _SPACE + rb"(?:" + _SCALAR + _SPACE + rb"([,}])|([{\[]))"
).match
_item: Final = re.compile(_SPACE + rb"(?:" + _SCALAR + _SPACE + rb"([,\]])|([{\[]))").match
_close: Final = re.compile(_SPACE + rb"[}\]]").match
_after_pair: Final = re.compile(_SPACE + rb"([,}])").match
_after_item: Final = re.compile(_SPACE + rb"([,\]])").match
_rest: Final = re.compile(_SPACE + rb"\Z").match

_escape: Final = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL
)
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_UNKNOWN: Final = "\ufffd"


def parsed(body: bytes) -> Node:
    """The one value that *body* holds; NotJson or LimitExceeded if it does not."""
    found = _root(body)
    if found is None:
        raise NotJson(fault_at(body, 0, State.VALUE, State.END))
    scalar, opener = found.groups()
    if not opener:
        if not _rest(body, found.end()):
            raise NotJson(fault_at(body, 0, State.VALUE, State.END))
        return scalar
    parser = _Parser(body)
    root = parser.tree(opener, found.end())
    if not _rest(body, parser.pos):
        raise NotJson(fault_at(body, parser.pos, State.END, State.END))
    return root


class _Parser:
    """Without recursion: Go goes deeper than Python's stack."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._open: list[list[Node] | Pairs] = []
        self._containers = 0
        self._values = 0
        self.pos = 0

    def tree(self, opener: bytes, pos: int) -> Node:
        self.pos = pos
        root: list[Node] | Pairs = self._opened(opener)
        while self._open:
            container = self._open[-1]
            if isinstance(container, Pairs):
                self._read_pairs(container)
            else:
                self._read_items(container)
        return root

    def _opened(self, opener: bytes) -> list[Node] | Pairs:
        if len(self._open) == DEEPEST:
            raise NotJson(too_deep(opener))
        self._containers += 1
        self._refuse_beyond(self._containers)
        container: list[Node] | Pairs = Pairs() if opener == b"{" else []
        self._open.append(container)
        return container

    def _read_pairs(self, pairs: Pairs) -> None:
        """Up to the end of the object, or to a container in it, which is read before the rest."""
        body = self._body
        if pairs and self._ended(_after_pair(body, self.pos), State.PAIR_END):
            return
        if not pairs and (closed := _close(body, self.pos)) and body[closed.end() - 1] == ord("}"):
            self._leave(closed.end())
            return
        while True:
            found = _pair(body, self.pos)
            if found is None:
                raise NotJson(fault_at(body, self.pos, State.KEY, State.PAIR_END))
            self.pos = found.end()
            key, scalar, mark, opener = found.groups()
            if opener:
                pairs.append((text(key), self._opened(opener)))
                return
            pairs.append((text(key), scalar))
            if mark == b"}":
                self._leave(self.pos)
                return

    def _read_items(self, items: list[Node]) -> None:
        body = self._body
        if items and self._ended(_after_item(body, self.pos), State.ITEM_END):
            return
        if not items and (closed := _close(body, self.pos)) and body[closed.end() - 1] == ord("]"):
            self._leave(closed.end())
            return
        while True:
            found = _item(body, self.pos)
            if found is None:
                raise NotJson(fault_at(body, self.pos, State.VALUE, State.ITEM_END))
            self.pos = found.end()
            scalar, mark, opener = found.groups()
            if opener:
                items.append(self._opened(opener))
                return
            items.append(scalar)
            if mark == b"]":
                self._leave(self.pos)
                return

    def _ended(self, found: re.Match[bytes] | None, state: State) -> bool:
        """After a container within: whether this one ends too."""
        if found is None:
            raise NotJson(fault_at(self._body, self.pos, state, state))
        self.pos = found.end()
        if found[1] == b",":
            return False
        self._leave(self.pos)
        return True

    def _leave(self, pos: int) -> None:
        self.pos = pos
        self._values += len(self._open.pop())
        self._refuse_beyond(self._values)

    @staticmethod
    def _refuse_beyond(values: int) -> None:
        if values > MOST:
            raise LimitExceeded("The request body is not read", why=f"it has more than {MOST:,} values")


def text(literal: bytes) -> str:
    """The string that *literal* is; what is no UTF-8 and half of a surrogate pair become replacement characters."""
    try:
        written = literal[1:-1].decode()
    except UnicodeDecodeError:
        # One look at all of it: decoding again after each fault would take quadratic time.
        kept = literal[1:-1].decode(errors="surrogateescape")
        written = "".join(_UNKNOWN if "\udc80" <= char <= "\udcff" else char for char in kept)
    return _escape.sub(_unescaped, written) if "\\" in written else written


def _unescaped(found: re.Match[str]) -> str:
    high, low, single, char = found.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    if single:
        point = int(single, 16)
        return _UNKNOWN if 0xD800 <= point <= 0xDFFF else chr(point)  # noqa: PLR2004 - the surrogates
    return _ESCAPED.get(char, char)
