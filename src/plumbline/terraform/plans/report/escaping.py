"""Text of others in Markdown of ours: it says what it says, and does nothing.

All of it stands in code, where no forge looks for mentions, links, images or HTML. What could end the code is replaced by
characters that look like it.
"""

import html
from typing import Final

from plumbline.terraform.plans.wording import cut, plain

_LOOKS_LIKE: Final = str.maketrans({"`": "\u02cb", "|": "\u00a6"})
_LONGEST: Final = 300


def code(text: str, longest: int = _LONGEST) -> str:
    """In one line: a paragraph, a list, a cell of a table."""
    inside = cut(plain(text).translate(_LOOKS_LIKE).strip(), longest)
    return f"`{inside or '(empty)'}`"


def html_code(text: str, longest: int = _LONGEST) -> str:
    """Inside of HTML, where Markdown is not read."""
    return f"<code>{html.escape(cut(plain(text), longest)) or '(empty)'}</code>"


def fenced(lines: list[str], language: str = "") -> str:
    """A block of lines, each of which stays one."""
    inside = "\n".join(plain(line).translate(_LOOKS_LIKE) for line in lines)
    return f"```{language}\n{inside}\n```"


def size(text: str) -> int:
    """As the forges count that count most: in units of UTF-16."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "replace")) // 2
