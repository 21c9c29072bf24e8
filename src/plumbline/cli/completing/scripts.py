"""What shells read to know how to ask, and where each of them looks for it."""

from pathlib import Path, PurePath
from typing import Final, NamedTuple

import click
from click.shell_completion import get_completion_class

from plumbline.base.environment import environment, home
from plumbline.base.errors import InvalidInput, StorageFailed

SHELLS: Final = ("bash", "zsh", "fish")
VARIABLE: Final = "_PLUMB_COMPLETE"


class Place(NamedTuple):
    file: Path
    then: str
    """What is left to do."""


def script(shell: str, command: click.Command) -> str:
    made = get_completion_class(shell)
    assert made is not None  # noqa: S101 - click knows all of SHELLS
    complete = made(command, {}, "plumb", VARIABLE)
    # Not `source()`: to look at its version, click would run bash.
    return f"{complete.source_template % complete.source_vars()}\n"


def shell_of(environment_: str | None = None) -> str:
    """The shell of whoever asks. Raises InvalidInput where it is another."""
    said = environment().get("SHELL", "") if environment_ is None else environment_
    name = PurePath(said).name
    if name not in SHELLS:
        raise InvalidInput(
            f"it is not known how {name or 'this shell'} completes",
            hint="Name the shell: plumb completion install bash, zsh or fish.",
        )
    return name


def place(shell: str) -> Place:
    said = environment()
    data = Path(said["XDG_DATA_HOME"]) if said.get("XDG_DATA_HOME") else home() / ".local" / "share"
    config = Path(said["XDG_CONFIG_HOME"]) if said.get("XDG_CONFIG_HOME") else home() / ".config"
    if shell == "bash":
        return Place(
            data / "bash-completion" / "completions" / "plumb",
            "New shells complete, where bash-completion is installed.",
        )
    if shell == "fish":
        return Place(config / "fish" / "completions" / "plumb.fish", "New shells complete.")
    folder = data / "zsh" / "site-functions"
    return Place(folder / "_plumb", f"Have ~/.zshrc say, before compinit: fpath=({folder} $fpath)")


def install(shell: str, command: click.Command) -> Place:
    where = place(shell)
    try:
        where.file.parent.mkdir(parents=True, exist_ok=True)
        where.file.write_text(script(shell, command))
    except OSError as failed:
        raise StorageFailed(f"{where.file} is not written", why=failed.strerror or str(failed)) from failed
    return where
