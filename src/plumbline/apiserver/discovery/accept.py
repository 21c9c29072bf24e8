"""Accept headers, read as the API server reads them: malformed clauses are dropped, q=0 is merely last."""

from collections.abc import Mapping
from typing import NamedTuple


class Clause(NamedTuple):
    type: str
    subtype: str
    parameters: Mapping[str, str]
    weight: float = 1.0

    def takes(self, media_type: str) -> bool:
        kind, _, subtype = media_type.partition("/")
        return self.type in {kind, "*"} and self.subtype in {subtype, "*"}


ANYTHING = Clause("*", "*", {})


def clauses_of(header: str) -> list[Clause]:
    """The clauses of an Accept header, most wanted first; no header wants anything."""
    if not header:
        return [ANYTHING]
    found = [clause for part in header.split(",") if (clause := _clause(part))]
    return sorted(found, key=lambda each: (-each.weight, each.type == "*", each.subtype == "*"))


def _clause(part: str) -> Clause | None:
    media_type, *parameters = part.strip(" ").split(";")
    kind, slash, subtype = (piece.strip(" ") for piece in media_type.partition("/"))
    if not slash and kind == "*":
        subtype = "*"
    if not subtype or "/" in subtype:
        return None
    named = dict(_parameters(parameters))
    return Clause(kind, subtype, named, _weight(named.pop("q", "1")))


def _parameters(pieces: list[str]) -> list[tuple[str, str]]:
    pairs = (piece.split("=") for piece in pieces)
    return [(pair[0].strip(" "), pair[1].strip(" ")) for pair in pairs if len(pair) == 2]  # noqa: PLR2004 - name, value


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
