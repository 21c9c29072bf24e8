"""Questions before something is destroyed: asked of people at terminals, and of nobody else."""

import sys

import click


def sure(question: str, *, yes: bool) -> None:
    """Go on, or end as Ctrl-C does. Where there is no terminal, whoever wrote the script has decided."""
    if not yes and sys.stdin.isatty() and not click.confirm(question, err=True):
        raise click.Abort
