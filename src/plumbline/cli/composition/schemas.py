"""Schemas by kind: of CRDs and definitions that were given, of our own kinds, and of every managed kind that we know."""

from collections.abc import Iterable
from functools import cached_property
from typing import Final, cast

from plumbline.apiserver.crds.definition import Definition, Served
from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput, UnknownKind
from plumbline.base.json import JsonObject
from plumbline.composition.definitions.crds import crds
from plumbline.kinds.catalogue import KINDS
from plumbline.kinds.crd import crd_manifest
from plumbline.kube.client import Client
from plumbline.kube.names import GroupKind, GroupVersionKind
from plumbline.managed.kinds import Catalogue, ProviderKind
from plumbline.managed.manifests import config_crd, config_kinds, managed_crd

CRD: Final = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
XRD: Final = GroupKind("apiextensions.crossplane.io", "CompositeResourceDefinition")


class Schemas:
    """Each is compiled when it is first asked for. What was given wins over what we know."""

    def __init__(self, extensions: Iterable[JsonObject]) -> None:
        """Raises InvalidInput for a definition that cannot be used."""
        self._given: dict[GroupKind, Definition] = {}
        for each in extensions:
            kind = GroupVersionKind.of(each).group_kind
            if kind == CRD:
                self._take(each)
            elif kind == XRD:
                for made in filter(None, _defined(each)):
                    self._take(made)
        self._known: dict[GroupKind, Definition | None] = {}

    def served(self, gvk: GroupVersionKind) -> Served | None:
        """The kind in that version, with its schema; None where nobody has one."""
        definition = self._given.get(gvk.group_kind) or self._ours(gvk.group_kind)
        if definition is None:
            return None
        try:
            found = definition.version(gvk.version)
        except UnknownKind:
            return None
        return found if found.schema is not None else None

    def _take(self, crd: JsonObject) -> None:
        spec = crd.get("spec")
        names = spec.get("names") if isinstance(spec, dict) else None
        if not isinstance(spec, dict) or not isinstance(names, dict):
            raise InvalidInput(f"the CRD {crd['metadata']['name']} cannot be used", why="spec.names is missing")
        kind = GroupKind(str(spec.get("group") or ""), str(names.get("kind") or ""))
        self._given[kind] = Definition(crd)

    def _ours(self, kind: GroupKind) -> Definition | None:
        if kind not in self._known:
            self._known[kind] = self._compiled(kind)
        return self._known[kind]

    def _compiled(self, kind: GroupKind) -> Definition | None:
        own = next((each for each in KINDS if (each.group, each.kind) == kind), None)
        if own is not None:
            return Definition(crd_manifest(own))
        managed = self._catalogue.get(kind)
        if managed is not None:
            return Definition(managed_crd(managed))
        return next((found for each in self._catalogue.providers for found in _configs(each, kind)), None)

    @cached_property
    def _catalogue(self) -> Catalogue:
        from plumbline.providers import aws, azure, gcp, kubernetes, sql  # noqa: PLC0415 - only where one is asked for

        clock = SystemClock()
        # Nothing is connected: only their schemas are looked at.
        nobody = cast("Client", None)
        return Catalogue(
            (
                *aws.kinds(aws.Clients()),
                *azure.kinds(azure.Connections(clock)),
                *gcp.kinds(gcp.Connections(clock)),
                *kubernetes.kinds(nobody),
                *sql.kinds(sql.Servers()),
            )
        )


def _configs(provider: ProviderKind, kind: GroupKind) -> list[Definition]:
    found = (*config_kinds(provider, namespaced=False), *config_kinds(provider, namespaced=True))
    return [Definition(config_crd(each)) for each in found if (each.group, each.kind) == kind]


def _defined(xrd: JsonObject) -> tuple[JsonObject, JsonObject | None]:
    try:
        return crds(xrd)
    except (KeyError, TypeError, AttributeError) as fault:
        name = xrd["metadata"]["name"]
        raise InvalidInput(f"cannot derive composite CRD from XRD {name}", why=f"it lacks {fault}") from fault
