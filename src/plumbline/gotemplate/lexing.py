"""A template as tokens. Go's lexer works on demand, so that its faults come in the order that people know."""

from typing import Final, NamedTuple

_SPACES: Final = " \t\r\n"
_KEYWORDS: Final = frozenset(
    {"block", "break", "continue", "define", "else", "end", "if", "nil", "range", "template", "with"}
)
_DIGITS: Final = {"x": "0123456789abcdefABCDEF_", "o": "01234567_", "b": "01_"}
_DECIMAL: Final = "0123456789_"
DELIMITERS: Final = ("{{", "}}")


class Token(NamedTuple):
    kind: str
    """A keyword, or one of: text, left, right, space, assign, declare, pipe, string, raw, variable, char, field, dot,
    number, complex, rune, identifier, bool, (, ), symbol, eof, error."""
    at: int
    value: str
    line: int

    def __str__(self) -> str:
        """As complaints quote it."""
        from plumbline.gotemplate.quoting import quoted  # noqa: PLC0415 - only who complains needs it

        if self.kind == "eof":
            return "EOF"
        if self.kind == "error":
            return self.value
        if self.kind in _KEYWORDS or self.kind == "dot":
            return f"<{self.value}>"
        if len(self.value) > 10:  # noqa: PLR2004 - as much as Go quotes
            return quoted(self.value[:10]) + "..."
        return quoted(self.value)


