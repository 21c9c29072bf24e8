"""From an annotation to values: permitted, there, of their types, and with a version that changes when they do."""

import hashlib
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from plumbline.base.errors import InvalidInput, Unresolved
from plumbline.base.json import JsonObject, encode
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.valuesfrom.contents import contents, holder_of, leaves, merged, selected, typed
from plumbline.delivery.valuesfrom.permission import Terms, check, check_holder
from plumbline.delivery.valuesfrom.references import VALUES_FROM, Place, Reference, references
from plumbline.kernel.cache import Cached, Key
from plumbline.render.values import Values

__all__ = ["Terms", "ValueSources"]

_LONGEST: Final = 1000
_KINDS: Final = {
    "configmap": ("", "ConfigMap"),
    "secret": ("", "Secret"),
    "terraform": ("infra.contrib.fluxcd.io", "Terraform"),
}


class Holders(Protocol):
    """The objects that values are in."""

    async def found(self, user: Key, place: Place, reference: Reference) -> Cached | None:
        """The object at *place*, of which *user* takes what *reference* says; None where there is none."""

    async def maker(self, place: Place) -> str:
        """Who says that it makes the object; empty where nobody is known."""

    def keep(self, user: Key, uses: Mapping[Place, frozenset[Reference]]) -> None:
        """This is what *user* uses, and nothing else."""


class _Known(NamedTuple):
    """What was last seen, and since which version of the object it has been so."""

    taken: Mapping[str, Plaintext]
    version: str


class _Taken(NamedTuple):
    values: JsonObject
    version: str
    secret: bool


class ValueSources:
    def __init__(self, holders: Holders) -> None:
        self._holders = holders
        self._using: set[Key] = set()
        self._known: dict[Key, dict[tuple[Reference, Place], _Known]] = {}

    def forget(self, user: Key) -> None:
        """It is gone, or takes no values any more."""
        if user in self._using:
            self._using.discard(user)
            self._known.pop(user, None)
            self._holders.keep(user, {})

    async def values(self, user: Key, annotations: Mapping[str, str], terms: Terms) -> Values | None:
        """What *user* asks for; None where it asks for nothing.

        Raises InvalidInput, Forbidden, and Unresolved where something is not there yet: whoever asks is woken when it is.
        """
        text = annotations.get(VALUES_FROM)
        if text is None:
            self.forget(user)
            return None
        look = _Look(user, terms, self._holders, self._known.setdefault(user, {}))
        try:
            asked = references(text, terms.namespace)
            for each in asked:
                check(each.place, terms)
            found = [await look.taken(each) for each in asked]
        finally:
            self._using.add(user)
            self._holders.keep(user, look.uses)  # and nothing that it used before, or may no longer use
        if look.missing:
            raise _waiting(look.missing)
        self._known[user] = {use: known for use, known in self._known[user].items() if use[0] in asked}
        return _joined(asked, found)


class _Look:
    """One look at everything that is asked for, so that everything that is missing is said at once."""

    def __init__(self, user: Key, terms: Terms, holders: Holders, known: dict[tuple[Reference, Place], _Known]) -> None:
        self.uses: dict[Place, frozenset[Reference]] = {}
        self.missing: list[Unresolved] = []
        self._user = user
        self._terms = terms
        self._holders = holders
        self._known = known

    async def taken(self, reference: Reference) -> _Taken | None:
        """The values; None where they are missing, which is noted unless they may be."""
        try:
            return await self._taken(reference)
        except Unresolved as lacking:
            if not reference.optional:
                self.missing.append(lacking)
            return None

    async def _taken(self, reference: Reference) -> _Taken:
        place, writer = reference.place, None
        if place.kind == "terraform":
            writer = await self._found(place, reference)
            if writer is None:
                raise _lacking(place, "is not there")
            holder = holder_of(writer.object(), place)
            check_holder(place, holder, self._terms)
        else:
            holder = place
        entry = await self._found(holder, reference)
        if entry is None:
            raise _lacking(holder, await self._made_by(holder, writer))
        if writer is not None and all(each.uid != writer.meta.uid for each in entry.meta.owner_references):
            raise InvalidInput(
                f"Values are not taken from {holder}",
                why=f"it is not what {place} has written",
                hint=f"Look at the conditions of {place}.",
            )
        taken, absent = selected(reference, contents(entry.object(), holder))
        if absent and not reference.optional:
            raise _lacking(holder, f"has no {', '.join(absent)}")
        version = self._version(reference, holder, taken, entry)
        return _Taken(typed(reference, taken, holder), version, holder.kind == "secret")

    async def _found(self, place: Place, reference: Reference) -> Cached | None:
        self.uses[place] = self.uses.get(place, frozenset()) | {reference}
        return await self._holders.found(self._user, place, reference)

    async def _made_by(self, holder: Place, writer: Cached | None) -> str:
        if writer is not None:
            return f"is not there until Terraform {writer.meta.namespace}/{writer.meta.name} has been applied"
        maker = await self._holders.maker(holder)
        return (
            f"is not there until {maker} has been applied"
            if maker
            else "is not there, and no Terraform object writes it"
        )

    def _version(self, reference: Reference, holder: Place, taken: Mapping[str, Plaintext], entry: Cached) -> str:
        """The version of the object since which *taken* has been as it is: other keys and annotations of it come and go."""
        known = self._known.get((reference, holder))
        if known is None or known.taken != taken:
            version = f"{holder.path}@{entry.meta.uid}/{entry.meta.resource_version}"
            known = self._known[reference, holder] = _Known(taken, version)
        return known.version


def _joined(asked: tuple[Reference, ...], found: list[_Taken | None]) -> Values:
    tree: JsonObject = {}
    secrets: list[Plaintext] = []
    versions: list[str] = []
    for reference, taken in zip(asked, found, strict=True):
        if taken is None:
            continue
        tree = merged(tree, reference.into, taken.values)
        keys = ",".join(f"{key}:{name}" for key, name in reference.keys)
        versions.append(" ".join(filter(None, (taken.version, ".".join(reference.into), keys))))
        if taken.secret:
            secrets += leaves(taken.values)
    return Values(Plaintext(encode(tree)), _short("; ".join(versions) or "none"), tuple(secrets))


def _short(versions: str) -> str:
    """It is written down with each sync, and shown. There is nothing in it but names, so a plain hash tells nothing."""
    return versions if len(versions) <= _LONGEST else hashlib.sha256(versions.encode()).hexdigest()


def _lacking(place: Place, why: str) -> Unresolved:
    return Unresolved(f"{place} {why}", sought=(*_KINDS[place.kind], place.namespace, place.name))


def _waiting(missing: list[Unresolved]) -> Unresolved:
    told = "; ".join(dict.fromkeys(each.what for each in missing))
    return Unresolved("Waiting for values", why=told, sought=missing[0].sought)
