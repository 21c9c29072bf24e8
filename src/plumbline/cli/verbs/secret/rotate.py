from pathlib import Path
from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.options import output_option
from plumbline.cli.sealing.options import Where, namespace_option, recovery_option, sealing


@click.command("rotate")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="[PATH...]")
@click.option("--dry-run", is_flag=True, help="Write nothing; exits 1 if something would be sealed again.")
@click.option("--all", "everything", is_flag=True, help="What the newest key sealed, too.")
@click.option("--force", is_flag=True, help="Files with changes that are not committed, too.")
@click.option("--commit", is_flag=True, help="Commit what was changed.")
@click.option("-m", "--message", default="", help="Message of that commit.")
@namespace_option("Namespace of those whose file does not say it.")
@recovery_option
@output_option("text", "json", "yaml")
@sealing
def verb(where: Where, paths: tuple[Path, ...], **asked: Any) -> Exit:
    """Seal again, with the newest key, what old keys sealed in the files of a Git work tree.

    Looks through PATHs, or the folder it runs in, and changes the sealed values in place and nothing else. The controller
    does it, which has the keys; with --recovery-private-key this machine does, without a cluster. Values are never
    printed, and with the controller they never leave it.

    Exits 3 if one could not be opened; the others are done all the same.
    """
    if asked["commit"] and (asked["force"] or asked["dry_run"]):
        raise click.UsageError(
            "--commit takes neither --force nor --dry-run: it would commit what others changed, or nothing."
        )
    if asked["message"] and not asked["commit"]:
        raise click.UsageError("--message is for --commit.")
    from plumbline.cli.sealing import rotating  # noqa: PLC0415 - loads cryptography, which --help must not

    return performed(rotating.performed(rotating.Asked(where=where, paths=paths or (Path(),), **asked)))
