"""Values as Go's templates see them: JSON, with the few distinctions that Go makes and Python does not.

A plain `int` is an int64, as the API machinery decodes numbers; literals and lengths are `Int`. `None` is a nil that is
there, as the value of a key may be; `INVALID` is what a key that is not there gives.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, TypeAlias

Value: TypeAlias = Any
"""str, bool, int, float, None, list, dict, Typed, Function or INVALID."""


class Int(int):
    """Go's int."""

    __slots__ = ()


class Uint8(int):
    """A byte of a string."""

    __slots__ = ()


class Strings(list[str]):
    """Go's []string."""


class Ints(list[Int]):
    """Go's []int."""


class StringMap(dict[str, str]):
    """Go's map[string]string."""


class Raw(bytes):
    """Go's []byte: text that is meant as it is."""

    __slots__ = ()


class Invalid:
    """What is not there at all."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<invalid>"


INVALID: Final = Invalid()


class Failed(Exception):
    """What a function called from a template answers instead of a value."""


class Typed:
    """A value of a named type: fields to read and methods to call. Subclasses say which."""

    type_name: ClassVar[str]
    kind: ClassVar[str] = "struct"
    empty: ClassVar[bool] = False

    def member(self, name: str) -> Value:
        """A field's value, a method as a Function, or INVALID."""
        raise NotImplementedError

    def text(self) -> str:
        """As `%v` prints it."""
        raise NotImplementedError

    def json(self) -> Value:
        """What JSON shows of it."""
        raise Failed(f"json: unsupported type: {self.type_name}")


class Function:
    """Something that templates call. *params* are names of Go types; the last may begin with `...`."""

    __slots__ = ("call", "name", "params", "variadic")

    def __init__(self, name: str, call: Callable[..., Value], params: tuple[str, ...]) -> None:
        self.name = name
        self.call = call
        self.variadic = params[-1][3:] if params and params[-1].startswith("...") else ""
        self.params = params[:-1] if self.variadic else params

    @property
    def fewest(self) -> int:
        return len(self.params)

    def param(self, at: int) -> str:
        return self.params[at] if at < len(self.params) else self.variadic


def function(signature: str, call: Callable[..., Value], name: str = "") -> Function:
    """*signature* names the types of the parameters, with spaces between them."""
    return Function(name, call, tuple(signature.split()))


_TYPES: Final[Mapping[type, tuple[str, str]]] = {
    str: ("string", "string"),
    bool: ("bool", "bool"),
    Int: ("int", "int"),
    Uint8: ("uint8", "uint8"),
    int: ("int64", "int64"),
    float: ("float64", "float64"),
    dict: ("map[string]interface {}", "map"),
    StringMap: ("map[string]string", "map"),
    list: ("[]interface {}", "slice"),
    tuple: ("[]interface {}", "slice"),
    Strings: ("[]string", "slice"),
    Ints: ("[]int", "slice"),
    Raw: ("[]uint8", "slice"),
}


def type_name(value: Value) -> str:
    """As `%T` prints it."""
    if isinstance(value, Typed):
        return value.type_name
    if value is None or value is INVALID:
        return "<nil>"
    if isinstance(value, Function):
        return "func(...)"
    return _TYPES.get(type(value), ("interface {}", ""))[0]


def kind_of(value: Value) -> str:
    """The name of its reflect.Kind."""
    if isinstance(value, Typed):
        return value.kind
    if value is None or value is INVALID:
        return "invalid"
    if isinstance(value, Function):
        return "func"
    return _TYPES.get(type(value), ("", "interface"))[1]


def truth(value: Value) -> bool:
    """Whether `if` takes it for true: everything but the zero of its type."""
    if value is None or value is INVALID:
        return False
    if isinstance(value, Typed):
        return not value.empty and (value.kind == "struct" or bool(value))
    return True if isinstance(value, Function) else bool(value)


def size(text: str) -> int:
    """The length of a Go string, which is one of bytes."""
    return len(text) if text.isascii() else len(text.encode(errors="surrogateescape"))


def cut(text: str, begin: int, end: int) -> str:
    """Part of a Go string, by bytes; half a character stays half a character."""
    if text.isascii():
        return text[begin:end]
    return text.encode(errors="surrogateescape")[begin:end].decode(errors="surrogateescape")
