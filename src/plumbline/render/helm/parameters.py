"""Single values on Helm's command line."""

from collections.abc import Iterable
from typing import NamedTuple

from plumbline.kinds.application import HelmParameter
from plumbline.render.environment import Environment


class Parameters(NamedTuple):
    plain: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    """Those that stay text whatever they look like."""


def parameters(given: Iterable[HelmParameter], variables: Environment) -> Parameters:
    """*given* as `--set` and `--set-string` want them, variables replaced; of two with one name the last."""
    plain: dict[str, str] = {}
    texts: dict[str, str] = {}
    for each in given:
        (texts if each.force_string else plain)[each.name] = variables.substituted(each.value)
    return Parameters(_assigned(plain), _assigned(texts))


def _assigned(values: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{name}={escaped(value)}" for name, value in values.items())


def escaped(value: str) -> str:
    """*value* with its commas escaped, so that it stays one value. A list in braces and a comma escaped by hand stay."""
    if value.startswith("{") and value.endswith("}"):
        return value
    out = []
    before = ""
    for character in value:
        out.append("\\," if character == "," and before != "\\" else character)
        before = character
    return "".join(out)
