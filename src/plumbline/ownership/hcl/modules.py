"""Folders of HCL as Terraform sees them: root modules, the local modules they call, and every resource in both."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from plumbline.base.errors import LimitExceeded
from plumbline.ownership.external import Described, Partial, rule_of_type
from plumbline.ownership.hcl.blocks import Attribute, Block, Body
from plumbline.ownership.hcl.expressions import UNKNOWN, Reference
from plumbline.ownership.hcl.providers import Place, Places
from plumbline.ownership.hcl.scope import Scope

_DEEPEST: Final = 16
_MOST_INSTANCES: Final = 5_000
"""Modules that call each other can multiply without end; nobody has that many by hand."""
_NEEDED: Final = ("arn", "location", "manifest", "metadata", "name", "namespace", "project", "region")
_LABELS: Final = 2


class Part(NamedTuple):
    """One file of a folder."""

    path: str
    body: Body

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.path)


class Declared(NamedTuple):
    """One resource block in one use of its module."""

    described: Described
    file: str
    line: int


class _Use(NamedTuple):
    """One use of a module: where, under which address, and with what."""

    folder: str
    prefix: str
    variables: Mapping[str, Any]
    places: Places
    imports: Mapping[str, Any]


class Modules:
    """All HCL of a checkout, by folder. Paths are relative to one root and have no `..`."""

    def __init__(self, parts: Sequence[Part], values: Sequence[Part] = ()) -> None:
        """*parts* are the files that declare something, *values* those that set variables."""
        self._parts: dict[str, list[Part]] = {}
        for part in sorted(parts, key=lambda each: each.path):
            self._parts.setdefault(part.folder, []).append(part)
        self._values: dict[str, list[Part]] = {}
        for part in sorted(values, key=lambda each: (not each.path.endswith("terraform.tfvars"), each.path)):
            self._values.setdefault(part.folder, []).append(part)
        self._uses = 0

    def __contains__(self, folder: object) -> bool:
        return folder in self._parts

    def roots(self) -> tuple[str, ...]:
        """Folders that no other folder here uses as a module; of a circle of them the first, which will be refused."""
        calls = {home: self._calls(home) for home in self._parts}
        called = {folder for home, folders in calls.items() for folder in folders if folder != home}
        found: list[str] = []
        reached: set[str] = set()
        for folder in sorted(self._parts, key=lambda each: (each in called, each)):
            if folder in called and folder in reached:
                continue
            found.append(folder)
            waiting = [folder]
            while waiting:
                at = waiting.pop()
                if at not in reached:
                    reached.add(at)
                    waiting += calls.get(at, ())
        return tuple(sorted(found))

    def _calls(self, home: str) -> list[str]:
        """Folders that the modules of *home* are in, as far as they are local."""
        folders = (_called(home, call) for part in self._parts[home] for call in part.body.of_type("module"))
        return [folder for folder in folders if folder is not None]

    def resources(self, root: str, given: Mapping[str, Any] | None = None) -> Iterator[Declared]:
        """Every resource of the root module and of the local modules below it; *given* are variables set from outside."""
        variables = {
            name: Scope().value(each.expression)
            for part in self._values.get(root, ())
            for name, each in part.body.attributes.items()
        }
        imports = self._imports(root)
        use = _Use(root, "", {**variables, **(given or {})}, Places(), imports)
        return self._within(use, 0)

    def _within(self, use: _Use, depth: int) -> Iterator[Declared]:
        self._uses += 1
        if depth > _DEEPEST or self._uses > _MOST_INSTANCES:
            raise LimitExceeded(
                f"The modules of {use.folder or 'the root folder'} go beyond what is read",
                why=f"they are used more than {_MOST_INSTANCES:,} times, or more than {_DEEPEST} levels deep",
            )
        parts = self._parts.get(use.folder, [])
        scope = _scope(parts, use.variables)
        places = use.places.with_blocks((block for part in parts for block in part.body.of_type("provider")), scope)
        for part in parts:
            for block in part.body.of_type("resource"):
                if len(block.labels) == _LABELS and scope.attribute(block, "count") != 0:
                    described = _described(block, scope, places, use)
                    yield Declared(described, part.path, block.line)
            for call in part.body.of_type("module"):
                folder = _called(use.folder, call)
                if folder in self._parts and call.labels and scope.attribute(call, "count") != 0:
                    inner = _Use(
                        folder,
                        f"{use.prefix}module.{call.labels[0]}.",
                        {name: scope.value(each.expression) for name, each in call.body.attributes.items()},
                        places.handed_to(call),
                        use.imports,
                    )
                    yield from self._within(inner, depth + 1)

    def _imports(self, root: str) -> dict[str, Any]:
        """Ids of things that the root module takes over, by the address that they will have."""
        parts = self._parts.get(root, [])
        scope = _scope(parts, {})
        found: dict[str, Any] = {}
        for part in parts:
            for block in part.body.of_type("import"):
                to = block.body.attributes.get("to")
                if to is not None and isinstance(to.expression, Reference):
                    found[".".join(to.expression.steps)] = scope.attribute(block, "id")
        return found


def _called(home: str, call: Block) -> str | None:
    """The folder of a local module; None for those that come from elsewhere."""
    attribute = call.body.attributes.get("source")
    source = Scope().value(attribute.expression) if attribute else None
    if not isinstance(source, str) or not source.startswith(("./", "../")):
        return None
    folder = posixpath.normpath(posixpath.join(home, source))
    return "" if folder == "." else folder


def _scope(parts: Sequence[Part], variables: Mapping[str, Any]) -> Scope:
    defaults: dict[str, Any] = {}
    locals_: dict[str, Attribute] = {}
    resources: dict[tuple[str, str], Block] = {}
    for part in parts:
        for block in part.body.blocks:
            if block.type == "variable" and block.labels:
                default = block.body.attributes.get("default")
                defaults[block.labels[0]] = Scope().value(default.expression) if default else UNKNOWN
            elif block.type == "locals":
                locals_.update(block.body.attributes)
            elif block.type == "resource" and len(block.labels) == _LABELS:
                resources[block.labels[0], block.labels[1]] = block
    return Scope({**defaults, **variables}, locals_, resources)


def _described(block: Block, scope: Scope, places: Places, use: _Use) -> Described:
    type_, name = block.labels
    rule = rule_of_type(type_)
    attributes = {}
    for field in (*_NEEDED, *(rule.names if rule else ())):
        found = scope.attribute(block, field)
        if found is not None:
            attributes[field] = found
    address = f"{use.prefix}{type_}.{name}"
    if many := "count" in block.body.attributes or "for_each" in block.body.attributes:
        attributes = {field: _of_many(found) for field, found in attributes.items()}
    place = places.of(block, type_) if not isinstance(attributes.get("region"), str) else Place()
    imported = "" if many else use.imports.get(address) or ""
    return Described(type_, address, attributes, imported, place.region, place.account)


def _of_many(found: Any) -> Any:
    """Of several from one block only a text that does not vary would name one of them, and then all would be the same."""
    return Partial(found) if isinstance(found, str) else found
