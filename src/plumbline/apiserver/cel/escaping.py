"""Names of properties as the language can say them."""

import re
from typing import Final

_RESERVED: Final = frozenset(
    ("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
     "loop", "package", "namespace", "return", "var", "void", "while")
)  # fmt: skip
_ESCAPES: Final = {"__": "__underscores__", "-": "__dash__", ".": "__dot__", "/": "__slash__"}
_allowed: Final = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*").fullmatch
_escaped: Final = re.compile(r"__|[-./]")


def escaped_name(name: str) -> str | None:
    """`foo-bar` as `foo__dash__bar`; None for names that no expression can reach."""
    if name in _RESERVED:
        return f"__{name}__"
    if not _allowed(name):
        return None
    return _escaped.sub(lambda found: _ESCAPES[found[0]], name)
