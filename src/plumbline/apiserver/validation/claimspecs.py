"""What a claim for a volume asks for, whoever makes it: a PersistentVolumeClaim, a StatefulSet or a pod."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import dns_label, dns_subdomain
from plumbline.apiserver.validation.resourcenames import positive_quantity_errors, quantity_errors
from plumbline.apiserver.validation.selectors import label_selector_errors
from plumbline.apiserver.validation.shapes import mapping, text, texts
from plumbline.base.json import Json, JsonObject

_ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES: Final = ("Block", "Filesystem")


def claim_spec_errors(
    spec: JsonObject, at: str, *, old_values: bool = False, old_groups: bool = False
) -> Iterator[FieldError]:
    """Complaints about a claim; the flags let pass what was stored before the server became strict."""
    modes = texts(spec.get("accessModes"))
    if not modes:
        yield required(f"{at}.accessModes", "at least 1 access mode is required")
    yield from label_selector_errors(spec.get("selector"), f"{at}.selector", old_values=old_values)
    yield from _access_errors(modes, f"{at}.accessModes")
    yield from _storage_errors(mapping(mapping(spec.get("resources")).get("requests")), f"{at}.resources[storage]")
    yield from _class_errors(spec, "storageClassName", at)
    mode = spec.get("volumeMode")
    if mode is not None and mode not in _VOLUME_MODES:
        yield not_supported(f"{at}.volumeMode", Word(text(mode)), _VOLUME_MODES)
    yield from _source_errors(spec, at, old_groups=old_groups)
    yield from _class_errors(spec, "volumeAttributesClassName", at)


def _access_errors(modes: list[str], field: str) -> Iterator[FieldError]:
    for mode in modes:
        if mode not in _ACCESS_MODES:
            yield not_supported(field, Word(mode), _ACCESS_MODES)
    if "ReadWriteOncePod" in modes and any(mode in _ACCESS_MODES[:3] for mode in modes):
        yield forbidden(field, "may not use ReadWriteOncePod with other access modes")


def _storage_errors(requests: JsonObject, field: str) -> Iterator[FieldError]:
    if "storage" not in requests:
        yield required(field)
        return
    errors = list(positive_quantity_errors(field, requests["storage"]))
    yield from errors or quantity_errors(field, "storage", requests["storage"])


def _class_errors(spec: JsonObject, name: str, at: str) -> Iterator[FieldError]:
    if held := text(spec.get(name)):
        yield from faulty(f"{at}.{name}", held, dns_subdomain(held))


def _source_errors(spec: JsonObject, at: str, *, old_groups: bool) -> Iterator[FieldError]:
    source, ref = spec.get("dataSource"), spec.get("dataSourceRef")
    for name, held in (("dataSource", source), ("dataSourceRef", ref)):
        if isinstance(held, dict):
            yield from _referred_errors(held, f"{at}.{name}", old_groups=old_groups)
    space = text(mapping(ref).get("namespace"))
    if isinstance(ref, dict) and space:
        yield from faulty(f"{at}.dataSourceRef.namespace", space, dns_label(space))
    if not isinstance(source, dict) or not isinstance(ref, dict):
        return
    if space:
        detail = "may not be specified when dataSourceRef.namespace is specified"
        yield invalid(at, {}, detail)
    elif any(source.get(name) != ref.get(name) for name in ("apiGroup", "kind", "name")):
        yield invalid(at, {}, "must match dataSourceRef")


def _referred_errors(held: Json, at: str, *, old_groups: bool) -> Iterator[FieldError]:
    for name in ("name", "kind"):
        if not held.get(name):
            yield required(f"{at}.{name}")
    group, kind = text(held.get("apiGroup")), text(held.get("kind"))
    if not group and kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        yield invalid(at, kind, detail)
    if group and not old_groups:
        yield from faulty(f"{at}.apiGroup", group, dns_subdomain(group))
