"""Lists of repositories and credentials on stdout."""

from typing import TYPE_CHECKING

import click

from plumbline.cli.connecting import Where
from plumbline.cli.output import print_value

if TYPE_CHECKING:
    from plumbline.source.secrets import Entry, Kind


async def entries(where: Where, kind: "Kind") -> "list[Entry]":
    from plumbline.cli.repositories.store import Secrets  # noqa: PLC0415 - loads the client, which --help must not

    async with where.connected() as client:
        return await Secrets(client, where.namespace, kind).listed()


async def one(where: Where, kind: "Kind", url: str, project: str) -> "Entry":
    from plumbline.cli.repositories.store import Secrets  # noqa: PLC0415 - loads the client, which --help must not

    async with where.connected() as client:
        return await Secrets(client, where.namespace, kind).found(url, project)


async def removed(where: Where, kind: "Kind", url: str, project: str = "") -> None:
    from plumbline.cli.repositories.store import Secrets  # noqa: PLC0415 - loads the client, which --help must not

    async with where.connected() as client:
        await Secrets(client, where.namespace, kind).remove(url, project)


def show_repositories(found: "list[Entry]", output: str, *, single: bool = False) -> None:
    from plumbline.cli.repositories.drawing import as_json, repositories  # noqa: PLC0415 - not for --help

    if output in {"json", "yaml"}:
        values = [as_json(each) for each in found]
        print_value(values[0] if single else values, output)
    elif output == "url":
        _urls(found)
    else:
        click.echo(repositories(found))


def show_credentials(found: "list[Entry]", output: str) -> None:
    from plumbline.cli.repositories.drawing import as_json, credentials  # noqa: PLC0415 - not for --help

    if output in {"json", "yaml"}:
        print_value([as_json(each, "url") for each in found], output)
    elif output == "url":
        _urls(found)
    else:
        click.echo(credentials(found))


def _urls(found: "list[Entry]") -> None:
    from plumbline.source.urls import redacted  # noqa: PLC0415 - not for --help

    for each in found:
        click.echo(redacted(each.url))
