"""Files of one volume that would lie over each other."""

from collections.abc import Iterator
from typing import NamedTuple

from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted


class _Path(NamedTuple):
    path: str
    source: str = ""

    def __str__(self) -> str:
        return f"{quoted(self.path)} ({self.source})" if self.source else quoted(self.path)

    def overlaps(self, other: "_Path") -> bool:
        if not self.path or not other.path:
            return False
        mine, others = f"{self.path}/", f"{other.path}/"
        return mine.startswith(others) or others.startswith(mine)


def overlap_warnings(volumes: Json) -> Iterator[str]:
    for volume in mappings(volumes):
        name = quoted(text(volume.get("name")))
        for field, kind, naming in (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName")):
            source = mapping(volume.get(field))
            if source.get("items"):
                described = f"{kind} {quoted(text(source.get(naming)))}"
                yield from _overlaps(name, described, _items(source))
        downward = mapping(volume.get("downwardAPI"))
        if downward.get("items"):
            yield from _overlaps(name, "DownwardAPI", _items(downward))
        yield from _projected_warnings(name, mappings(mapping(volume.get("projected")).get("sources")))


def _projected_warnings(name: str, sources: list[JsonObject]) -> Iterator[str]:
    paths: list[_Path] = []
    for source in sources:
        if not source:
            yield f"volume {name} (Projected) has no sources provided"
        paths.extend(_projections(source))
        # Each path is compared with those before it, of its own source and of others.
    yield from _overlaps(name, "Projected", paths)


def _projections(source: JsonObject) -> list[_Path]:
    """The paths of one source: the first of these fields that says something."""
    for field, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
        found = mapping(source.get(field))
        if found.get("items"):
            return _items(found, f"{kind} {quoted(text(found.get('name')))}")
    if mapping(source.get("downwardAPI")).get("items"):
        return _items(source["downwardAPI"], "DownwardAPI")
    if isinstance(source.get("serviceAccountToken"), dict):
        return [_Path(text(source["serviceAccountToken"].get("path")), "ServiceAccountToken")]
    return []


def _items(source: JsonObject, described: str = "") -> list[_Path]:
    return [_Path(text(item.get("path")), described) for item in mappings(source.get("items"))]


def _overlaps(name: str, described: str, paths: list[_Path]) -> Iterator[str]:
    seen: list[_Path] = []
    for each in paths:
        path = each._replace(path=each.path.rstrip("/"))
        for other in seen:
            if path.overlaps(other):
                yield f"volume {name} ({described}): overlapping paths: {path} with {other}"
        seen.append(path)
