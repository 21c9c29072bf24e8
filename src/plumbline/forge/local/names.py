"""Names of repositories, which become paths: so they are made of little, and never of dots alone."""

import re
from typing import Final

from plumbline.base.errors import InvalidInput

LONGEST: Final = 200
_PART: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_NAME: Final = re.compile(rf"{_PART}(?:/{_PART}){{0,3}}", re.ASCII)
_RESERVED: Final = (".git", ".lock", ".")


def checked_name(name: str) -> str:
    """The name without `.git` at its end, or InvalidInput."""
    bare = name.removesuffix(".git")
    parts = bare.split("/")
    if len(bare) > LONGEST or not _NAME.fullmatch(bare) or any(part.lower().endswith(_RESERVED) for part in parts):
        raise InvalidInput(
            f"{name[:LONGEST]!r} is no name of a repository",
            hint="Use letters, digits, dots, dashes and underscores, in up to four parts with slashes between them.",
        )
    return bare
