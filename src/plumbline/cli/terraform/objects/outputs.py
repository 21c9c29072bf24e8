"""Outputs as people and programs read them. Pure."""

from collections.abc import Mapping

import msgspec

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import encode
from plumbline.cli.terminal import plain
from plumbline.terraform.objects.states import Output, value_of
from plumbline.terraform.plans.wording import SENSITIVE


def one(outputs: Mapping[str, Output], key: str, *, as_json: bool, reveal: bool) -> str:
    """A text as it is, anything else as JSON. A program must not take a mask for a value: it is refused instead."""
    output = outputs.get(key)
    if output is None:
        raise NotFound(f"there is no output {key}", why=f"there are: {', '.join(outputs) or 'none'}")
    if output.sensitive and not reveal:
        raise InvalidInput(f"output {key} is sensitive", hint="Print it with --reveal.")
    value = value_of(output)
    return value if isinstance(value, str) and not as_json else output.value.reveal().decode()


def several(outputs: Mapping[str, Output], *, as_json: bool, reveal: bool) -> str:
    if as_json:
        shown = {
            name: {"sensitive": each.sensitive, "value": value_of(each) if reveal or not each.sensitive else None}
            for name, each in outputs.items()
        }
        return msgspec.json.format(encode(shown), indent=2).decode()
    return "\n".join(
        plain(f"{name} = {SENSITIVE if each.sensitive and not reveal else each.value.reveal().decode()}")
        for name, each in outputs.items()
    )
