"""Who wants to be told what. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from plumbline.base.documents import load_document
from plumbline.base.errors import PlumblineError
from plumbline.base.json import Json
from plumbline.base.limits import SETTINGS
from plumbline.delivery.notifications.configuration import Configuration

NOTIFIED: Final = "notified.notifications.argoproj.io"
_SUBSCRIBE: Final = "notifications.argoproj.io/subscribe."
_SUBSCRIPTIONS: Final = "notifications.argoproj.io/subscriptions"
_LEGACY: Final = "recipients.argocd-notifications.argoproj.io"


class Destination(NamedTuple):
    service: str
    recipient: str

    def __str__(self) -> str:
        return f"{self.service}:{self.recipient}" if self.recipient else self.service


Destinations: TypeAlias = Mapping[str, tuple[Destination, ...]]
"""By trigger, each in its order and once."""


class _Target(msgspec.Struct):
    service: str = ""
    recipients: tuple[str, ...] = ()


class _Said(msgspec.Struct):
    trigger: tuple[str, ...] = ()
    destinations: tuple[_Target, ...] = ()


_Pair: TypeAlias = tuple[str, Destination]


def wanted(
    configuration: Configuration,
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
    project_annotations: Mapping[str, str],
) -> Destinations:
    """Everybody who wants to be told about an Application: by the installation's wish, its own, and its project's."""
    found: dict[str, dict[Destination, None]] = {}
    pairs = (
        *_everywhere(configuration, labels),
        *_annotated(configuration, annotations),
        *_annotated(configuration, project_annotations),
        *_legacy(configuration, project_annotations),
    )
    for trigger, destination in pairs:
        found.setdefault(trigger, {})[destination] = None
    return {trigger: tuple(found[trigger]) for trigger in sorted(found)}


def _everywhere(configuration: Configuration, labels: Mapping[str, str]) -> Iterator[_Pair]:
    for each in configuration.subscriptions:
        if each.selector is None or each.selector.matches(labels):
            for trigger in each.triggers or configuration.default_triggers:
                for recipient in each.recipients:
                    yield trigger, _pointed(recipient)


def _pointed(text: str) -> Destination:
    """`service:recipient`."""
    parts = text.split(":")
    return Destination(parts[0], parts[1] if len(parts) > 1 else "")


def _annotated(configuration: Configuration, annotations: Mapping[str, str]) -> Iterator[_Pair]:
    for key, value in annotations.items():
        if key.startswith(_SUBSCRIBE):
            names = key.removeprefix(_SUBSCRIBE).split(".")
            trigger, service = (names[0], names[1]) if len(names) > 1 else ("", names[0])
            yield from _pairs(configuration, trigger, service, _recipients(value))
        elif key.startswith(_SUBSCRIPTIONS):
            for said in _listed(value):
                for trigger in said.trigger or ("",):
                    for target in said.destinations:
                        yield from _pairs(configuration, trigger, target.service, target.recipients)


def _recipients(value: str) -> Sequence[str]:
    """Separated by semicolons; an empty value is one recipient without a name, as webhooks have them."""
    return [each.strip() for each in value.split(";") if each.strip()] if value else [""]


def _listed(value: str) -> tuple[_Said, ...]:
    try:
        found: Json = load_document(value, limits=SETTINGS).value
        return msgspec.convert(found or (), tuple[_Said, ...], strict=False)
    except (PlumblineError, msgspec.ValidationError):
        return ()


def _pairs(configuration: Configuration, trigger: str, service: str, recipients: Sequence[str]) -> Iterator[_Pair]:
    triggers = (trigger,) if trigger else configuration.service_triggers.get(service, configuration.default_triggers)
    for recipient in recipients:
        for each in triggers:
            yield each, Destination(service, recipient)


def _legacy(configuration: Configuration, annotations: Mapping[str, str]) -> Iterator[_Pair]:
    """As projects were annotated before there were subscriptions."""
    for key, value in annotations.items():
        if not key.endswith(_LEGACY):
            continue
        trigger = key.removesuffix(_LEGACY).rstrip(".")
        triggers = (trigger,) if trigger else configuration.default_triggers
        for recipient in filter(None, (each.strip() for each in value.split(","))):
            destination = _pointed(recipient)
            for each in configuration.service_triggers.get(destination.service, triggers):
                yield each, destination
