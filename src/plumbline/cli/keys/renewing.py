"""`plumb keys renew`: a new sealing key, before the newest has come of age."""

import sys
from typing import Final

import click

from plumbline.base.aside import in_a_thread
from plumbline.base.clock import Clock, SystemClock
from plumbline.base.ids import Ids
from plumbline.cli.keys.options import Where
from plumbline.cli.terminal import GOOD, WARNING
from plumbline.secrets.sealing import KEY_PREFIX, key_secret, made_key

BITS: Final = 4096


async def performed(where: Where, clock: Clock | None = None) -> None:
    now = (clock or SystemClock()).now()
    async with where.opened() as secrets:
        # Who may not read keys or cannot reach the cluster is told so before one is made for nothing.
        await secrets.listed()
        key = await in_a_thread(lambda: made_key(now, size=BITS))
        body = key_secret(key, secrets.namespace, name=f"{KEY_PREFIX}{Ids().suffix()}")
        name = await secrets.add(body)
    click.echo(key.fingerprint)
    click.echo(f"{GOOD.text(sys.stderr)} {name} is made; from now on it is what is sealed for.", err=True)
    click.echo(
        f"{WARNING.text(sys.stderr)} It exists nowhere but in this cluster: put it aside with `plumb keys export`. What older "
        "keys sealed goes on to open; `plumb secret rotate` seals it for this one.",
        err=True,
    )
