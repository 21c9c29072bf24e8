"""Checks that many kinds share: metadata as upstream's core group sees it, formats of single fields, immutability."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import wraps
from typing import Final, ParamSpec

from plumbline.apiserver.fielderrors import FieldError, Word, duplicate, invalid, not_supported, required, too_long
from plumbline.apiserver.validation.metadata import (
    IMMUTABLE,
    NEGATIVE,
    faulty,
    metadata_of,
    object_meta_errors,
    object_meta_update_errors,
)
from plumbline.apiserver.validation.names import (
    NameFaults,
    byte_count,
    dns_label,
    dns_subdomain,
    http_path,
    port_name,
    port_number,
    qualified_name,
    shape,
    subdomain_name,
)
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical

P = ParamSpec("P")

_CSI_NAME_BYTES: Final = 63
_REASON_BYTES: Final = 1024
_MESSAGE_BYTES: Final = 32 * 1024
_REASON_FORMAT: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_reason: Final = re.compile(_REASON_FORMAT).fullmatch


def collected(rule: Callable[P, Iterable[FieldError]]) -> Callable[P, list[FieldError]]:
    """*rule*, which yields complaints one by one, as one that returns them together."""

    @wraps(rule)
    def rules(*args: P.args, **kwargs: P.kwargs) -> list[FieldError]:
        return list(rule(*args, **kwargs))

    return rules


def meta(
    obj: JsonObject, *, namespaced: bool, names: NameFaults = subdomain_name, core: bool = True
) -> list[FieldError]:
    """Complaints about metadata, from upstream's *core* group or from the machinery below it."""
    return object_meta_errors(obj.get("metadata"), namespaced=namespaced, name_faults=names, known_finalizers=core)


def meta_update(new: JsonObject, old: JsonObject, *, core: bool = True) -> list[FieldError]:
    return object_meta_update_errors(new.get("metadata"), old.get("metadata"), known_finalizers=core)


def annotation(obj: JsonObject, key: str) -> str | None:
    value = mapping(metadata_of(obj).get("annotations")).get(key)
    return value if isinstance(value, str) else None


def name_of(obj: JsonObject) -> str:
    return text(metadata_of(obj).get("name"))


def namespace_of(obj: JsonObject) -> str:
    return text(metadata_of(obj).get("namespace"))


def immutable(field: str, new: Json, old: Json, shown: Json = None) -> Iterator[FieldError]:
    """A complaint where *new* is not *old*; *shown* is how the server prints the new value, where it is not that."""
    if not identical(new, old):
        yield invalid(field, new if shown is None else shown, IMMUTABLE)


def nonnegative(field: str, value: int) -> Iterator[FieldError]:
    if value < 0:
        yield invalid(field, value, NEGATIVE)


def label_errors(field: str, value: str) -> list[FieldError]:
    return faulty(field, value, dns_label(value))


def subdomain_errors(field: str, value: str) -> list[FieldError]:
    return faulty(field, value, dns_subdomain(value))


def qualified_errors(field: str, value: str) -> list[FieldError]:
    return faulty(field, value, qualified_name(value))


def required_name_errors(
    field: str, value: str, faults: Callable[[str], list[str]] = dns_subdomain
) -> list[FieldError]:
    return faulty(field, value, faults(value)) if value else [required(field)]


def choice_errors(field: str, value: Json, supported: Collection[str]) -> Iterator[FieldError]:
    """A complaint where there is a *value* and it is none of those *supported*."""
    if value is not None and value not in supported:
        yield not_supported(field, Word(value) if isinstance(value, str) else value, supported)


def port_or_name_errors(field: str, port: Json) -> list[FieldError]:
    if isinstance(port, str):
        return faulty(field, port, port_name(port))
    number = port if isinstance(port, int) else 0
    return faulty(field, number, port_number(number))


def csi_driver_name_errors(field: str, name: str) -> Iterator[FieldError]:
    if not name:
        yield required(field)
        return
    if byte_count(name) > _CSI_NAME_BYTES:
        yield too_long(field, _CSI_NAME_BYTES)
    yield from faulty(field, name, dns_subdomain(name.lower()))


def domain_path_errors(field: str, value: str) -> Iterator[FieldError]:
    """A path behind a domain, such as `acme.io/foo`."""
    if not value:
        yield required(field)
        return
    host, _, path = value.partition("/")
    if not host or not path:
        yield invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')
        return
    yield from subdomain_errors(field, host)
    yield from faulty(field, path, http_path(path))


def qualified_domain_errors(field: str, name: str, *, segments: int) -> Iterator[FieldError]:
    """A domain of at least three *segments*, or of two where a dot may end it."""
    if not name:
        yield required(field)
        return
    domain = name.removesuffix(".") if segments == 2 else name  # noqa: PLR2004 - the newer of the two checks
    if faults := dns_subdomain(domain):
        yield invalid(field, domain, ",".join(faults))
        return
    labels = domain.split(".")
    if len(labels) < segments:
        words = {2: "two", 3: "three"}[segments]
        yield invalid(field, domain, f"should be a domain with at least {words} segments separated by dots")
    elif segments == 2 and (bad := next((label for label in labels if dns_label(label)), None)):  # noqa: PLR2004 - as above
        yield invalid(field, bad, ",".join(dns_label(bad)))


def condition_errors(conditions: Json, field: str) -> Iterator[FieldError]:
    """The conditions that newer kinds share."""
    seen: set[str] = set()
    for index, condition in enumerate(mappings(conditions)):
        at, type_ = f"{field}[{index}]", text(condition.get("type"))
        if type_ in seen:
            yield duplicate(f"{at}.type", type_)
        seen.add(type_)
        yield from qualified_errors(f"{at}.type", type_)
        status = text(condition.get("status"))
        yield from choice_errors(f"{at}.status", status, ("False", "True", "Unknown"))
        generation = condition.get("observedGeneration")
        if isinstance(generation, int) and generation < 0:
            yield invalid(f"{at}.observedGeneration", generation, "must be greater than or equal to zero")
        if not condition.get("lastTransitionTime"):
            yield required(f"{at}.lastTransitionTime")
        yield from _reason_errors(f"{at}.reason", text(condition.get("reason")))
        if byte_count(text(condition.get("message"))) > _MESSAGE_BYTES:
            yield too_long(f"{at}.message", _MESSAGE_BYTES)


def _reason_errors(field: str, reason: str) -> Iterator[FieldError]:
    if not reason:
        yield required(field)
        return
    if not _reason(reason):
        said = (
            "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric"
            " characters or '_,:', and must end with an alphanumeric character or '_'"
        )
        examples = ("my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB")
        yield invalid(field, reason, shape(said, _REASON_FORMAT, *examples))
    if byte_count(reason) > _REASON_BYTES:
        yield too_long(field, _REASON_BYTES)
