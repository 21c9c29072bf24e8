"""In which fields Git and the cluster may differ: the application's own rules, the installation's, and the stock ones."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from plumbline.base.glob import glob_matches
from plumbline.base.json import encode
from plumbline.delivery.compare.marks import SYNC_OPTIONS, option
from plumbline.kinds.application import ResourceIgnoreDifferences
from plumbline.kube.names import GroupKind, Ref
from plumbline.ownership.learn.tracking import Tracking

MANAGER: Final = "argocd-controller"
"""The field manager that objects are applied as: upstream's, so that a takeover in either direction keeps ownership."""

_EVERYTHING: Final = "*"
_CRD: Final = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_ROLLOUT: Final = GroupKind("argoproj.io", "Rollout")
_VERSION_BYTES: Final = 16


class KnownTypeField(msgspec.Struct, frozen=True):
    """A field of a custom kind that has a built-in type, such as `spec.template.spec` and `core/v1/PodSpec`."""

    field: str
    type: str


class Override(msgspec.Struct, frozen=True, kw_only=True):
    """What the settings say about all objects of a kind."""

    json_pointers: tuple[str, ...] = ()
    jq_path_expressions: tuple[str, ...] = ()
    managed_fields_managers: tuple[str, ...] = ()
    known_type_fields: tuple[KnownTypeField, ...] = ()


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """`resource.compareoptions`, and which annotations hold what nobody may read."""

    ignore_aggregated_roles: bool = False
    ignore_status: Literal["all", "crd", "none"] = "all"
    sensitive_annotations: frozenset[str] = frozenset()


class Applying(NamedTuple):
    """What holds for one object."""

    pointers: tuple[tuple[str, ...], ...] = ()
    expressions: tuple[str, ...] = ()
    managers: frozenset[str] = frozenset()
    known: tuple[KnownTypeField, ...] = ()


_PODS: Final = (KnownTypeField("spec.template.spec", "core/v1/PodSpec"),)
_DEFAULT_OPTIONS: Final = Options()
_DEFAULT_TRACKING: Final = Tracking()


class Rules:
    """All rules for the objects of one application. Applications with equal rules have rules of equal `version`.

    The keys of *overrides* are upstream's: `group/Kind`, or `Kind` alone for the core group; both parts are patterns.
    """

    def __init__(
        self,
        ignored: Sequence[ResourceIgnoreDifferences] = (),
        overrides: Mapping[str, Override] | None = None,
        options: Options = _DEFAULT_OPTIONS,
        tracking: Tracking = _DEFAULT_TRACKING,
        *,
        validating: bool = True,
    ) -> None:
        """Without *validating*, fields that no schema declares are let through where an object does not say otherwise."""
        self.options = options
        self.tracking = tracking
        self._validating = validating
        self._overrides = dict(overrides or {})
        self._ignored = (*ignored, *_of_settings(self._overrides), *_stock(options))
        self._by_kind: dict[GroupKind, Applying | tuple[ResourceIgnoreDifferences, ...]] = {}
        self.version = self._digest(ignored)

    def applying(self, ref: Ref) -> Applying:
        """The rules for *ref*: one look-up where none of them asks for a name."""
        kind = GroupKind(ref.group, ref.kind)
        found = self._by_kind.get(kind)
        if found is None:
            found = self._by_kind[kind] = self._of_kind(kind)
        if isinstance(found, Applying):
            return found
        named = [each for each in found if each.name in {"", ref.name} and each.namespace in {"", ref.namespace}]
        return self._folded(kind, named)

    def validates(self, annotations: Mapping[str, str]) -> bool:
        """Whether an object with *annotations* must have no fields that its schema does not declare."""
        said = option(annotations, SYNC_OPTIONS, "Validate")
        return self._validating if said is None else said != "false"

    def _of_kind(self, kind: GroupKind) -> Applying | tuple[ResourceIgnoreDifferences, ...]:
        matching = tuple(
            each
            for each in self._ignored
            if glob_matches(each.group, kind.group) and glob_matches(each.kind, kind.kind)
        )
        if any(each.name or each.namespace for each in matching):
            return matching
        return self._folded(kind, matching)

    def _folded(self, kind: GroupKind, matching: Iterable[ResourceIgnoreDifferences]) -> Applying:
        pointers: dict[tuple[str, ...], None] = {}
        expressions: dict[str, None] = {}
        managers: set[str] = set()
        for each in matching:
            pointers.update(dict.fromkeys(filter(None, map(pointer, each.json_pointers))))
            expressions.update(dict.fromkeys(each.jq_path_expressions))
            managers.update(each.managed_fields_managers)
        return Applying(tuple(pointers), tuple(expressions), frozenset(managers), self._known(kind))

    def _known(self, kind: GroupKind) -> tuple[KnownTypeField, ...]:
        override = self._overrides.get(f"{kind.group}/{kind.kind}") or self._overrides.get(kind.kind if not kind.group else "")  # fmt: skip
        known = override.known_type_fields if override is not None else ()
        return known or (_PODS if kind == _ROLLOUT else ())

    def _digest(self, ignored: Sequence[ResourceIgnoreDifferences]) -> bytes:
        options = (sorted(self.options.sensitive_annotations), self.options.ignore_aggregated_roles, self.options.ignore_status)  # fmt: skip
        said = encode((list(ignored), sorted(self._overrides.items()), options, self.tracking, self._validating))
        return hashlib.blake2b(said, digest_size=_VERSION_BYTES).digest()


def pointer(text: str) -> tuple[str, ...]:
    """The steps of a JSON pointer; none where it points nowhere. As upstream, what is before the first / is dropped."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])


def _of_settings(overrides: Mapping[str, Override]) -> list[ResourceIgnoreDifferences]:
    found = []
    for key, override in overrides.items():
        group, _, kind = key.rpartition("/")
        if "/" in group:
            continue  # no kind is called so
        # Managers of the settings are trusted for exactly the kinds that are written out, or for all.
        plain = not set(group + kind) & set("*?[]{}\\") or (group, kind) == (_EVERYTHING, _EVERYTHING)
        found.append(
            ResourceIgnoreDifferences(
                group=group,
                kind=kind,
                json_pointers=override.json_pointers,
                jq_path_expressions=override.jq_path_expressions,
                managed_fields_managers=override.managed_fields_managers if plain else (),
            )
        )
    return found


def _stock(options: Options) -> tuple[ResourceIgnoreDifferences, ...]:
    if options.ignore_status == "none":
        return ()
    kind = _CRD if options.ignore_status == "crd" else GroupKind(_EVERYTHING, _EVERYTHING)
    return (ResourceIgnoreDifferences(group=kind.group, kind=kind.kind, json_pointers=("/status",)),)
