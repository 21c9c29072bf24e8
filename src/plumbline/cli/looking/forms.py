"""In which form an answer about objects is wanted: `-o table`, `-o jsonpath={.items[*].metadata.name}` and so on."""

from typing import Any, Final, NamedTuple

import click

from plumbline.cli.options import Decorated

TABLES: Final = frozenset({"table", "wide", "csv"})
NAMES: Final = ("table", "wide", "json", "yaml", "name", "csv")
_PATH: Final = "jsonpath"


class Form(NamedTuple):
    name: str
    template: str = ""
    """Of `jsonpath`."""


class FormType(click.ParamType[Form]):
    name = "form"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Form:
        if isinstance(value, Form):
            return value
        name, equals, template = str(value).partition("=")
        if name == _PATH and template:
            return Form(name, template)
        if name not in NAMES or equals:
            self.fail(f"{value!r} is none of {', '.join(NAMES)} and jsonpath=TEMPLATE.", param, ctx)
        return Form(name)


def form_option(command: Decorated) -> Decorated:
    about = "How to print the answer: table, wide, json, yaml, name, csv or jsonpath=TEMPLATE."
    return click.option("-o", "--output", "form", type=FormType(), default="table", show_default=True, help=about)(
        command
    )
