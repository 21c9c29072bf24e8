"""Chance. Seeded surroundings give the same answers again."""

import base64
import string
from collections.abc import Callable, Mapping
from typing import Final

from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.sprig.surroundings import Surroundings
from plumbline.gotemplate.values import Failed, Function, Int, Value, function

_ASCII: Final = "".join(map(chr, range(32, 127)))


def functions(surroundings: Surroundings) -> Mapping[str, Function]:
    ids = surroundings.ids

    def below(most: int) -> int:
        return min(int(ids.between(0, most)), most - 1)

    def drawn(letters: str) -> Callable[..., Value]:
        @budgeted
        def text(budget: Budget, count: int) -> str:
            budget.hold(max(count, 0))
            return "".join(letters[below(len(letters))] for _ in range(count))

        return text

    @budgeted
    def raw(budget: Budget, count: int) -> str:
        budget.hold(max(count, 0))
        return base64.b64encode(bytes(below(256) for _ in range(count))).decode()

    def number(least: int, most: int) -> Int:
        if most <= least:
            raise Failed("invalid argument to Intn")
        return Int(least + below(most - least))

    return {
        "randAlpha": function("int", drawn(string.ascii_letters)),
        "randAlphaNum": function("int", drawn(string.ascii_letters + string.digits)),
        "randAscii": function("int", drawn(_ASCII)),
        "randBytes": function("int", raw),
        "randInt": function("int int", number),
        "randNumeric": function("int", drawn(string.digits)),
        "shuffle": function("string", lambda text: _shuffled(text, below)),
        "uuidv4": function("", ids.uid),
    }


def _shuffled(text: str, below: Callable[[int], int]) -> str:
    chars = list(text)
    for at in range(len(chars) - 1, 0, -1):
        other = below(at + 1)
        chars[at], chars[other] = chars[other], chars[at]
    return "".join(chars)
