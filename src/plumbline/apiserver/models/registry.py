"""All resources that are served right now."""

from collections.abc import Iterable, Mapping

from plumbline.apiserver.models.model import Model
from plumbline.apiserver.resources.resource import Resource
from plumbline.kube.names import GroupKind


class Registry:
    """Built-in models for good, custom ones as CRDs come and go."""

    def __init__(self, builtin: Iterable[Model]) -> None:
        self._builtin = tuple(builtin)
        self._collections = frozenset(model.resource.collection for model in self._builtin)
        self._kinds = frozenset(model.resource.group_kind for model in self._builtin)
        self._custom: dict[str, tuple[Model, ...]] = {}
        self._models: Mapping[tuple[str, str, str], Model] = {}
        self._groups: frozenset[str] = frozenset()
        self.generation = 0
        """Grows with every change; what is derived from the registry is good for one generation."""
        self._rebuild()

    def offer(self, crd: str, models: Iterable[Model]) -> None:
        """Serve the resources of a CRD instead of those it had before; none takes them away."""
        offered = tuple(models)
        if offered:
            self._custom[crd] = offered
        elif self._custom.pop(crd, None) is None:
            return
        self._rebuild()

    def is_built_in(self, resource: Resource) -> bool:
        """Whether a collection or a kind of its name is served in any case."""
        return resource.collection in self._collections or resource.group_kind in self._kinds

    def find(self, group: str, version: str, plural: str) -> Model | None:
        return self._models.get((group, version, plural))

    def serves(self, group: str, version: str, plural: str, subresource: str = "") -> bool:
        model = self._models.get((group, version, plural))
        return model is not None and (not subresource or subresource in model.resource.subresources)

    def serves_group(self, group: str) -> bool:
        return group in self._groups

    @property
    def models(self) -> Iterable[Model]:
        """Built-in ones first, in the order in which discovery lists them."""
        return self._models.values()

    def of_kind(self, kind: GroupKind, version: str = "") -> Model | None:
        """The model of a kind, in the version given or in any."""
        found = self._by_kind.get(kind, ())
        return next((model for model in found if not version or model.resource.kind.version == version), None)

    def _rebuild(self) -> None:
        models = [*self._builtin, *(model for crd in sorted(self._custom) for model in self._custom[crd])]
        self._models = {(*model.resource.name,): model for model in models}
        self._groups = frozenset(group for group, _, _ in self._models)
        by_kind: dict[GroupKind, list[Model]] = {}
        for model in models:
            by_kind.setdefault(model.resource.group_kind, []).append(model)
        self._by_kind = by_kind
        self.generation += 1
