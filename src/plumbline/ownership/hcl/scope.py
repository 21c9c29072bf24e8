"""What names stand for inside one module: its variables, its locals, and fields of its other resources."""

from collections.abc import Mapping
from typing import Any, Final

from plumbline.ownership.external import rule_of_type
from plumbline.ownership.hcl.blocks import Attribute, Block
from plumbline.ownership.hcl.expressions import UNKNOWN, Expression, Reference, value

_DEEPEST: Final = 20
"""Locals of locals. Nobody goes deeper, and the stack would not bear much more."""
_RESOURCE_STEPS: Final = 3


class Scope:
    def __init__(
        self,
        variables: Mapping[str, Any] | None = None,
        locals_: Mapping[str, Attribute] | None = None,
        resources: Mapping[tuple[str, str], Block] | None = None,
    ) -> None:
        self._variables = variables or {}
        self._locals = locals_ or {}
        self._resources = resources or {}
        self._depth = 0
        self._found: dict[tuple[str, ...], Any] = {}
        """Each name is looked up once, or a few lines that mention each other twice would take for ever."""

    def value(self, expression: Expression) -> Any:
        """The value as far as it is known here."""
        if self._depth >= _DEEPEST:
            return UNKNOWN
        self._depth += 1
        try:
            return value(expression, self._lookup)
        finally:
            self._depth -= 1

    def attribute(self, block: Block, name: str) -> Any:
        """The value of one attribute, or of the nested blocks of that name; None where there is neither."""
        found = block.body.attributes.get(name)
        if found is not None:
            return self.value(found.expression)
        nested = [self._whole(each) for each in block.body.of_type(name)]
        return nested or None

    def _whole(self, block: Block) -> dict[str, Any]:
        return {name: self.value(each.expression) for name, each in block.body.attributes.items()}

    def _lookup(self, reference: Reference) -> Any:
        steps = reference.steps
        if steps[0] == "var":
            return _below(self._variables, steps[1:])
        wanted = steps[:2] if steps[0] == "local" else steps[:_RESOURCE_STEPS]
        if wanted not in self._found:
            # Unknown while it is looked for: what is defined by itself has no value.
            self._found[wanted] = UNKNOWN
            self._found[wanted] = self._of_local(wanted) if steps[0] == "local" else self._of_resource(wanted)
        return _below(self._found[wanted], steps[len(wanted) :])

    def _of_local(self, steps: tuple[str, ...]) -> Any:
        found = self._locals.get(steps[-1])
        return self.value(found.expression) if found else UNKNOWN

    def _of_resource(self, steps: tuple[str, ...]) -> Any:
        if len(steps) != _RESOURCE_STEPS:
            return UNKNOWN
        type_, name, field = steps
        block = self._resources.get((type_, name))
        if block is None or "count" in block.body.attributes or "for_each" in block.body.attributes:
            return UNKNOWN
        found = self.attribute(block, field)
        rule = rule_of_type(type_)
        if found is None and field == "id" and rule and rule.external_name and len(rule.names) == 1:
            found = self.attribute(block, rule.names[0])
        return UNKNOWN if found is None else found


def _below(found: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        found = found.get(step, UNKNOWN) if isinstance(found, Mapping) else UNKNOWN
    return found
