"""What Google's discovery documents say about the APIs in use: paths, verbs, fields and their types.

`facts.json` is derived from the documents by `tools/gcp_facts.py`; a test holds it against them. Types are written short,
as `providers.rest.types` has them, with `#Settings` for a schema.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final
from urllib.parse import quote

import msgspec

_placeholders: Final = re.compile(r"\{(\+?)(\w+)\}")


class Method(msgspec.Struct, frozen=True):
    verb: str
    path: str
    query: tuple[str, ...] = ()
    request: str = ""

    def place(self, values: Mapping[str, str]) -> str:
        """The path with every parameter filled in. `{+name}` keeps the slashes of its value."""
        return _placeholders.sub(lambda match: quote(values[match[2]], safe="/" if match[1] else ""), self.path)

    def asked(self, values: Mapping[str, str]) -> dict[str, str]:
        """Those of *values* that it takes as query."""
        return {name: value for name, value in values.items() if name in self.query and value}


class Api(msgspec.Struct, frozen=True):
    base: str
    """Scheme and host, without a slash at the end."""
    methods: dict[str, Method]
    schemas: dict[str, dict[str, str]]

    def type_at(self, schema: str, path: tuple[str, ...]) -> str:
        """The type of a field, however deep. Raises KeyError for what the API does not have."""
        found = f"#{schema}"
        for name in path:
            found = self.schemas[found.removeprefix("[]").removeprefix("#")][name]
        return found


@cache
def _all() -> dict[str, Api]:
    raw = files(__package__).joinpath("facts.json").read_bytes()
    return msgspec.json.decode(raw, type=dict[str, Api])


def api(name: str) -> Api:
    """Read when the first kind of that API is used."""
    return _all()[name]
