"""`.terraform.lock.hcl`: which providers were chosen, and which hashes of them are trusted."""

from collections.abc import Iterable
from typing import NamedTuple

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.ownership.hcl import read_hcl
from plumbline.ownership.hcl.scope import Scope
from plumbline.terraform.tool.places import quoted


class Chosen(NamedTuple):
    """One provider of a lock file."""

    address: str
    """host/namespace/type."""
    version: str
    constraints: str
    hashes: tuple[str, ...]


def read(content: bytes) -> tuple[Chosen, ...]:
    """What *content* locks; nothing where it cannot be read, which the tool says better."""
    try:
        body = read_hcl(content.decode(errors="replace"), ".terraform.lock.hcl")
    except (BadDocument, LimitExceeded):
        return ()
    scope, chosen = Scope(), []
    for block in body.of_type("provider"):
        version, constraints = scope.attribute(block, "version"), scope.attribute(block, "constraints")
        hashes = scope.attribute(block, "hashes")
        if block.labels and isinstance(version, str):
            said = tuple(each for each in hashes if isinstance(each, str)) if isinstance(hashes, list) else ()
            chosen.append(Chosen(block.labels[0], version, constraints if isinstance(constraints, str) else "", said))
    return tuple(chosen)


def spelled(chosen: Iterable[Chosen]) -> bytes:
    """A lock file with *chosen*, as the tool writes it."""
    blocks = []
    for each in sorted(chosen):
        constraints = f"  constraints = {quoted(each.constraints)}\n" if each.constraints else ""
        hashes = "".join(f"    {quoted(value)},\n" for value in sorted(each.hashes))
        blocks.append(
            f"provider {quoted(each.address)} {{\n  version = {quoted(each.version)}\n{constraints}"
            f"  hashes = [\n{hashes}  ]\n}}\n"
        )
    return "\n".join(blocks).encode()
