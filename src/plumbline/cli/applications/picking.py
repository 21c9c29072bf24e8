"""Some objects of an application, as `--resource` names them: [!]GROUP:KIND:[NAMESPACE/]NAME. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject

_ANY: Final = "*"
_FIELDS: Final = 3
_HINT: Final = "Write GROUP:KIND:NAME or GROUP:KIND:NAMESPACE/NAME, such as apps:Deployment:web or :Service:web."


class Picked(NamedTuple):
    """One rule: what it picks, or, with a `!` before it, what it leaves out. `*` stands for anything."""

    group: str
    kind: str
    namespace: str
    name: str
    excluded: bool = False

    @classmethod
    def parse(cls, text: str) -> "Picked":
        bare = text.removeprefix("!")
        fields = bare.split(":")
        if len(fields) != _FIELDS:
            raise InvalidInput(f"{text!r} names no resource", why="it should have GROUP:KIND:NAME", hint=_HINT)
        namespace, slash, name = fields[2].rpartition("/")
        if "/" in namespace or (slash and not namespace):
            raise InvalidInput(f"{text!r} names no resource", why="it has more than one slash", hint=_HINT)
        return cls(fields[0], fields[1], namespace, name, bare != text)

    def fits(self, group: str, kind: str, namespace: str, name: str) -> bool:
        return (
            self.group in {_ANY, group}
            and self.kind in {_ANY, kind}
            and self.name in {_ANY, name}
            and self.namespace in {_ANY, "", namespace}
        )


def picked(texts: Iterable[str]) -> tuple[Picked, ...]:
    return tuple(Picked.parse(text) for text in texts)


def includes(rules: Sequence[Picked], resource: JsonObject) -> bool:
    """Whether *rules* mean *resource*: any that picks it, or none that picks at all, and none that leaves it out."""
    place = tuple(str(resource.get(part) or "") for part in ("group", "kind", "namespace", "name"))
    picking = [rule for rule in rules if not rule.excluded]
    if picking and not any(rule.fits(*place) for rule in picking):
        return False
    return not any(rule.excluded and rule.fits(*place) for rule in rules)


def resources_of(app: JsonObject, rules: Sequence[Picked]) -> list[JsonObject]:
    """Those of the application that *rules* mean, as an operation names them."""
    return [
        {part: each[part] for part in ("group", "kind", "namespace", "name") if each.get(part)}
        for each in (app.get("status") or {}).get("resources") or []
        if includes(rules, each)
    ]
