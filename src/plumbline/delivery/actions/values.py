"""Actions as values."""

from typing import Literal, NamedTuple

from plumbline.base.json import JsonObject


class Offer(NamedTuple):
    """An action that an object has."""

    name: str
    disabled: bool = False
    parameters: tuple[str, ...] = ()
    icon: str = ""
    title: str = ""

    def as_json(self) -> JsonObject:
        """As Argo CD's `ResourceAction`."""
        said: JsonObject = {
            "name": self.name,
            "params": [{"name": each} for each in self.parameters],
            "disabled": self.disabled,
            "iconClass": self.icon,
            "displayName": self.title,
        }
        return {part: value for part, value in said.items() if value}


class Impact(NamedTuple):
    """What an action does to one object: change it to this, or make it."""

    operation: Literal["patch", "create"]
    obj: JsonObject
