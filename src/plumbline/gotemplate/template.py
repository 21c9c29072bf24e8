"""A template that was read once and can be executed often."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import LimitExceeded
from plumbline.base.limits import MIB
from plumbline.gotemplate.bounds import Bounds
from plumbline.gotemplate.builtins import BUILTINS
from plumbline.gotemplate.execution import execute
from plumbline.gotemplate.frames import MissingKey, Source
from plumbline.gotemplate.lexing import DELIMITERS
from plumbline.gotemplate.parsing import parse
from plumbline.gotemplate.values import Function, Value

_LONGEST: Final = 1 * MIB


class Template:
    def __init__(
        self,
        name: str,
        text: str,
        functions: Mapping[str, Function] | None = None,
        *,
        missing_key: MissingKey = "default",
        delimiters: tuple[str, str] = DELIMITERS,
    ) -> None:
        """Raises BadExpression with Go's words for what cannot be read, LimitExceeded for what is too long."""
        if len(text) > _LONGEST:
            raise LimitExceeded(f"the template {name} is longer than {_LONGEST // MIB} MiB")
        known = {**BUILTINS, **(functions or {})}
        self._source = Source(name, text, parse(name, text, known, delimiters), known, missing_key)

    def execute(self, value: Value, bounds: Bounds | None = None) -> str:
        """What it prints for *value*. Raises EvaluationFailed with Go's words, or LimitExceeded.

        As in Go, `set`, `unset` and `merge` change the very maps that they are given: hand in a copy of what others use.
        """
        return execute(self._source, self._source.name, value, bounds or Bounds())
