"""Rules of schemas (`x-kubernetes-validations`), compiled when they are first needed."""

from functools import cached_property
from typing import NamedTuple

from plumbline.apiserver.cel.declarations import Declarations, Field
from plumbline.apiserver.cel.program import Program, compile_expression
from plumbline.apiserver.cel.types import BOOL, STRING, Type, optional_of
from plumbline.apiserver.crds.fieldpaths import schema_path
from plumbline.apiserver.crds.rule_types import RuleTypes
from plumbline.apiserver.crds.structural import Node
from plumbline.base.errors import BadExpression, BadFieldPath
from plumbline.base.json import JsonObject


class Rule(NamedTuple):
    """One rule, compiled. What could not be compiled says so in `fault` or `message_fault`."""

    source: JsonObject
    program: Program | None
    fault: str
    message: Program | None
    message_fault: str
    path: str

    @property
    def uses_old_self(self) -> bool:
        return self.program is not None and "oldSelf" in self.program.uses

    @property
    def optional_old_self(self) -> bool:
        return self.source.get("optionalOldSelf") is True

    @property
    def title(self) -> str:
        return (text_in(self.source, "message") or text_in(self.source, "rule")).strip()

    @property
    def detail(self) -> str:
        """What is said where it does not hold."""
        return self.title if text_in(self.source, "message") else f"failed rule: {self.title}"


class Rules:
    """The rules of a node and of everything below it."""

    def __init__(self, node: Node, declared: Type | None, types: RuleTypes, *, resource: bool) -> None:
        self.node = node
        self.resource = resource
        self._declared = declared
        self._types = types

    @classmethod
    def of_root(cls, root: Node) -> "Rules | None":
        """None where a schema has no rules."""
        return cls.of_node(root, resource=True) if root.traits.rules else None

    @classmethod
    def of_node(cls, node: Node, *, resource: bool) -> "Rules":
        types = RuleTypes()
        return cls(node, types.of(node, resource=resource), types, resource=resource)

    @cached_property
    def compiled(self) -> tuple[Rule, ...]:
        if not self.node.rules or self._declared is None:
            return ()
        plain, optional = self._declarations(optional=False), self._declarations(optional=True)
        return tuple(
            _compiled(rule, optional if rule.get("optionalOldSelf") is True else plain, self.node)
            for rule in self.node.rules
        )

    def _declarations(self, *, optional: bool) -> Declarations:
        declared = self._declared or BOOL
        old = optional_of(declared) if optional else declared
        return Declarations({"self": declared, "oldSelf": old}, self._types.structs)

    def child(self, name: str) -> "Rules | None":
        return self._children.get(name)

    @cached_property
    def _children(self) -> dict[str, "Rules"]:
        """Of properties that have rules; a property that no expression can name has types of its own."""
        found: dict[str, Rules] = {}
        fields = {each.property: each for each in self._fields().values()}
        for name, below in self.node.properties.items():
            if not below.traits.rules:
                continue
            field = fields.get(name)
            if field is not None:
                found[name] = Rules(below, field.type, self._types, resource=below.embedded)
            elif below.type or below.int_or_string:
                found[name] = Rules.of_node(below, resource=below.embedded)
        return found

    def _fields(self) -> dict[str, Field]:
        return dict(self._types.structs.get(self._declared.name, {})) if self._declared is not None else {}

    @cached_property
    def items(self) -> "Rules | None":
        return self._inner(self.node.items, 0)

    @cached_property
    def values(self) -> "Rules | None":
        return self._inner(self.node.additional, 1)

    def _inner(self, node: Node | None, place: int) -> "Rules | None":
        if node is None or not node.traits.rules or self._declared is None or len(self._declared.params) <= place:
            return None
        return Rules(node, self._declared.params[place], self._types, resource=node.embedded)


def _compiled(rule: JsonObject, declarations: Declarations, node: Node) -> Rule:
    written, worded = text_in(rule, "rule"), text_in(rule, "messageExpression")
    program, fault = _try(written, declarations, BOOL, "compilation failed", "cel expression must evaluate to a bool")
    message: Program | None = None
    message_fault = ""
    if worded and program is not None:
        message, message_fault = _try(
            worded,
            declarations,
            STRING,
            "messageExpression compilation failed",
            "messageExpression must evaluate to a string",
        )
    path = ""
    if rule.get("fieldPath"):
        try:
            path = schema_path(text_in(rule, "fieldPath"), node).text
        except BadFieldPath:
            path = ""
    return Rule(rule, program, fault, message, message_fault, path)


def _try(
    expression: str, declarations: Declarations, wanted: Type, title: str, otherwise: str
) -> tuple[Program | None, str]:
    if not expression.strip():
        return None, ""
    try:
        program = compile_expression(expression, declarations)
    except BadExpression as bad:
        prefix = f"{title}: " if bad.what.startswith("ERROR:") else ""
        return None, prefix + bad.what
    return (program, "") if program.type == wanted else (None, otherwise)


def text_in(source: JsonObject, name: str) -> str:
    value = source.get(name)
    return value if isinstance(value, str) else ""
