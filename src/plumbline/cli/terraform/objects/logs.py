"""What a run printed: from the pod that carried it out, or, where it ran beside the controller, what was told of it."""

import re
from contextlib import aclosing
from typing import Final

import click

from plumbline.base.errors import Forbidden
from plumbline.base.json import JsonObject, decode
from plumbline.cli.terminal import plain
from plumbline.cli.terraform.objects.store import Terraforms
from plumbline.cli.terraform.objects.waiting import Say
from plumbline.kube.client import Selection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.terraform.plans.storage import label

_PODS: Final = GroupVersionResource("", "v1", "pods")
_EVENTS: Final = GroupVersionResource("", "v1", "events")
_OBJECT: Final = "plumbline.dev/terraform"
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]")


async def print_logs(terraforms: Terraforms, name: str, say: Say, *, follow: bool = False) -> None:
    obj = await terraforms.get(name)
    pod = await _newest(terraforms, name)
    if pod is None:
        say(
            "No pod has carried out a run of it: runs are beside the controller, or were tidied up. This is what was told:"
        )
        for line in await _told(terraforms, obj):
            click.echo(line)
        return
    target = Target(_PODS, terraforms.namespace, pod["metadata"]["name"])
    async with aclosing(terraforms.client.logs(target, {"follow": "true"} if follow else {})) as pieces:
        async for piece in pieces:
            click.echo(_CONTROL.sub(b"?", piece).decode(errors="replace"), nl=False)


async def _newest(terraforms: Terraforms, name: str) -> JsonObject | None:
    try:
        pods = await terraforms.labelled(_PODS, {_OBJECT: label(name)})
    except Forbidden:
        return None
    return max(pods, key=lambda each: str(each["metadata"].get("creationTimestamp", "")), default=None)


async def _told(terraforms: Terraforms, obj: JsonObject) -> list[str]:
    selection = Selection(fields=f"involvedObject.uid={obj['metadata']['uid']}")
    page = await terraforms.client.list(Target(_EVENTS, terraforms.namespace), selection)
    events = sorted((decode(bytes(each)) for each in page.items), key=_last)
    return [plain(f"{_last(each)} {each.get('reason', '')}: {each.get('message', '')}") for each in events]


def _last(event: JsonObject) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp") or "")
