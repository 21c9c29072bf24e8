"""Where to find what a run printed: in the pod that carried it out, or, where it ran beside the controller, in events."""

from typing import Final

from plumbline.base.errors import Forbidden
from plumbline.base.json import JsonObject, decode
from plumbline.kube.client import Selection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.terraform.objects.store import Terraforms
from plumbline.terraform.plans.storage import label

PODS: Final = GroupVersionResource("", "v1", "pods")
_EVENTS: Final = GroupVersionResource("", "v1", "events")
_OBJECT: Final = "plumbline.dev/terraform"


async def newest_pod(terraforms: Terraforms, name: str) -> JsonObject | None:
    """Of the latest run; None where it was beside the controller, was tidied up, or is not for this person to see."""
    try:
        pods = await terraforms.labelled(PODS, {_OBJECT: label(name)})
    except Forbidden:
        return None
    return max(pods, key=lambda each: str(each["metadata"].get("creationTimestamp", "")), default=None)


async def told(terraforms: Terraforms, obj: JsonObject) -> list[str]:
    """Its events, the oldest first, one line each."""
    selection = Selection(fields=f"involvedObject.uid={obj['metadata']['uid']}")
    page = await terraforms.client.list(Target(_EVENTS, terraforms.namespace), selection)
    events = sorted((decode(bytes(each)) for each in page.items), key=_last)
    return [f"{_last(each)} {each.get('reason', '')}: {each.get('message', '')}" for each in events]


def _last(event: JsonObject) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp") or "")
