"""How Go prints JSON values, for messages that people and tools know from the API server."""

from typing import Final

from plumbline.base.json import Json

_ESCAPES: Final = {
    "\a": r"\a",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\v": r"\v",
    "\\": r"\\",
    '"': r"\"",
}
_LARGEST_POSITIONAL: Final = 1e21


def quoted(text: str) -> str:
    """*text* as `%q` prints it."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    point = ord(char)
    if point < 0x80:  # noqa: PLR2004 - the end of ASCII
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004 - the end of the first plane


def printed(value: Json) -> str:
    """*value* as `%v` prints it; maps in the order of their keys."""
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{printed(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list | tuple):
        return "[" + " ".join(map(printed, value)) + "]"
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_POSITIONAL:
        return str(int(value))
    return str(value)


def type_name(value: Json) -> str:
    """The Go type that holds *value* once it is decoded without a schema."""
    if value is None:
        return "%!s(<nil>)"
    if isinstance(value, bool):
        return "bool"
    names = {dict: "map[string]interface {}", list: "[]interface {}", str: "string", int: "int64", float: "float64"}
    return names.get(type(value), type(value).__name__)


def go_syntax(value: Json) -> str:
    """*value* as `%#v` prints it."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "map[string]interface {}{" + ", ".join(f"{quoted(k)}:{go_syntax(value[k])}" for k in sorted(value)) + "}"
    if isinstance(value, list):
        return "[]interface {}{" + ", ".join(map(go_syntax, value)) + "}"
    return "interface {}(nil)" if value is None else printed(value)
