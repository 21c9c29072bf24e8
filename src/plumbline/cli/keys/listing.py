"""`plumb keys list`."""

import sys

import click

from plumbline.cli.keys.drawing import as_json, listed, newest_of
from plumbline.cli.keys.options import Where
from plumbline.cli.output import print_value
from plumbline.cli.terminal import WARNING, plain


async def performed(where: Where, output: str) -> None:
    async with where.opened() as secrets:
        there = await secrets.listed()
    newest = newest_of(there)
    if output != "wide":
        print_value({"items": [as_json(each, newest) for each in there]}, output)
    elif there:
        click.echo(listed(there, newest))
    else:
        click.echo(f"There is no sealing key in namespace {where.namespace}.", err=True)
    for each in there:
        if each.fault:
            click.echo(plain(f"{WARNING.text(sys.stderr)} {each.name} is no key: {each.fault}"), err=True)
    bare = sum(each.used and each.exported is None for each in there)
    if bare:
        said = "1 key exists" if bare == 1 else f"{bare} keys exist"
        click.echo(
            f"{WARNING.text(sys.stderr)} {said} nowhere but in this cluster; put aside what is there with `plumb keys export`.",
            err=True,
        )
