"""The tree of a template. As text, a node is what Go quotes in complaints."""

from dataclasses import dataclass, field
from typing import ClassVar

from plumbline.gotemplate.quoting import quoted


@dataclass(slots=True)
class Node:
    at: int


@dataclass(slots=True)
class Listing(Node):
    nodes: list[Node] = field(default_factory=list)

    def __str__(self) -> str:
        return "".join(map(str, self.nodes))


@dataclass(slots=True)
class Text(Node):
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Variable(Node):
    idents: tuple[str, ...]
    """The dollar sign is part of the first."""

    def __str__(self) -> str:
        return ".".join(self.idents)


@dataclass(slots=True)
class Command(Node):
    args: list[Node] = field(default_factory=list)

    def __str__(self) -> str:
        return " ".join(map(_in_parens, self.args))


@dataclass(slots=True)
class Pipe(Node):
    declared: list[Variable] = field(default_factory=list)
    assigns: bool = False
    commands: list[Command] = field(default_factory=list)

    def __str__(self) -> str:
        said = " | ".join(map(str, self.commands))
        if not self.declared:
            return said
        return ", ".join(map(str, self.declared)) + (" = " if self.assigns else " := ") + said


@dataclass(slots=True)
class Action(Node):
    pipe: Pipe

    def __str__(self) -> str:
        return f"{{{{{self.pipe}}}}}"


@dataclass(slots=True)
class Identifier(Node):
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(slots=True)
class Dot(Node):
    def __str__(self) -> str:
        return "."


@dataclass(slots=True)
class Nil(Node):
    def __str__(self) -> str:
        return "nil"


@dataclass(slots=True)
class Field(Node):
    idents: tuple[str, ...]

    def __str__(self) -> str:
        return "".join(f".{each}" for each in self.idents)


@dataclass(slots=True)
class Chain(Node):
    """Fields of what something else gives."""

    node: Node
    idents: tuple[str, ...]

    def __str__(self) -> str:
        return _in_parens(self.node) + "".join(f".{each}" for each in self.idents)


@dataclass(slots=True)
class Bool(Node):
    true: bool

    def __str__(self) -> str:
        return "true" if self.true else "false"


@dataclass(slots=True)
class Number(Node):
    """A constant, with all that it can stand for: None where it cannot."""

    text: str
    integer: int | None = None
    floating: float | None = None
    imaginary: complex | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class String(Node):
    quoted: str
    text: str

    def __str__(self) -> str:
        return self.quoted


@dataclass(slots=True)
class End(Node):
    def __str__(self) -> str:
        return "{{end}}"


@dataclass(slots=True)
class Else(Node):
    def __str__(self) -> str:
        return "{{else}}"


@dataclass(slots=True)
class Break(Node):
    def __str__(self) -> str:
        return "{{break}}"


@dataclass(slots=True)
class Continue(Node):
    def __str__(self) -> str:
        return "{{continue}}"


@dataclass(slots=True)
class Branch(Node):
    word: ClassVar[str]
    pipe: Pipe
    body: Listing
    otherwise: Listing | None

    def __str__(self) -> str:
        otherwise = "" if self.otherwise is None else f"{{{{else}}}}{self.otherwise}"
        return f"{{{{{self.word} {self.pipe}}}}}{self.body}{otherwise}{{{{end}}}}"


@dataclass(slots=True)
class If(Branch):
    word = "if"


@dataclass(slots=True)
class Range(Branch):
    word = "range"


@dataclass(slots=True)
class With(Branch):
    word = "with"


@dataclass(slots=True)
class Include(Node):
    """`template`: another one, with the pipe's value as its dot."""

    name: str
    pipe: Pipe | None

    def __str__(self) -> str:
        return f"{{{{template {quoted(self.name)}{'' if self.pipe is None else f' {self.pipe}'}}}}}"


def _in_parens(node: Node) -> str:
    return f"({node})" if isinstance(node, Pipe) else str(node)


def blank(node: Node) -> bool:
    """Whether there is nothing in it but space."""
    if isinstance(node, Listing):
        return all(map(blank, node.nodes))
    return isinstance(node, Text) and not node.text.strip()
