"""How AWS's names and those in manifests belong together: `multiAz` is `MultiAZ`, `rule` is `Rules`."""

import functools
import re
from typing import Final

from plumbline.providers.aws.models import Shape

_ACRONYM: Final = re.compile(r"([A-Z]+)([A-Z][a-z])")
_WORD: Final = re.compile(r"([a-z0-9])([A-Z])")


@functools.lru_cache(maxsize=8192)
def camel(member: str) -> str:
    """`DBInstanceClass` as manifests write it: `dbInstanceClass`."""
    words = _WORD.sub(r"\1_\2", _ACRONYM.sub(r"\1_\2", member)).split("_")
    return words[0].lower() + "".join(word.capitalize() for word in words[1:])


def block(shape: Shape) -> bool:
    """A list of structures, which manifests call by the name of one of them."""
    return bool(shape.type_name == "list" and shape.member.type_name == "structure")


def tag_list(shape: Shape) -> bool:
    """A list of keys with values, which manifests write as a map."""
    return block(shape) and set(shape.member.members) == {"Key", "Value"}


def field_name(member: str, shape: Shape) -> str:
    name = camel(member)
    return name.removesuffix("s") if block(shape) and not tag_list(shape) and not name.endswith("ss") else name


def member_name(field: str, shape: Shape) -> str | None:
    """The member of a structure that *field* means, whatever its capitals are."""
    lowered = {member.lower(): member for member in shape.members}
    wanted = field.lower()
    for candidate in (wanted, f"{wanted}s", wanted.removesuffix("s")):
        if candidate in lowered:
            return lowered[candidate]
    return None


def shape_at(shape: Shape, path: str) -> Shape | None:
    """The shape of a member, or of one below a member; None where there is none."""
    for member in path.split("."):
        if shape.type_name != "structure" or member not in shape.members:
            return None
        shape = shape.members[member]
    return shape
