"""How a look ends that did not come to what it was for."""

from typing import Final

from plumbline.base.errors import PlumblineError, Throttled
from plumbline.kernel.outcomes import Stuck, Wait
from plumbline.secrets.external.around import Around
from plumbline.secrets.external.looking import Look, key_of

REASON: Final = "SecretSyncedError"

UNFETCHED: Final = "could not get secret data from provider"
UNWRITTEN: Final = "could not update secret"
UNDELETED: Final = "could not delete secret"
UNTIDIED: Final = "could not delete orphaned secrets"


def failed(around: Around, run: Look, what: str, error: PlumblineError) -> Wait:
    """Tried again soon, and then later and later; a change of the object or of its stores begins anew."""
    hint = f". {error.hint}" if error.hint else ""
    key = key_of(run)
    around.metrics.failed(key)
    at_least_s = error.after_s if isinstance(error, Throttled) else 0.0
    return Wait(REASON, f"{what}: {error}{hint}" if what else f"{error}{hint}", around.memory.retry_s(key, at_least_s))


def stuck(around: Around, run: Look, what: str, why: str) -> Stuck:
    """Not tried again before something changes: nothing else can help."""
    around.metrics.failed(key_of(run))
    return Stuck(REASON, f"{what}: {why}")
