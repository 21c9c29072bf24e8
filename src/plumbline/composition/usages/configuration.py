"""How an API server is told to ask us before something is deleted, and whether it does."""

from typing import Final

from plumbline.composition.usages.values import IN_USE
from plumbline.gate.hands import Hands
from plumbline.gate.webhooks import Question, Reached, Told, told
from plumbline.kube.client import Client, Writing

NO_ADDRESS: Final = (
    "Nothing keeps the used resource from being deleted: the API server does not know where to ask. "
    "Name the Service that leads here with --admission-service, or run `plumb up`"
)
OBSERVED: Final = "Nothing keeps the used resource from being deleted: this installation only observes"
_REASONS: Final[dict[Told, str]] = {"asked": "", "unreached": NO_ADDRESS, "observing": OBSERVED}

QUESTION: Final = Question(
    name="crossplane-no-usages",
    hook="nousages.protection.crossplane.io",
    path="/validate-no-usages",
    rule={"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["DELETE"], "resources": ["*"], "scope": "*"},
    writing=Writing(field_manager="crossplane"),
    why="Have deletions of what is used refused",
    objects={"matchLabels": {IN_USE: "true"}},
    # The attempt is recorded on the object, but not where nothing is really to be deleted.
    side_effects="NoneOnDryRun",
)


async def unenforced(client: Client, hands: Hands, reached: Reached | None) -> str:
    """Have the API server ask us; returns why it does not, empty where it does."""
    return _REASONS[await told(client, hands, QUESTION, reached)]
