"""What a run printed: from the pod that carried it out, or, where it ran beside the controller, what was told of it."""

import re
from contextlib import aclosing
from typing import Final

import click

from plumbline.cli.terminal import plain
from plumbline.cli.terraform.objects.waiting import Say
from plumbline.kube.client import Target
from plumbline.terraform.objects.logs import PODS, newest_pod, told
from plumbline.terraform.objects.store import Terraforms

_CONTROL: Final = re.compile(rb"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]")


async def print_logs(terraforms: Terraforms, name: str, say: Say, *, follow: bool = False) -> None:
    obj = await terraforms.get(name)
    pod = await newest_pod(terraforms, name)
    if pod is None:
        say(
            "No pod has carried out a run of it: runs are beside the controller, or were tidied up. This is what was told:"
        )
        for line in await told(terraforms, obj):
            click.echo(plain(line))
        return
    target = Target(PODS, terraforms.namespace, pod["metadata"]["name"])
    async with aclosing(terraforms.client.logs(target, {"follow": "true"} if follow else {})) as pieces:
        async for piece in pieces:
            click.echo(_CONTROL.sub(b"?", piece).decode(errors="replace"), nl=False)