class Lexer:
    """Positions count characters; whoever tells them counts bytes."""

    def __init__(self, text: str, delimiters: tuple[str, str] = DELIMITERS) -> None:
        self.text = text
        self._opening, self._closing = delimiters
        self.at = 0
        self.start = 0
        self.inside = False
        self.parens = 0
        self._failed = False
        self._counted = (0, 1)

    def next(self) -> Token:
        if self._failed:
            return Token("eof", 0, "EOF", 1)
        if self.inside:
            return self._inside()
        return self._outside()

    def _token(self, kind: str) -> Token:
        token = Token(kind, self.start, self.text[self.start : self.at], self._line(self.start))
        self.start = self.at
        return token

    def _line(self, at: int) -> int:
        done, line = self._counted
        self._counted = at, line + self.text.count("\n", done, at)
        return self._counted[1]

    def _error(self, message: str) -> Token:
        self._failed = True
        return Token("error", self.start, message, self._line(self.start))

    def _outside(self) -> Token:
        while True:
            found = self.text.find(self._opening, self.at)
            if found < 0:
                self.at = len(self.text)
                return self._token("text" if self.at > self.start else "eof")
            end = found
            if self._left_trim(found + len(self._opening)):
                end = self.start + len(self.text[self.start : found].rstrip(_SPACES))
            self.at = end
            text = self._token("text") if end > self.start else None
            self.at = self.start = found
            if text is not None:
                return text
            left = self._left()
            if left is not None:
                return left

    def _left(self) -> Token | None:
        """The delimiter, or None after a comment."""
        after = self.at + len(self._opening)
        trimmed = 2 if self._left_trim(after) else 0
        if self.text.startswith("/*", after + trimmed):
            self.at = self.start = after + trimmed
            return self._comment()
        self.at = after
        token = self._token("left")
        self.inside = True
        self.parens = 0
        self.at = self.start = after + trimmed
        return token

    def _comment(self) -> Token | None:
        end = self.text.find("*/", self.at + 2)
        if end < 0:
            return self._error("unclosed comment")
        self.at = end + 2
        closes, trims = self._closes()
        if not closes:
            return self._error("comment ends before closing delimiter")
        self.at += len(self._closing) + (2 if trims else 0)
        self._skip_spaces(trims=trims)
        return None

    def _skip_spaces(self, *, trims: bool) -> None:
        if trims:
            while self.at < len(self.text) and self.text[self.at] in _SPACES:
                self.at += 1
        self.start = self.at

    def _left_trim(self, at: int) -> bool:
        return self.text[at : at + 1] == "-" and self.text[at + 1 : at + 2] in set(_SPACES)

    def _closes(self) -> tuple[bool, bool]:
        """Whether the action ends here, and whether that trims what follows."""
        space, minus = self.text[self.at : self.at + 1], self.text[self.at + 1 : self.at + 2]
        if space and space in _SPACES and minus == "-" and self.text.startswith(self._closing, self.at + 2):
            return True, True
        return self.text.startswith(self._closing, self.at), False

    def _close(self) -> Token:
        _, trims = self._closes()
        if trims:
            self.at += 2
            self.start = self.at
        self.at += len(self._closing)
        token = self._token("right")
        self._skip_spaces(trims=trims)
        self.inside = False
        return token

    def _inside(self) -> Token:
        closes, _ = self._closes()
        if closes:
            return self._error("unclosed left paren") if self.parens else self._close()
        char = self._take()
        if not char:
            return self._error("unclosed action")
        if char in _SIMPLE:
            return self._token(_SIMPLE[char])
        if char in _SCANNED:
            return _SCANNED[char](self)
        return self._started(char)

    def _started(self, char: str) -> Token:
        """A token that begins with one of many characters."""
        if char == "." and not (self._peek().isascii() and self._peek().isdecimal()):
            return self._word("field")
        if char in "+-." or (char.isascii() and char.isdigit()):
            self.at -= 1
            return self._number()
        if _alphanumeric(char):
            return self._identifier()
        if char.isascii() and char.isprintable():
            return self._token("symbol")
        return self._error(f"unrecognized character in action: {_named(char)}")

    def _take(self) -> str:
        char = self.text[self.at : self.at + 1]
        self.at += len(char)
        return char

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _open(self) -> Token:
        self.parens += 1
        return self._token("(")

    def _shut(self) -> Token:
        self.parens -= 1
        return self._error("unexpected right paren") if self.parens < 0 else self._token(")")

    def _space(self) -> Token:
        while self._peek() and self._peek() in _SPACES:
            self.at += 1
        self.at -= 1
        _, trims = self._closes()
        if not trims:
            self.at += 1
        elif self.at == self.start:
            return self._close()
        return self._token("space")

    def _colon(self) -> Token:
        return self._token("declare") if self._take() == "=" else self._error("expected :=")

    def _variable(self) -> Token:
        return self._token("variable") if self._ends() else self._word("variable")

    def _word(self, kind: str) -> Token:
        if self._ends():
            return self._token("dot")
        self._run_alphanumeric()
        return self._token(kind) if self._ends() else self._bad_character()

    def _identifier(self) -> Token:
        self._run_alphanumeric()
        if not self._ends():
            return self._bad_character()
        word = self.text[self.start : self.at]
        if word in _KEYWORDS:
            return self._token(word)
        return self._token("bool" if word in {"true", "false"} else "identifier")

    def _run_alphanumeric(self) -> None:
        while self._peek() and _alphanumeric(self._peek()):
            self.at += 1

    def _bad_character(self) -> Token:
        return self._error(f"bad character {_named(self._peek())}")

    def _ends(self) -> bool:
        """Whether what follows may follow a word."""
        char = self._peek()
        return not char or char in _SPACES + ".,|:()" or self.text.startswith(self._closing, self.at)

    def _quote(self) -> Token:
        return self._until('"', "string", "unterminated quoted string")

    def _rune(self) -> Token:
        return self._until("'", "rune", "unterminated character constant")

    def _until(self, end: str, kind: str, fault: str) -> Token:
        while (char := self._take()) != end:
            if char == "\\":
                char = self._take()
            if char in {"", "\n"}:
                return self._error(fault)
        return self._token(kind)

    def _raw(self) -> Token:
        end = self.text.find("`", self.at)
        if end < 0:
            self.at = len(self.text)
            return self._error("unterminated raw quoted string")
        self.at = end + 1
        return self._token("raw")

    def _number(self) -> Token:
        if not self._scan_number():
            return self._bad_number()
        if self._peek() and self._peek() in "+-":
            if not self._scan_number() or self.text[self.at - 1] != "i":
                return self._bad_number()
            return self._token("complex")
        return self._token("number")

    def _bad_number(self) -> Token:
        from plumbline.gotemplate.quoting import quoted  # noqa: PLC0415 - only who complains needs it

        return self._error(f"bad number syntax: {quoted(self.text[self.start : self.at])}")

    def _accept(self, chars: str) -> str:
        char = self._peek()
        if char and char in chars:
            self.at += 1
            return char
        return ""

    def _accept_run(self, chars: str) -> None:
        while self._accept(chars):
            pass

    def _scan_number(self) -> bool:
        self._accept("+-")
        base = self._accept("xXoObB").lower() if self._accept("0") else ""
        digits = _DIGITS.get(base, _DECIMAL)
        self._accept_run(digits)
        if self._accept("."):
            self._accept_run(digits)
        exponent = {"": "eE", "x": "pP"}.get(base, "")
        if exponent and self._accept(exponent):
            self._accept("+-")
            self._accept_run(_DECIMAL)
        self._accept("i")
        if self._peek() and _alphanumeric(self._peek()):
            self.at += 1
            return False
        return True


_SIMPLE: Final = {"=": "assign", "|": "pipe"}
_SCANNED: Final = {
    ":": Lexer._colon,  # noqa: SLF001 - a table of this class's own methods
    '"': Lexer._quote,  # noqa: SLF001 - same
    "`": Lexer._raw,  # noqa: SLF001 - same
    "$": Lexer._variable,  # noqa: SLF001 - same
    "'": Lexer._rune,  # noqa: SLF001 - same
    "(": Lexer._open,  # noqa: SLF001 - same
    ")": Lexer._shut,  # noqa: SLF001 - same
    **dict.fromkeys(_SPACES, Lexer._space),  # noqa: SLF001 - same
}


def _alphanumeric(char: str) -> bool:
    return char == "_" or char.isalpha() or char.isdecimal()


def _named(char: str) -> str:
    """As `%#U` prints it; the end of the text is -1 there."""
    if not char:
        return "U+FFFFFFFFFFFFFFFF"
    point = f"U+{ord(char):04X}"
    return f"{point} '{char}'" if char.isprintable() else point
