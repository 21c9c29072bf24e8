"""Files and functions stay small. The allow-list names those that are not, with a size that may only go down."""

import ast
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "plumbline"
FILE_LINES = 400
FUNCTION_LINES = 40

ALLOWED_FILES: dict[str, int] = {}
ALLOWED_FUNCTIONS: dict[str, int] = {}


@cache
def _files():
    return [(path.relative_to(SOURCE).as_posix(), path.read_text()) for path in sorted(SOURCE.rglob("*.py"))]


def _statements(body):
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(node, part, ()))


@cache
def _functions():
    return [
        (f"{name}:{node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for name, text in _files()
        for node in _statements(ast.parse(text).body)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_no_file_grows_past_its_limit():
    sizes = {name: len(text.splitlines()) for name, text in _files()}
    over = {name: lines for name, lines in sizes.items() if lines > ALLOWED_FILES.get(name, FILE_LINES)}
    assert over == {}


def test_no_function_grows_past_its_limit():
    over = {name: lines for name, lines in _functions() if lines > ALLOWED_FUNCTIONS.get(name, FUNCTION_LINES)}
    assert over == {}


def test_the_allow_lists_hold_nothing_that_became_small():
    files = {name: len(text.splitlines()) for name, text in _files()}
    functions = dict(_functions())
    assert {name for name, size in ALLOWED_FILES.items() if files.get(name, 0) < size} == set()
    assert {name for name, size in ALLOWED_FUNCTIONS.items() if functions.get(name, 0) < size} == set()
