"""`plumb keys check`: whether a file that was put aside will do when it is needed."""

import sys
from pathlib import Path
from typing import NamedTuple

import click

from plumbline.cli.exits import Exit
from plumbline.cli.keys.drawing import as_json, kept, key_as_json, newest_of
from plumbline.cli.keys.options import Where
from plumbline.cli.keys.reading import kept_in
from plumbline.cli.keys.store import Stored, missing_from
from plumbline.cli.output import print_value
from plumbline.cli.terminal import BAD, GOOD, plain


class Asked(NamedTuple):
    where: Where
    file: Path
    identities: tuple[Path, ...]
    against_cluster: bool
    output: str


async def performed(asked: Asked) -> Exit:
    keys = {key.fingerprint: key for _, key in kept_in(asked.file, asked.identities).keys}
    there = await _there(asked)
    missing = missing_from(there or (), keys)
    if asked.output == "wide":
        click.echo(kept(keys.values()))
    else:
        answer = {"items": [key_as_json(each) for each in keys.values()]}
        newest = newest_of(there or ())
        compared = {} if there is None else {"missing": [as_json(each, newest) for each in missing]}
        print_value({**answer, **compared}, asked.output)
    _tell(asked, len(keys), missing)
    return Exit.NO if missing else Exit.DONE


async def _there(asked: Asked) -> list[Stored] | None:
    if not asked.against_cluster:
        return None
    async with asked.where.opened() as secrets:
        return await secrets.listed()


def _tell(asked: Asked, keys: int, missing: list[Stored]) -> None:
    for each in missing:
        shown = each.key.fingerprint if each.key else ""
        text = f"{each.name}, {shown}, is in the cluster and not in {asked.file}: export again."
        click.echo(plain(f"{BAD.text(sys.stderr)} {text}"), err=True)
    if not missing:
        every = ", and none of the cluster's is missing" if asked.against_cluster else ""
        works = (
            "1 key is in it, and opens what it seals"
            if keys == 1
            else f"{keys} keys are in it, and each opens what it seals"
        )
        click.echo(f"{GOOD.text(sys.stderr)} {works}{every}.", err=True)
