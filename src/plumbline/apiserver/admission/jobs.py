"""Whoever deletes a job and leaves its pods alone is told so."""

from typing import Final

from plumbline.apiserver.admission.plugin import Validating
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.resources.resource import Collection

_ORPHANING: Final = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or "
    "set propagationPolicy=Orphan to suppress this warning"
)


class OrphanedPods(Validating):
    name = "OrphanedPods"
    concerns = frozenset({Collection("batch", "jobs")})

    async def check(self, attributes: Attributes) -> None:
        options = attributes.options
        said = options.get("propagationPolicy") is not None or options.get("orphanDependents") is not None
        if attributes.operation is Operation.DELETE and not said and _ORPHANING not in attributes.scope.warnings:
            attributes.scope.warnings.append(_ORPHANING)
