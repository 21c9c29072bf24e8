"""What pods print, on stdout: colours pass, whatever else a terminal would obey does not."""

import re
from typing import Final

import click

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]")


def print_line(text: str) -> None:
    click.echo(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))
