"""Options that verbs of `plumb tf` share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

Decorated = Callable[..., Any]

KEY_VARIABLE: Final = "PLUMBLINE_PLAN_KEY"


def key_option(command: Decorated) -> Decorated:
    return click.option(
        "--key-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help=f"File with the key that plans are sealed with, instead of ${KEY_VARIABLE}.",
    )(command)


def tool_options(command: Decorated) -> Decorated:
    """How the tool is run, the same for a plan and for its apply."""
    command = click.option(
        "--env", "names", multiple=True, metavar="NAME", help="Further variable of our environment for the tool."
    )(command)
    return click.option(
        "--tool",
        type=click.Choice(["auto", "terraform", "tofu"]),
        default="auto",
        show_default=True,
        help="Which tool to run; auto takes the first one that is there.",
    )(command)


def root_option(command: Decorated) -> Decorated:
    return click.option(
        "--root", "folders", multiple=True, metavar="DIR", help="Only this root module. May be given several times."
    )(command)
