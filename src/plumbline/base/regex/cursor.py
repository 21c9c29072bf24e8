"""A place in a pattern, and how a pattern is refused."""

from plumbline.base.errors import BadExpression


class Cursor:
    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def more(self) -> bool:
        return self.at < len(self.text)

    def peek(self) -> str:
        """The next character, empty at the end."""
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        char = self.peek()
        self.at += len(char)
        return char

    def rest(self) -> str:
        return self.text[self.at :]


def refused(why: str, text: str) -> BadExpression:
    return BadExpression(f"error parsing regexp: {why}: `{text}`")
