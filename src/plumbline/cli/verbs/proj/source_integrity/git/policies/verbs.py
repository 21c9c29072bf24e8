from typing import TYPE_CHECKING

import click

from plumbline.cli.asking import sure
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.projecting.values import Edit

if TYPE_CHECKING:
    from plumbline.base.json import JsonObject

_MODES = click.Choice(["strict", "head", "none"])
_MODE = "Whether all of the history, the commit that is used, or nothing has to be signed."


@click.command("list", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@connecting()
def list_(project: str, where: Where) -> Exit:
    """List policies with their numbers."""
    from plumbline.cli.projecting.integrity import drawn  # noqa: PLC0415 - loads tables, which --help must not

    click.echo(drawn(_policies(where, project)))
    return Exit.DONE


@click.command("add", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.option("--repo-url", "urls", multiple=True, help="Pattern for addresses; ! before it excludes. May be repeated.")
@click.option("--gpg-mode", "mode", required=True, type=_MODES, help=_MODE)
@click.option("--gpg-key", "keys", multiple=True, help="Id of a key to trust; may be repeated.")
@connecting()
def add(project: str, urls: tuple[str, ...], mode: str, keys: tuple[str, ...], where: Where) -> Exit:
    """Add a policy, and list all of them."""
    from plumbline.cli.projecting.integrity import added  # noqa: PLC0415 - loads kinds, which --help must not

    return _written(where, project, added(mode, _parts(urls), _parts(keys)), -1)


@click.command("update", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("number", metavar="ID", type=int)
@click.option("--gpg-mode", "mode", type=_MODES, help=_MODE)
@click.option("--repo-url", "urls", multiple=True, help="Pattern for addresses, instead of those that it has.")
@click.option("--add-repo-url", "more_urls", multiple=True, help="Pattern for addresses to have besides.")
@click.option("--delete-repo-url", "fewer_urls", multiple=True, help="Pattern for addresses that is to go.")
@click.option("--gpg-key", "keys", multiple=True, help="Id of a key to trust, instead of those that it has.")
@click.option("--add-gpg-key", "more_keys", multiple=True, help="Id of a key to trust besides.")
@click.option("--delete-gpg-key", "fewer_keys", multiple=True, help="Id of a key that is to go.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting()
def update(project: str, number: int, mode: str | None, yes: bool, where: Where, **said: tuple[str, ...]) -> Exit:
    """Change a policy, and list all of them. What is not named stays as it is."""
    for name in ("url", "key"):
        if said[f"{name}s"] and (said[f"more_{name}s"] or said[f"fewer_{name}s"]):
            flag = {"url": "repo-url", "key": "gpg-key"}[name]
            raise click.UsageError(f"--{flag} cannot be combined with --add-{flag} or --delete-{flag}.")
    sure(f"Change policy {number} of {project}?", yes=yes)
    from plumbline.cli.projecting.integrity import Named, changed  # noqa: PLC0415 - loads kinds, which --help must not

    urls, keys = (
        Named(*(_parts(said[f"{how}{name}"]) for how in ("", "more_", "fewer_"))) for name in ("urls", "keys")
    )
    return _written(where, project, changed(number, mode or "", urls, keys), number)


@click.command("delete", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("numbers", metavar="ID...", type=int, nargs=-1, required=True)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting()
def delete(project: str, numbers: tuple[int, ...], yes: bool, where: Where) -> Exit:
    """Delete policies. Those after them have other numbers then."""
    sure(f"Delete policies {', '.join(map(str, sorted(numbers)))} of {project}?", yes=yes)
    from plumbline.cli.projecting.integrity import dropped  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    performed(edited(where, project, dropped(frozenset(numbers))))
    return Exit.DONE


def _parts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Values that may be repeated, and separated by commas."""
    return tuple(part for text in texts for part in text.split(",") if part)


def _written(where: Where, project: str, edit: Edit, number: int) -> Exit:
    """Have it so, warn of a policy at *number* that does nothing, and list what there is then."""
    from plumbline.cli.projecting.integrity import drawn, lacking  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    performed(edited(where, project, edit))
    found = _policies(where, project)
    for warning in lacking(found[number]):
        click.echo(warning, err=True)
    click.echo(drawn(found))
    return Exit.DONE


def _policies(where: Where, project: str) -> "list[JsonObject]":
    from plumbline.cli.projecting.integrity import policies  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import shown  # noqa: PLC0415 - same

    return policies(performed(shown(where, project)).get("spec") or {})
