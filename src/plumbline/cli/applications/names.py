"""Applications by the names that people type: NAME, or NAMESPACE/NAME."""

from typing import NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.kube.client import Target


class AppName(NamedTuple):
    namespace: str
    name: str

    @classmethod
    def parse(cls, text: str, namespace: str) -> "AppName":
        """*namespace* is meant where the text names none."""
        before, slash, name = text.rpartition("/")
        if not name or "/" in before or (slash and not before):
            raise InvalidInput(f"{text!r} names no application", hint="Write NAME, or NAMESPACE/NAME.")
        return cls(before or namespace, name)

    @classmethod
    def of(cls, app: JsonObject) -> "AppName":
        metadata = app.get("metadata") or {}
        return cls(str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))

    @property
    def target(self) -> Target:
        from plumbline.kinds.application import APPLICATION  # noqa: PLC0415 - kinds are not needed for --help

        return Target(APPLICATION.resource, self.namespace, self.name)

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"
