"""What `plumb repo` and `plumb repocreds` do, and what they put on stdout."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.cli.connecting import Where
from plumbline.cli.output import print_value

if TYPE_CHECKING:
    from plumbline.cli.repositories.shelf import Known
    from plumbline.source.repository import Repository
    from plumbline.source.secrets import Kind


async def entries(where: Where, kind: "Kind", *, anew: bool = False) -> "list[Known]":
    from plumbline.cli.repositories.opening import shelf_at  # noqa: PLC0415 - loads the client, which --help must not

    async with shelf_at(where, kind) as shelf:
        return await shelf.listed(anew=anew)


async def one(where: Where, kind: "Kind", url: str, project: str, *, anew: bool = False) -> "Known":
    from plumbline.cli.repositories.opening import shelf_at  # noqa: PLC0415 - loads the client, which --help must not

    async with shelf_at(where, kind) as shelf:
        return await shelf.found(url, project, anew=anew)


async def added(
    where: Where, kind: "Kind", repository: "Repository", *, upsert: bool, data: Path | None = None
) -> None:
    """*data* is the folder of this user's installation, which may hold the repository."""
    from plumbline.cli.repositories.opening import shelf_at  # noqa: PLC0415 - loads the client, which --help must not

    async with shelf_at(where, kind, data) as shelf:
        await shelf.add(repository, upsert=upsert)


async def removed(where: Where, kind: "Kind", url: str, project: str = "") -> None:
    from plumbline.cli.repositories.opening import shelf_at  # noqa: PLC0415 - loads the client, which --help must not

    async with shelf_at(where, kind) as shelf:
        await shelf.remove(url, project)


def show_repositories(found: "list[Known]", output: str, *, single: bool = False) -> None:
    from plumbline.cli.repositories.drawing import repositories  # noqa: PLC0415 - not for --help

    if output in {"json", "yaml"}:
        values = [each.value for each in found]
        print_value(values[0] if single else values, output)
    elif output == "url":
        _urls(found)
    else:
        click.echo(repositories(found))


def show_credentials(found: "list[Known]", output: str) -> None:
    from plumbline.cli.repositories.drawing import credentials  # noqa: PLC0415 - not for --help

    if output in {"json", "yaml"}:
        print_value([each.value for each in found], output)
    elif output == "url":
        _urls(found)
    else:
        click.echo(credentials(found))


def _urls(found: "list[Known]") -> None:
    for each in found:
        click.echo(each.url)
