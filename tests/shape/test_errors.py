"""There is one tree of errors, in one place: others know its leaves by their codes."""

import ast
import re
from pathlib import Path

from plumbline.base import errors

SOURCE = Path(__file__).parents[2] / "src" / "plumbline"
TREE = {
    name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, errors.PlumblineError)
}
GROWN = re.compile(rf"\bclass \w+\([^:]*\b({'|'.join(sorted(TREE))})\b")


def test_no_room_grows_a_leaf_of_its_own():
    others = {path: path.read_text() for path in SOURCE.rglob("*.py") if path.parent != SOURCE / "base" / "errors"}
    grown = [
        f"{path.relative_to(SOURCE)}: {node.name}"
        for path, text in others.items()
        if GROWN.search(text)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef) and TREE & {ast.unparse(base) for base in node.bases}
    ]
    assert grown == []
