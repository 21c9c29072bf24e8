"""A look at a PushSecret, from top to bottom."""

from typing import Any, Final

from plumbline.base.clock import rfc3339
from plumbline.kernel.outcomes import Done
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Seen
from plumbline.kinds.externalsecrets import PUSH_SECRET
from plumbline.kinds.externalsecrets.pushsecret import PushSecretSpec, PushSecretStatus
from plumbline.secrets.external import status
from plumbline.secrets.external.looking import version_of
from plumbline.secrets.external.status import Told
from plumbline.secrets.push.delivering import Delivering
from plumbline.secrets.push.looking import FINALIZER, FOREIGN, REASON, Around, At
from plumbline.secrets.push.sourcing import Sourcing

_SYNCED: Final = "PushSecret synced successfully"
_KEPT: Final = ". Existing secrets in providers unchanged."


class PushSecretReconciler(Reconciler[PushSecretSpec, PushSecretStatus]):
    name = "pushsecret"
    kind = PUSH_SECRET
    finalizer = FINALIZER
    holds_itself = True

    def __init__(self, around: Around) -> None:
        sourcing, delivering = Sourcing(around), Delivering(around)
        self.steps = (
            sourcing.acceptable,
            delivering.held,
            sourcing.due,
            sourcing.sourced,
            sourcing.reached,
            delivering.pushed,
            delivering.settled,
        )
        self.teardown = (delivering.withdrawn,)

    def change(self, seen: Seen[PushSecretSpec, PushSecretStatus], executed: Executed, now: str) -> Change:
        outcome = executed.reported.outcome
        if outcome == FOREIGN:
            return Change({})
        if not isinstance(outcome, Done):
            after, new = status.changed(seen.object, Told("False", REASON, outcome.message), {}, now)
            return status.written(seen.object, after, *((Event(REASON, outcome.message, warning=True),) if new else ()))
        at = executed.state
        if seen.run is None or not isinstance(at, At) or at.synced is None:
            return Change({})
        message = _SYNCED + (_KEPT if seen.run.spec.update_policy == "IfNotExists" else "")
        fields: dict[str, Any] = {
            "refreshTime": rfc3339(at.began),
            "syncedResourceVersion": version_of(seen.object),
            "syncedPushSecrets": at.synced,
        }
        after, new = status.changed(seen.object, Told("True", "Synced", message), fields, now)
        return status.written(seen.object, after, *((Event("Synced", message),) if new else ()))
