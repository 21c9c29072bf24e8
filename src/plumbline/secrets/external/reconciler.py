"""A look at an ExternalSecret, from top to bottom."""

from plumbline.base.clock import rfc3339
from plumbline.kernel.outcomes import Done
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Seen
from plumbline.kinds.externalsecrets import EXTERNAL_SECRET
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretSpec, ExternalSecretStatus
from plumbline.secrets.external import status
from plumbline.secrets.external.around import Around
from plumbline.secrets.external.failing import REASON
from plumbline.secrets.external.gathering import Gathering
from plumbline.secrets.external.looking import FOREIGN, At, version_of
from plumbline.secrets.external.making import SecretMaking
from plumbline.secrets.external.preparing import Preparing
from plumbline.secrets.external.status import Told


class ExternalSecretReconciler(Reconciler[ExternalSecretSpec, ExternalSecretStatus]):
    name = "externalsecret"
    kind = EXTERNAL_SECRET
    finalizer = "externalsecrets.external-secrets.io/externalsecret-cleanup"
    holds_itself = True
    """Upstream puts it on everything. Here nobody does, and what is deleted is gone at once; but whoever moves over has it,
    and somebody has to take it off."""

    def __init__(self, around: Around) -> None:
        preparing, gathering, making = Preparing(around), Gathering(around), SecretMaking(around)
        wanted = (preparing.unless_foreign, preparing.acceptable, preparing.due, preparing.usable)
        self.steps = (
            *wanted,
            gathering.fetched,
            gathering.gathered,
            making.planned,
            making.carried_out,
            making.tidied,
            making.settled,
        )
        self.teardown = (preparing.unless_foreign, making.let_go)

    def change(self, seen: Seen[ExternalSecretSpec, ExternalSecretStatus], executed: Executed, now: str) -> Change:
        outcome = executed.reported.outcome
        if outcome == FOREIGN:
            return Change({})
        if not isinstance(outcome, Done):
            after, new = status.changed(seen.object, Told("False", REASON, outcome.message), {}, now)
            return status.written(
                seen.object, after, *((Event("UpdateFailed", outcome.message, warning=True),) if new else ())
            )
        at = executed.state
        if seen.run is None or not isinstance(at, At) or at.told is None or at.began is None:
            return Change({})
        fields = {
            "refreshTime": rfc3339(at.began),
            "syncedResourceVersion": version_of(seen.object),
            "binding": {"name": seen.run.spec.target.name or seen.object["metadata"]["name"]},
        }
        after, _ = status.changed(seen.object, at.told, fields, now)
        return status.written(seen.object, after)
