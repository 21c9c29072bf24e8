"""The pages of the documentation, and the blocks in them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(*languages):
    return list(_blocks(languages))


def _blocks(languages):
    for page in PAGES:
        text = page.read_text()
        for match in _BLOCK.finditer(text):
            if match[1] in languages:
                yield Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2])


def section(page, heading):
    """What stands under *heading*, up to the next one of its level."""
    level = heading.split(" ")[0]
    _, found, rest = (ROOT / "docs" / page).read_text().partition(f"\n{heading}\n")
    assert found, f"docs/{page} has no heading {heading!r}"
    return re.split(rf"^{level} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def opening(page):
    """What stands before the first section."""
    return (ROOT / "docs" / page).read_text().partition("\n## ")[0]
