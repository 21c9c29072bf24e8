"""What libyaml complains about, as something that helps whoever wrote the text."""

from typing import Final

from yaml import MarkedYAMLError, YAMLError  # noqa: TID251 - this is the one place
from yaml.reader import ReaderError  # noqa: TID251 - this is the one place

from plumbline.base.documents.places import Part, Source, lines_of, spot_of
from plumbline.base.errors import BadDocument

_HINTS: Final = {
    "\t": "Indent with spaces: YAML does not take tabs for that.",
    "@": "Put quotes around a value that begins with @.",
    "`": "Put quotes around a value that begins with a backtick.",
    "%": "Put quotes around a value that begins with %.",
    ":": "Put quotes around a value with a colon in it, or check the indentation.",
}
_SEPARATE: Final = "Put a line --- between two documents, and leave out lines that begin with %."


def yaml_fault(text: bytes, part: Part, source: Source, error: YAMLError) -> BadDocument:
    """Pass on libyaml's own words: they say what it expected and never quote the text."""
    piece = lines_of(text, part)
    if isinstance(error, ReaderError):
        line, column = spot_of(piece, error.position)
        return source.bad(_reason(error), (part.lines_before + line, column))
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return source.bad("it is not YAML", (part.lines_before + 1, 1))
    mark, problem = error.problem_mark, str(error.problem)
    why = f"{error.context}: {problem}" if error.context else problem
    hint = _SEPARATE if "<document start>" in problem else _hint(piece, mark.index)
    return source.bad(why, (part.lines_before + mark.line + 1, mark.column + 1), hint=hint)


def _reason(error: ReaderError) -> str:
    if error.character == 0:
        return "it holds a NUL byte"
    if error.reason == "control characters are not allowed":
        return f"it holds the control character U+{error.character:04X}"
    return "it is not UTF-8"


def _hint(piece: bytes, index: int) -> str:
    return _HINTS.get(piece.decode("utf-8", "replace")[index : index + 1], "")
