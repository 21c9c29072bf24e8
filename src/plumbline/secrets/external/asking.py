"""What an ExternalSecret asks of stores: each question once, however often its answer is used. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.externalsecret import (
    ExternalSecretItems,
    ExternalSecretSpec,
    Find,
    GeneratorRef,
    RemoteRef,
    SecretStoreRef,
)
from plumbline.secrets.stores.store import Remote, Search

Answer: TypeAlias = Plaintext | Mapping[str, Plaintext]
How: TypeAlias = Literal["value", "entries", "search", "generated"]

CALLS: Final[Mapping[How, str]] = {"value": "GetSecret", "entries": "GetSecretMap", "search": "GetAllSecrets"}
_NOBODY: Final = ("", "")


class StoreName(NamedTuple):
    """A store as an ExternalSecret names it: one of its own namespace, or of the cluster."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f'{self.kind} "{self.name}"'


class Question(NamedTuple):
    """Equal for questions that have one answer."""

    store: StoreName
    how: How
    remote: Remote = Remote("")
    path: str = ""
    name: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    generator: GeneratorRef | None = None
    """Asked instead of a store. Each entry asks for values of its own, which `path` tells apart."""

    @property
    def search(self) -> Search:
        return Search(self.path, self.name, dict(self.tags))


class Item(NamedTuple):
    """One entry of `dataFrom` or `data`."""

    place: str
    """Where in the spec it is, for people."""
    question: Question


def store_names(spec: ExternalSecretSpec) -> frozenset[StoreName]:
    """Every store that it uses, and the one that it names even if all entries name another."""
    named = {each.question.store for each in items(spec) if each.question.generator is None}
    if spec.secret_store_ref.name:
        named.add(_named(spec.secret_store_ref))
    return frozenset(named)


def items(spec: ExternalSecretSpec) -> tuple[Item, ...]:
    """All entries in the order in which they are merged: `dataFrom` first, then `data`."""
    return (*_data_from(spec), *_data(spec))


def _data_from(spec: ExternalSecretSpec) -> Iterator[Item]:
    for index, each in enumerate(spec.data_from):
        place = f"spec.dataFrom[{index}]"
        if each.extract is not None:
            yield Item(f"{place}.extract", Question(_source(spec, each), "entries", _remote(each.extract)))
        elif each.find is not None:
            yield Item(f"{place}.find", _searched(_source(spec, each), each.find))
        elif each.source_ref is not None and each.source_ref.generator_ref is not None:
            ref = each.source_ref.generator_ref
            yield Item(place, Question(StoreName(*_NOBODY), "generated", path=str(index), generator=ref))


def _data(spec: ExternalSecretSpec) -> Iterator[Item]:
    for index, each in enumerate(spec.data):
        place = f"spec.data[{index}] (key: {each.remote_ref.key})"
        ref = each.source_ref.store_ref if each.source_ref is not None else None
        question = Question(_named(ref or spec.secret_store_ref), "value", _remote(each.remote_ref))
        yield Item(place, question)


def _source(spec: ExternalSecretSpec, each: ExternalSecretItems) -> StoreName:
    ref = each.source_ref.store_ref if each.source_ref is not None else None
    return _named(ref or spec.secret_store_ref)


def _named(ref: SecretStoreRef) -> StoreName:
    return StoreName(ref.kind, ref.name)


def _remote(ref: RemoteRef) -> Remote:
    return Remote(ref.key, ref.property, ref.version, metadata=ref.metadata_policy == "Fetch")


def _searched(store: StoreName, find: Find) -> Question:
    name = find.name.regexp if find.name is not None else ""
    return Question(store, "search", path=find.path or "", name=name, tags=tuple(sorted(find.tags.items())))
