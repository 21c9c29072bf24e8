"""What the files of one module say about what would run: read from their text, before anything does."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from plumbline.base.errors import PlumblineError
from plumbline.base.json import decode
from plumbline.ownership.hcl import Block, Body, read_hcl
from plumbline.ownership.hcl.expressions import Reference
from plumbline.ownership.hcl.scope import Scope

ENDINGS: Final = (".tf", ".tofu", ".tf.json", ".tofu.json")
_JSON: Final = (".tf.json", ".tofu.json")
_TYPED: Final = ("resource", "data", "ephemeral", "list", "action")
_LARGEST_BYTES: Final = 4 << 20
_DEEPEST: Final = 40


class Seen(NamedTuple):
    """Everything that counts here, of one file or of many."""

    required: Mapping[str, str] = {}
    """Sources of providers by the name that the module gives them."""
    used: frozenset[str] = frozenset()
    """Names of providers that resources, or blocks for providers, speak of."""
    modules: frozenset[str] = frozenset()
    """Sources of modules; one that only the tool can tell is the empty text."""
    external: tuple[str, ...] = ()
    """Where a data source runs a program: file and line."""
    provisioners: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """Files that only the tool can read, and so may hold anything."""

    def __or__(self, other: "Seen") -> "Seen":
        return Seen(
            {**self.required, **other.required},
            self.used | other.used,
            self.modules | other.modules,
            self.external + other.external,
            self.provisioners + other.provisioners,
            self.unread + other.unread,
        )


def is_code(name: str) -> bool:
    """Whether the tool reads a file of that name as part of a module."""
    return name.endswith(ENDINGS) and not name.startswith((".", "#")) and not name.endswith("~")


def read(name: str, content: bytes) -> Seen:
    """What one file says. Never raises: what cannot be read is named as such."""
    if len(content) > _LARGEST_BYTES:
        return Seen(unread=(name,))
    try:
        if name.endswith(_JSON):
            return _of_json(name, decode(content))
        return _of_body(name, read_hcl(content.decode(), name))
    except (PlumblineError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Seen(unread=(name,))


def _of_body(name: str, body: Body) -> Seen:
    seen = Seen()
    for block in body.blocks:
        seen |= _of_block(name, block)
    return seen


def _of_block(name: str, block: Block) -> Seen:
    place = f"{name}:{block.line}"
    match block.type:
        case "terraform":
            return Seen(required=dict(_required(block)))
        case "provider":
            return Seen(used=frozenset(block.labels[:1]))
        case "module":
            source = Scope().attribute(block, "source")
            return Seen(modules=frozenset({source if isinstance(source, str) else ""}))
        case "check":
            return _of_body(name, block.body)
        case type_ if type_ in _TYPED and block.labels:
            runs = (place,) if type_ == "data" and block.labels[0] == "external" else ()
            within = tuple(f"{name}:{each.line}" for each in block.body.of_type("provisioner"))
            return Seen(used=frozenset({_provider(block)}), external=runs, provisioners=within)
    return Seen()


def _provider(block: Block) -> str:
    chosen = block.body.attributes.get("provider")
    if chosen is not None and isinstance(chosen.expression, Reference):
        return chosen.expression.steps[0]
    return block.labels[0].partition("_")[0]


def _required(terraform: Block) -> Iterator[tuple[str, str]]:
    for block in terraform.body.of_type("required_providers"):
        for name, attribute in block.body.attributes.items():
            said = attribute.expression
            source = Scope().value(said.get("source")) if isinstance(said, dict) else None
            yield name, source if isinstance(source, str) else ""


def _of_json(name: str, document: Any) -> Seen:
    seen = Seen()
    for root in _each(document):
        for terraform in _each(root.get("terraform")):
            for named in _each(terraform.get("required_providers")):
                seen |= Seen(required={key: _source(value) for key, value in named.items()})
        for named in _each(root.get("provider")):
            seen |= Seen(used=frozenset(named))
        for named in _each(root.get("module")):
            for call in (call for value in named.values() for call in _each(value)):
                seen |= Seen(modules=frozenset({_source(call)}))
        for check in (each for named in _each(root.get("check")) for value in named.values() for each in _each(value)):
            seen |= _typed(name, check)
        seen |= _typed(name, root)
    return seen


def _typed(name: str, body: Mapping[str, Any]) -> Seen:
    seen = Seen()
    for kind in _TYPED:
        for types in _each(body.get(kind)):
            for type_, named in types.items():
                seen |= Seen(external=(name,) if kind == "data" and type_ == "external" else ())
                for resource in (one for each in _each(named) for value in each.values() for one in _each(value)):
                    provider = str(resource.get("provider") or type_.partition("_")[0]).partition(".")[0]
                    runs = (name,) if resource.get("provisioner") else ()
                    seen |= Seen(used=frozenset({provider}), provisioners=runs)
    return seen


def _source(value: Any) -> str:
    source = value.get("source") if isinstance(value, dict) else None
    return source if isinstance(source, str) else ""


def _each(value: Any) -> Iterator[dict[str, Any]]:
    """JSON allows a list of objects wherever it allows an object."""
    pending = [value]
    for _ in range(_DEEPEST * 1000):
        if not pending:
            return
        one = pending.pop(0)
        if isinstance(one, dict):
            yield one
        elif isinstance(one, list):
            pending[:0] = one
    raise RecursionError
