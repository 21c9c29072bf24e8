"""Names of compute resources and the quantities that go with them: `cpu`, `requests.storage`, `example.com/gpu`."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, invalid
from plumbline.apiserver.validation.metadata import NEGATIVE, faulty
from plumbline.apiserver.validation.names import qualified_name
from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json
from plumbline.kube.quantity import Quantity

_COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")
_COUNTED: Final = frozenset(
    [
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    ]
)
_QUOTA: Final = (
    frozenset(
        [*_COMPUTE, *(f"{prefix}.{each}" for prefix in ("requests", "limits") for each in _COMPUTE), "requests.storage"]
    )
    | _COUNTED
)
_HUGE_PAGES: Final = "hugepages-"
ZERO: Final = Quantity(0)


def quantity(value: Json) -> Quantity:
    """The number that *value* spells; zero for what is none, which decoding refused."""
    return _parsed(value) if isinstance(value, str | int | float) else ZERO


@lru_cache(maxsize=4096, typed=True)
def _parsed(value: str | float) -> Quantity:
    try:
        return Quantity.from_json(value)
    except BadQuantity:
        return ZERO


def huge_pages(name: str) -> bool:
    return name.startswith(_HUGE_PAGES)


def native(name: str) -> bool:
    """Whether the resource is Kubernetes' own."""
    return "/" not in name or "kubernetes.io/" in name


def overcommit_allowed(name: str) -> bool:
    return native(name) and not huge_pages(name)


def extended(name: str) -> bool:
    """Whether somebody else's resource has a name under which quotas can count it."""
    return not native(name) and not name.startswith("requests.") and not qualified_name(f"requests.{name}")


def standard_for_quota(name: str) -> bool:
    return name in _QUOTA or name.startswith((_HUGE_PAGES, f"requests.{_HUGE_PAGES}"))


def resource_name_errors(field: str, name: str) -> Iterator[FieldError]:
    if faults := qualified_name(name):
        yield from faulty(field, Word(name), faults)
    elif "/" not in name and name != "storage" and not standard_for_quota(name):
        yield invalid(field, Word(name), "must be a standard resource type or fully qualified")


def container_resource_name_errors(field: str, name: str) -> Iterator[FieldError]:
    yield from resource_name_errors(field, name)
    if "/" not in name:
        if name not in _COMPUTE and not huge_pages(name):
            yield invalid(field, Word(name), "must be a standard resource for containers")
    elif not native(name) and not extended(name):
        yield invalid(field, Word(name), "doesn't follow extended resource name standard")


def quota_resource_name_errors(field: str, name: str) -> Iterator[FieldError]:
    yield from resource_name_errors(field, name)
    if "/" not in name and not standard_for_quota(name):
        yield invalid(field, Word(name), "must be a standard resource for quota")


def quantity_errors(field: str, name: str, value: Json) -> Iterator[FieldError]:
    """Complaints about an amount of the resource *name*: below zero, or in parts where only wholes are counted."""
    amount = quantity(value)
    if amount < ZERO:
        yield invalid(field, str(amount), NEGATIVE)
    if (name in _COUNTED or extended(name)) and amount.rounded_up(-3) % 1000:
        yield invalid(field, str(amount), "must be an integer")


def nonnegative_quantity_errors(field: str, value: Json) -> Iterator[FieldError]:
    if (amount := quantity(value)) < ZERO:
        yield invalid(field, str(amount), NEGATIVE)


def positive_quantity_errors(field: str, value: Json) -> Iterator[FieldError]:
    if (amount := quantity(value)) <= ZERO:
        yield invalid(field, str(amount), "must be greater than zero")


def basic_quantity_errors(field: str, value: Json) -> Iterator[FieldError]:
    whole = quantity(value).rounded_up()
    if whole < 0:
        yield invalid(field, whole, "must be a valid resource quantity")
