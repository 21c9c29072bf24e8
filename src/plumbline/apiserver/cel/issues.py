"""What is wrong with an expression, shown as CEL shows it: place, message, the line, and a mark under it."""

from typing import Final, NamedTuple

from plumbline.base.errors import BadExpression

_MOST: Final = 100
_WIDEST_LINE: Final = 16_384


class Issue(NamedTuple):
    """`at` is an offset into the expression."""

    at: int
    message: str


class Issues:
    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Issue] = []

    def add(self, at: int, message: str) -> None:
        self.found.append(Issue(at, message))

    def __bool__(self) -> bool:
        return bool(self.found)

    def refusal(self) -> BadExpression:
        return BadExpression(str(self), hint="Correct the expression at the mark.")

    def __str__(self) -> str:
        shown = [self._shown(issue) for issue in sorted(self.found, key=lambda issue: issue.at)[:_MOST]]
        if len(self.found) > _MOST:
            shown.append(f"{len(self.found) - _MOST} more errors were truncated")
        return "\n".join(shown)

    def _shown(self, issue: Issue) -> str:
        if not self.source:
            return f"ERROR: <input>:1:0: {issue.message}"
        before = self.source[: issue.at]
        line, column = before.count("\n"), len(before) - (before.rfind("\n") + 1)
        head = f"ERROR: <input>:{line + 1}:{column + 1}: {issue.message}"
        text = self.source.split("\n")[line].replace("\t", " ")
        if len(text.encode()) > _WIDEST_LINE:
            return head
        dots = "".join("." if char.isascii() else "\uff0e" for char in text[:column])
        mark = "^" if text[column : column + 1].isascii() else "\uff3e"
        return f"{head}\n | {text}\n | {dots}{mark}"
