"""Whether approvals are checked when they are made: the API server asks before it takes one, and has for how long."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import Conflict, PlumblineError
from plumbline.base.json import JsonObject
from plumbline.base.log import logger
from plumbline.gate.hands import Hands
from plumbline.gate.webhooks import Question, Reached, asks, found, told
from plumbline.kinds.terraform import PLAN_APPROVAL
from plumbline.kinds.timestamp import Time
from plumbline.kube.client import Client, Writing

QUESTION: Final = Question(
    name="plumbline-plan-approvals",
    hook="planapprovals.plumbline.dev",
    path="/validate-plan-approvals",
    rule={
        "apiGroups": [PLAN_APPROVAL.group],
        "apiVersions": ["*"],
        # Not DELETE: a namespace must be able to go while nobody is here to answer.
        "operations": ["CREATE", "UPDATE"],
        "resources": [PLAN_APPROVAL.plural],
        "scope": "Namespaced",
    },
    writing=Writing(field_manager="tf-controller"),
    why="Have approvals in the name of others refused",
)
NO_ADDRESS: Final = (
    "the API server does not know where to ask; name the Service that leads here with --admission-service"
)
OBSERVED: Final = "this installation only observes"
ALTERED: Final = f"the ValidatingWebhookConfiguration {QUESTION.name} asks something else"
EARLIER: Final = "it is older than the check"
_LOOK_S: Final = 60.0
"""How often the configuration of the API server is looked at: somebody may have removed it."""
_AGAIN_S: Final = 5.0
_HEARD: Final = timedelta(seconds=2)
"""An API server follows its configurations, and says nowhere how far it is."""

log = logger(__name__)


class Checks:
    """An approval that was made while the check was there is by whom it names; of any other nobody knows.

    Whoever may change the configuration of webhooks may impersonate everybody: nothing here is against them.
    """

    def __init__(self, client: Client, hands: Hands, clock: Clock, reached: Reached | None) -> None:
        self._client, self._hands, self._clock, self._reached = client, hands, clock, reached
        self._since: datetime | None = None
        self._unchecked = NO_ADDRESS
        self.changed: Callable[[], None] = lambda: None
        """Told when approvals count for more or less than before."""

    def doubt(self, approval: JsonObject) -> str:
        """Why it is not known who made it; empty where it is."""
        if self._since is None:
            return self._unchecked
        try:
            made = Time.read(approval["metadata"].get("creationTimestamp")).moment
        except ValueError:
            return EARLIER
        return "" if made > self._since + _HEARD else EARLIER

    async def run(self) -> None:
        while True:
            await self._clock.sleep(await self.look())

    async def look(self) -> float:
        """Have the API server ask; returns when to look again."""
        before, after_s = (self._since, self._unchecked), _LOOK_S
        try:
            await self.verify()
        except Conflict:
            return _AGAIN_S
        except PlumblineError as error:
            log.warning("webhook not configured", code=error.code, error=str(error))
            self._since, self._unchecked = None, f"the API server could not be told to ask: {error}"
            after_s = _AGAIN_S
        if (self._since, self._unchecked) != before:
            log.info("approvals not checked" if self._since is None else "approvals checked", why=self._unchecked)
            self.changed()
        return after_s

    async def verify(self) -> None:
        """Find out whether it is so now: what somebody says counts by what is true when it is counted."""
        state = await told(self._client, self._hands, QUESTION, self._reached)
        live = await found(self._client, QUESTION)
        self._since = None
        if live is not None and asks(QUESTION, live):
            self._since, self._unchecked = Time.read(live["metadata"]["creationTimestamp"]).moment, ""
        elif state == "asked":
            self._unchecked = ALTERED
        else:
            self._unchecked = NO_ADDRESS if state == "unreached" else OBSERVED
