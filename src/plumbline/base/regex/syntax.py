"""Go's syntax of regular expressions, read into a tree; what Go refuses is refused in its words."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.regex.charsets import PERL, CharSet, Part
from plumbline.base.regex.classes import read_category, read_class, read_escape
from plumbline.base.regex.cursor import Cursor, refused

MOST_REPEATS: Final = 1000
_MOST_HEIGHT: Final = 1000
_LONGEST: Final = 20_000
"""Reading takes a moment for each character, and what is longer would make too large a program anyway."""
_SHOWN: Final = 80

_repeat: Final = re.compile(r"\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}").match
_look: Final = re.compile(r"\(\?<?[=!]").match
_capture_name: Final = re.compile(r"[A-Za-z0-9_]+").fullmatch
_ANY: Final = CharSet((Part(category="", negated=True),), negated=True)
_NOT_NEWLINE: Final = CharSet((Part((("\n", "\n"),)),), negated=True)


class Chars(NamedTuple):
    chars: CharSet


class Assert(NamedTuple):
    """`^`, `$` (of a line), `A`, `z` (of the text), `b` or `B`."""

    kind: str


class Repeat(NamedTuple):
    node: "Node"
    least: int
    most: int | None
    greedy: bool


class Sequence(NamedTuple):
    nodes: tuple["Node", ...]


class Choice(NamedTuple):
    nodes: tuple["Node", ...]


class Capture(NamedTuple):
    """A group whose place is remembered. Only where it was asked for."""

    node: "Node"
    number: int
    name: str


class Look(NamedTuple):
    """What has to come after, or before, without being taken; or must not. Go has none of these."""

    node: "Node"
    ahead: bool
    negated: bool


Node: TypeAlias = Chars | Assert | Repeat | Sequence | Choice | Capture | Look


class _Flags(NamedTuple):
    fold: bool = False
    multiline: bool = False
    dot_newline: bool = False
    ungreedy: bool = False


class _Group:
    """An open parenthesis, and what was read since."""

    def __init__(self, outer_flags: _Flags, look: str = "", number: int = 0, name: str = "") -> None:
        self.outer_flags = outer_flags
        self.look = look
        self.number, self.name = number, name
        self.alternatives: list[Node] = []
        self.nodes: list[Node] = []

    def closed(self) -> Node:
        self.alternatives.append(Sequence(tuple(self.nodes)))
        node = self.alternatives[0] if len(self.alternatives) == 1 else Choice(tuple(self.alternatives))
        if self.number:
            return Capture(node, self.number, self.name)
        return Look(node, "<" not in self.look, "!" in self.look) if self.look else node


class _Reader:
    def __init__(self, pattern: str, *, looks: bool, captures: bool) -> None:
        self.cursor = Cursor(pattern)
        self.looks = looks
        self.captures = captures
        self.captured = 0
        self.flags = _Flags()
        self.groups = [_Group(self.flags)]
        self.last_repeat = ""

    def read(self) -> Node:
        cursor = self.cursor
        while cursor.more():
            repeat, self.last_repeat = self.last_repeat, ""
            char = cursor.peek()
            special = _SPECIAL.get(char)
            if special is not None:
                special(self, repeat)
            else:
                cursor.at += 1
                self.push_char(char)
        if len(self.groups) > 1:
            raise refused("missing closing )", cursor.text)
        return self.groups[0].closed()

    def push(self, node: Node) -> None:
        self.groups[-1].nodes.append(node)

    def push_char(self, char: str) -> None:
        self.push(Chars(CharSet((Part(((char, char),)),), fold=self.flags.fold)))

    def open(self, _repeat: str) -> None:
        if len(self.groups) > _MOST_HEIGHT:
            raise refused("expression nests too deeply", self.cursor.text)
        outer = self.flags
        look = _look(self.cursor.text, self.cursor.at) if self.looks else None
        if look is not None:
            self.cursor.at = look.end()
            self.groups.append(_Group(outer, look[0]))
            return
        name: str | None = ""
        if not self.cursor.rest().startswith("(?"):
            self.cursor.at += 1
        else:
            name = self._named()
            if name is None and not self._set_flags():
                return
        self.captured += name is not None
        number = self.captured if self.captures and name is not None else 0
        self.groups.append(_Group(outer, number=number, name=name or ""))

    def _named(self) -> str | None:
        """Reads `(?P<name>` or `(?<name>`."""
        rest = self.cursor.rest()
        start = 4 if rest.startswith("(?P<") else 3 if rest.startswith("(?<") else 0
        if not start:
            return None
        end = rest.find(">")
        if end < 0:
            raise refused("invalid named capture", rest)
        if not _capture_name(rest[start:end]):
            raise refused("invalid named capture", rest[: end + 1])
        self.cursor.at += end + 1
        return rest[start:end]

    def _set_flags(self) -> bool:
        """Reads `(?flags)` or `(?flags:`; true where a group begins."""
        cursor, start = self.cursor, self.cursor.at
        cursor.at += 2
        flags = {"i": self.flags.fold, "m": self.flags.multiline, "s": self.flags.dot_newline, "U": self.flags.ungreedy}
        on, seen = True, False
        while cursor.more():
            char = cursor.take()
            if char in flags:
                flags[char], seen = on, True
            elif char == "-" and on:
                on, seen = False, False
            elif char in ":)" and (on or seen):
                self.flags = _Flags(flags["i"], flags["m"], flags["s"], flags["U"])
                return char == ":"
            else:
                break
        raise refused("invalid or unsupported Perl syntax", cursor.text[start : cursor.at])

    def close(self, _repeat: str) -> None:
        self.cursor.at += 1
        if len(self.groups) == 1:
            raise refused("unexpected )", self.cursor.text)
        group = self.groups.pop()
        self.flags = group.outer_flags
        self.push(group.closed())

    def bar(self, _repeat: str) -> None:
        self.cursor.at += 1
        group = self.groups[-1]
        group.alternatives.append(Sequence(tuple(group.nodes)))
        group.nodes = []

    def begin(self, _repeat: str) -> None:
        self.cursor.at += 1
        self.push(Assert("^" if self.flags.multiline else "A"))

    def end(self, _repeat: str) -> None:
        self.cursor.at += 1
        self.push(Assert("$" if self.flags.multiline else "z"))

    def dot(self, _repeat: str) -> None:
        self.cursor.at += 1
        self.push(Chars(_ANY if self.flags.dot_newline else _NOT_NEWLINE))

    def klass(self, _repeat: str) -> None:
        self.push(Chars(read_class(self.cursor, fold=self.flags.fold)))

    def star(self, repeat: str) -> None:
        start, char = self.cursor.at, self.cursor.take()
        self._push_repeat(start, repeat, 1 if char == "+" else 0, 1 if char == "?" else None)

    def brace(self, repeat: str) -> None:
        cursor, start = self.cursor, self.cursor.at
        found = _repeat(cursor.text, start)
        if found is None:
            cursor.at += 1
            self.push_char("{")
            return
        cursor.at = found.end()
        least = int(found[1][:9])
        most = least if found[2] is None else None if found[3] is None else int(found[3][:9])
        if least > MOST_REPEATS or (most is not None and (most > MOST_REPEATS or least > most)):
            raise refused("invalid repeat count", found[0])
        self._push_repeat(start, repeat, least, most)

    def _push_repeat(self, start: int, before: str, least: int, most: int | None) -> None:
        cursor = self.cursor
        greedy = not self.flags.ungreedy
        if cursor.peek() == "?":
            cursor.at += 1
            greedy = not greedy
        written = cursor.text[start : cursor.at]
        if before:
            raise refused("invalid nested repetition operator", before + written)
        nodes = self.groups[-1].nodes
        if not nodes:
            raise refused("missing argument to repetition operator", written)
        if max(least, most or 0) > 1 and _repeats(nodes[-1]) * max(least, most or 0) > MOST_REPEATS:
            raise refused("invalid repeat count", written)
        nodes[-1] = Repeat(nodes[-1], least, most, greedy)
        self.last_repeat = written

    def escape(self, _repeat: str) -> None:
        cursor = self.cursor
        letter = cursor.text[cursor.at + 1 : cursor.at + 2]
        if letter and letter in "AbBz":
            cursor.at += 2
            self.push(Assert(letter))
        elif letter == "C":
            raise refused("invalid escape sequence", r"\C")
        elif letter == "Q":
            quoted, _, _ = cursor.text[cursor.at + 2 :].partition(r"\E")
            cursor.at = min(cursor.at + 4 + len(quoted), len(cursor.text))
            for char in quoted:
                self.push_char(char)
        elif letter and letter in "pP":
            self.push(Chars(CharSet((read_category(cursor),), fold=self.flags.fold)))
        elif letter.lower() in PERL:
            cursor.at += 2
            part = Part(PERL[letter.lower()], negated=letter.isupper())
            self.push(Chars(CharSet((part,), fold=self.flags.fold)))
        else:
            self.push_char(read_escape(cursor))


_SPECIAL: Final[dict[str, Callable[[_Reader, str], None]]] = {
    "(": _Reader.open, ")": _Reader.close, "|": _Reader.bar, "^": _Reader.begin, "$": _Reader.end, ".": _Reader.dot,
    "[": _Reader.klass, "*": _Reader.star, "+": _Reader.star, "?": _Reader.star, "{": _Reader.brace, "\\": _Reader.escape,
}  # fmt: skip


def _repeats(node: Node) -> int:
    """How often the innermost of *node* may come at most because of the counts around it."""
    if isinstance(node, Repeat):
        count = max(node.least, node.most or 0)
        return max(count, 1) * _repeats(node.node)
    if isinstance(node, Capture):
        return _repeats(node.node)
    if isinstance(node, Sequence | Choice):
        return max(map(_repeats, node.nodes), default=1)
    return 1


def parse(pattern: str, *, looks: bool = False, captures: bool = False) -> Node:
    """Raises BadExpression. With *looks* it may look around, which Go's expressions cannot; with *captures* it says what its groups are."""
    if len(pattern) > _LONGEST:
        raise refused("expression too large", f"{pattern[:_SHOWN]}...")
    return _Reader(pattern, looks=looks, captures=captures).read()
