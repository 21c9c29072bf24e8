"""argocd-notifications-cm and argocd-notifications-secret as frozen values.

Reading never fails: what cannot be read is left out, and `problems` says so. Upstream drops everything with the first
key that it cannot read; here only that key is lost.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from plumbline.base.documents import load_document
from plumbline.base.errors import PlumblineError
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import SETTINGS
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.settings.problems import Problem
from plumbline.delivery.settings.secretdata import secret_data
from plumbline.kube.selectors import LabelSelector

CONFIG_MAP: Final = "argocd-notifications-cm"
SECRET: Final = "argocd-notifications-secret"  # noqa: S105 - its name

_reference: Final = re.compile(r"\$([\w-]+)", re.ASCII)
_LEGACY: Final = {"config.yaml": "it is written in a form that upstream has given up; split it into its own keys"}

T = TypeVar("T")


class Condition(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """When to send which templates, and how often."""

    when: str = ""
    send: tuple[str, ...] = ()
    once_per: str = ""
    description: str = ""


class SlackTemplate(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    username: str = ""
    icon: str = ""
    attachments: str = ""
    blocks: str = ""
    grouping_key: str = ""
    notify_broadcast: bool = False
    delivery_policy: str = "Post"


class WebhookTemplate(msgspec.Struct, frozen=True, kw_only=True):
    method: str = ""
    body: str = ""
    path: str = ""


class MessageTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """What to say. Parts for services that are not supported are read past."""

    message: str = ""
    slack: SlackTemplate | None = None
    webhook: dict[str, WebhookTemplate] | None = None


class Subscription(msgspec.Struct, frozen=True):
    """Who is told about Applications that did not ask."""

    recipients: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    selector: LabelSelector | None = None


class Service(msgspec.Struct, frozen=True):
    """Where to send. The options may hold secrets, and are never printed."""

    kind: str
    options: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"Service({self.kind})"


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    services: Mapping[str, Service] = {}
    triggers: Mapping[str, tuple[Condition, ...]] = {}
    templates: Mapping[str, MessageTemplate] = {}
    subscriptions: tuple[Subscription, ...] = ()
    default_triggers: tuple[str, ...] = ()
    service_triggers: Mapping[str, tuple[str, ...]] = {}
    """Default triggers of one service."""
    context: Mapping[str, str] = {}
    secrets: Mapping[str, Plaintext] = {}
    problems: tuple[Problem, ...] = ()


class _RawSubscription(msgspec.Struct):
    recipients: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    selector: str = ""


def read_configuration(config_map: JsonObject | None, secret: JsonObject | None) -> Configuration:
    return _Reader(_entries(config_map), secret).read()


def _entries(config_map: JsonObject | None) -> Mapping[str, str]:
    found = (config_map or {}).get("data") or {}
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


class _Reader:
    def __init__(self, entries: Mapping[str, str], secret: JsonObject | None) -> None:
        self._entries = entries
        self._problems: list[Problem] = []
        self._secrets: Mapping[str, Plaintext] = {}
        try:
            self._secrets = secret_data(secret or {}, SECRET)
        except PlumblineError as fault:
            self._problems.append(Problem.of(SECRET, fault))

    def read(self) -> Configuration:
        for key, why in _LEGACY.items():
            if self._entries.get(key):
                self._problems.append(Problem(key, why))
        return Configuration(
            services=self._services(),
            triggers=self._named("trigger.", tuple[Condition, ...]),
            templates=self._named("template.", MessageTemplate),
            subscriptions=self._subscriptions(),
            default_triggers=self._value("defaultTriggers", tuple[str, ...]) or (),
            service_triggers=self._named("defaultTriggers.", tuple[str, ...]),
            context=self._value("context", dict[str, str]) or {},
            secrets=self._secrets,
            problems=tuple(self._problems),
        )

    def _document(self, key: str) -> Json:
        text = self._entries.get(key, "")
        if not text.strip():
            return None
        try:
            return load_document(text, limits=SETTINGS).value
        except PlumblineError as fault:
            self._problems.append(Problem.of(key, fault))
            return None

    def _value(self, key: str, shape: type[T]) -> T | None:
        found = self._document(key)
        if found is None:
            return None
        try:
            return msgspec.convert(_texts(found), shape, strict=False)
        except msgspec.ValidationError as fault:
            self._problems.append(Problem(key, str(fault)))
            return None

    def _named(self, prefix: str, shape: type[T]) -> dict[str, T]:
        found = {}
        for key in sorted(self._entries):
            value = self._value(key, shape) if key.startswith(prefix) else None
            if value is not None:
                found[key.removeprefix(prefix)] = value
        return found

    def _services(self) -> dict[str, Service]:
        found = {}
        for key in sorted(self._entries):
            parts = key.split(".")
            if parts[0] != "service":
                continue
            if len(parts) not in {2, 3}:
                self._problems.append(Problem(key, "a service is called service.<type> or service.<type>.<name>"))
                continue
            options = self._document(key)
            if isinstance(options, dict) or options is None:
                found[parts[-1]] = Service(parts[1], self._resolved(options or {}))
            else:
                self._problems.append(Problem(key, "its options are no mapping"))
        return found

    def _resolved(self, value: Json) -> Any:
        """*value* with every `$key` replaced; one that leads nowhere stays as it is written."""
        if isinstance(value, str):
            return _reference.sub(self._secret, value)
        if isinstance(value, dict):
            return {self._resolved(key): self._resolved(each) for key, each in value.items()}
        return [self._resolved(each) for each in value] if isinstance(value, list) else value

    def _secret(self, found: re.Match[str]) -> str:
        secret = self._secrets.get(found[1])
        return found[0] if secret is None else secret.reveal().decode(errors="replace")

    def _subscriptions(self) -> tuple[Subscription, ...]:
        found = []
        for raw in self._value("subscriptions", tuple[_RawSubscription, ...]) or ():
            try:
                selector = LabelSelector.parse(raw.selector) if raw.selector else None
            except PlumblineError as fault:
                self._problems.append(Problem.of("subscriptions", fault))
                continue
            found.append(Subscription(raw.recipients, raw.triggers, selector))
        return tuple(found)


def _texts(value: Json) -> Json:
    """Scalars as the text that upstream's reader makes of them where text is wanted: `when: true` is "true"."""
    if isinstance(value, dict):
        return {key: _texts(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_texts(each) for each in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value
