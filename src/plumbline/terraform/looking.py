"""What one look at a Terraform object gathers, step by step."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from plumbline.base.errors import PlumblineError
from plumbline.kernel.cache import Key
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Stop, Wait
from plumbline.kernel.reconciler import Run
from plumbline.kinds.flux.terraform import TerraformSpec, TerraformStatus
from plumbline.terraform.decision import Decision
from plumbline.terraform.inputs import Gathered
from plumbline.terraform.pending import Pending
from plumbline.terraform.runs import Going, Report
from plumbline.terraform.sources.values import Sourced
from plumbline.terraform.state import Place

Look: TypeAlias = Run[TerraformSpec, TerraformStatus]

PROGRESSING: Final = "Progressing"


class At(NamedTuple):
    """How far a look has come."""

    going: Going | None = None
    report: Report | None = None
    sourced: Sourced | None = None
    gathered: Gathered | None = None
    place: Place | None = None
    """Where the state is, if it is in Secrets."""
    pending: Pending | None = None
    decision: Decision | None = None
    notes: Mapping[str, Any] = MappingProxyType({})
    """Fields of the status that are other than before."""
    conditions: tuple[Condition, ...] = ()
    reason: str = ""
    """Why it is ready, once it is."""
    message: str = ""
    quiet: bool = False
    """Something is under way that changes nothing that anybody should be told."""
    trouble: Stop | None = None
    """How the look ends, once what is known is noted."""

    def noted(self, **fields: Any) -> "At":
        return self._replace(notes={**self.notes, **fields})

    def said(self, *conditions: Condition) -> "At":
        types = {each.type for each in conditions}
        return self._replace(conditions=(*(each for each in self.conditions if each.type not in types), *conditions))


def key_of(run: Look) -> Key:
    metadata = run.object["metadata"]
    return metadata["namespace"], metadata["name"]


def failed(run: Look, reason: str, error: PlumblineError) -> Wait:
    """Tried again as the object says: failures of runs have other causes than those of a network."""
    hint = f" {error.hint}" if error.hint else ""
    return Wait(reason, f"{error}.{hint}" if hint else str(error), retry_s(run))


def retry_s(run: Look) -> float:
    spec = run.spec
    if spec.retry_strategy == "StaticInterval":
        return spec.retry_interval.seconds
    doublings = min(run.read.status.reconciliation_failures, 32)
    return min(spec.retry_interval.seconds * 2**doublings, spec.max_retry_interval.seconds)
