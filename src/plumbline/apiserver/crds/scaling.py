"""The scale of a custom resource: where its CRD says that replicas are."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.crds.definitions.reading import mapping, text
from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import printed, quoted, type_name

_MOST_REPLICAS: Final = 2**31 - 1
_METADATA: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


class ScalePaths(NamedTuple):
    """Written as CRDs write them: `.spec.replicas`."""

    spec: str
    status: str
    selector: str = ""

    @classmethod
    def of(cls, version: JsonObject) -> "ScalePaths | None":
        """Of a version of a CRD; None where it has no scale."""
        scale = mapping(version.get("subresources")).get("scale")
        if not isinstance(scale, dict):
            return None
        return cls(*(text(scale, name) for name in ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")))

    @property
    def replicas_path(self) -> tuple[str, ...]:
        return tuple(_names(self.spec))

    def scale(self, obj: JsonObject) -> JsonObject:
        """`spec` and `status` of the Scale; raises `SchemaViolation` where what is there cannot be one."""
        replicas = read_integer(obj, self.spec)
        status: JsonObject = {"replicas": read_integer(obj, self.status) or 0}
        selector = read_text(obj, self.selector) if self.selector else None
        if selector:
            status["selector"] = selector
        return {"spec": {"replicas": replicas} if replicas else {}, "status": status}

    def with_replicas(self, obj: JsonObject, replicas: int) -> JsonObject:
        """*obj* with that many wanted; raises `SchemaViolation` where something else is in the way."""
        return _written(obj, _names(self.spec), replicas, self.spec)


def scale_of(obj: JsonObject, paths: ScalePaths) -> JsonObject:
    """The autoscaling/v1 Scale of *obj*; raises `SchemaViolation` where it does not say how many are wanted."""
    scale = paths.scale(obj)
    if read_integer(obj, paths.spec) is None:
        raise SchemaViolation(f"the spec replicas field {quoted(paths.spec)} does not exist")
    metadata = mapping(obj.get("metadata"))
    kept = {name: metadata[name] for name in _METADATA if metadata.get(name)}
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": kept, **scale}


def with_replicas(obj: JsonObject, paths: ScalePaths, replicas: int) -> JsonObject:
    return paths.with_replicas(obj, replicas)


def scale_errors(obj: JsonObject, paths: ScalePaths | None, *, spec: bool = True) -> Iterator[FieldError]:
    """What is wrong with the values that a Scale would show; without *spec* only those of the status."""
    if paths is None:
        return
    for path in (paths.spec, paths.status) if spec else (paths.status,):
        yield from _count_errors(obj, path)
    if paths.selector:
        try:
            read_text(obj, paths.selector)
        except SchemaViolation as bad:
            yield invalid(paths.selector, "", bad.what)


def _count_errors(obj: JsonObject, path: str) -> Iterator[FieldError]:
    try:
        count = read_integer(obj, path) or 0
    except SchemaViolation as bad:
        yield invalid(path, 0, bad.what)
        return
    if count < 0:
        yield invalid(path, count, "should be a non-negative integer")
    elif count > _MOST_REPLICAS:
        yield invalid(path, count, f"should be less than or equal to {_MOST_REPLICAS}")


def read_integer(obj: JsonObject, path: str) -> int | None:
    value = _read(obj, path)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(path, value, "int64")
    return value


def read_text(obj: JsonObject, path: str) -> str | None:
    value = _read(obj, path)
    if value is not None and not isinstance(value, str):
        raise _wrong(path, value, "string")
    return value


def _names(path: str) -> list[str]:
    return path.removeprefix(".").split(".")


def _read(obj: JsonObject, path: str) -> Json:
    node: Json = obj
    names = _names(path)
    for depth, name in enumerate(names):
        if not isinstance(node, dict):
            raise _wrong("." + ".".join(names[: depth + 1]), node, "map[string]interface{}")
        node = node.get(name)
        if node is None:
            return None
    return node


def _wrong(path: str, value: Json, wanted: str) -> SchemaViolation:
    return SchemaViolation(
        f"{path} accessor error: {printed(value)} is of the type {type_name(value)}, expected {wanted}"
    )


def _written(node: JsonObject, names: list[str], value: int, path: str) -> JsonObject:
    first, *rest = names
    if not rest:
        return {**node, first: value}
    child = node.get(first)
    if child is not None and not isinstance(child, dict):
        raise SchemaViolation(f"value cannot be set because {path} is not a map[string]interface{{}}")
    return {**node, first: _written(child or {}, rest, value, path)}
