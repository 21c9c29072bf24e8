"""Images in a kustomization, set as `kustomize edit set image` sets them."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject

_KEPT: Final = "*"
"""Stands for what the kustomization has already."""
_PARTS: Final = ("newName", "newTag", "digest")


def images(present: list[JsonObject], wanted: tuple[str, ...]) -> list[JsonObject]:
    """What *present* becomes with *wanted* (`[old=]name[:tag][@digest]`) set: by name, and in its order."""
    merged: dict[str, JsonObject] = {}
    for text in wanted:
        image = _image(text)
        merged[image["name"]] = image
    ours = frozenset(merged)
    for each in present:
        name = each.get("name", "")
        if name in ours:
            # Of several for one image the first is asked: after it there is no star left.
            merged[name] |= {part: each.get(part, "") for part in _PARTS if merged[name].get(part) == _KEPT}
        else:
            merged.setdefault(name, each)
    settled = ({key: value for key, value in each.items() if _said(key, value)} for each in merged.values())
    return sorted(settled, key=lambda image: image.get("name", ""))


def _said(key: str, value: str) -> bool:
    return key not in _PARTS or value not in {"", _KEPT}


def _image(text: str) -> JsonObject:
    old, renamed, new = text.partition("=")
    name, tag, digest = _split(new if renamed else text)
    if name == text:
        raise InvalidInput(
            f"Cannot set the image {text!r}",
            why="it says nothing new",
            hint="Write name:tag, name@digest, old=new, old=new:tag or old=new@digest.",
        )
    return (
        {"name": old, "newName": name, "newTag": tag, "digest": digest}
        if renamed and old
        else {
            "name": name,
            "newTag": tag,
            "digest": digest,
        }
    )


def _split(image: str) -> tuple[str, str, str]:
    """Name, tag and digest. A colon before the first slash belongs to a port."""
    slash = image.find("/")
    start = max(slash, 0)
    at, colon = image.find("@", start), image.find(":", start)
    if at >= 0 and (colon < 0 or at < colon):
        return image[:at], "", image[at + 1 :]
    if colon < 0:
        return image, "", ""
    return (
        (image[:colon], image[colon + 1 : at], image[at + 1 :]) if at >= 0 else (image[:colon], image[colon + 1 :], "")
    )
