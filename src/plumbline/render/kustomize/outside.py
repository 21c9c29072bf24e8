"""Values from outside, as an object that replacements can take from and that is never part of the output.

It is of a kind of its own, so that it can be taken for nothing that a kustomization makes.
"""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject, decode, encode
from plumbline.render.requests import Found
from plumbline.render.values import Values

OUTSIDE: Final = ".plumbline-values-from.yaml"
_API_VERSION: Final = "plumbline.dev/v1alpha1"
_KIND: Final = "ValuesFrom"
_NAME: Final = "values-from"
_LOCAL: Final = {"config.kubernetes.io/local-config": "true"}


def outside(values: Values) -> bytes:
    """The file that holds them, for as long as the build takes."""
    return encode(
        {
            "apiVersion": _API_VERSION,
            "kind": _KIND,
            "metadata": {"name": _NAME, "annotations": _LOCAL},
            "values": decode(values.tree.reveal()),
        }
    )


def with_outside(document: JsonObject) -> JsonObject:
    """The kustomization *document* with the file among its resources."""
    listed = document.get("resources") or []
    if not isinstance(listed, list):
        raise InvalidInput("Cannot change the kustomization", why="its resources are no list")
    return {**document, "resources": [*listed, OUTSIDE]}


def without_outside(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Kustomize leaves out what is local by itself, unless something took the mark off."""
    return tuple(
        each for each in found if (each.object.get("apiVersion"), each.object.get("kind")) != (_API_VERSION, _KIND)
    )
