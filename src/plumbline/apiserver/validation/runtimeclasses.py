"""RuntimeClasses: which handler runs a pod, what that costs, and where it can."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate
from plumbline.apiserver.validation.checks import collected, immutable, meta, meta_update, required_name_errors
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import label_errors
from plumbline.apiserver.validation.names import dns_label
from plumbline.apiserver.validation.pods.resources import container_resource_errors
from plumbline.apiserver.validation.pods.scheduling import toleration_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import JsonObject


@collected
def runtime_class_created(class_: JsonObject) -> Iterator[FieldError]:
    yield from meta(class_, namespaced=False, core=False)
    yield from required_name_errors("handler", text(class_.get("handler")), dns_label)
    if isinstance(overhead := class_.get("overhead"), dict):
        limits = {"limits": overhead.get("podFixed")}
        yield from container_resource_errors(limits, "overhead", frozenset())
    scheduling = mapping(class_.get("scheduling"))
    if selector := scheduling.get("nodeSelector"):
        yield from label_errors(selector, "scheduling.nodeSelector")
    yield from _toleration_errors(mappings(scheduling.get("tolerations")), "scheduling.tolerations")


def _toleration_errors(tolerations: list[JsonObject], field: str) -> Iterator[FieldError]:
    yield from toleration_errors(tolerations, field)
    seen: set[tuple[str, ...]] = set()
    for index, toleration in enumerate(tolerations):
        key = tuple(text(toleration.get(name)) for name in ("key", "operator", "value", "effect"))
        if key in seen:
            yield duplicate(f"{field}[{index}]", go_form(toleration, "Toleration"))
        seen.add(key)


@collected
def runtime_class_updated(class_: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from runtime_class_created(class_)
    yield from meta_update(class_, old, core=False)
    yield from immutable("handler", text(class_.get("handler")), text(old.get("handler")))


CREATE: Final = {"RuntimeClass": runtime_class_created}
UPDATE: Final = {"RuntimeClass": runtime_class_updated}
STATUS_UPDATE: Final[dict[str, object]] = {}
