"""Settings from the objects that hold them, read once for each version of these."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.settings.controlplane import read_control_plane
from plumbline.delivery.settings.keys import Keys
from plumbline.delivery.settings.parameters import with_parameters
from plumbline.delivery.settings.problems import Problem
from plumbline.delivery.settings.references import Lookup, nowhere, resolved
from plumbline.delivery.settings.secretdata import secret_data
from plumbline.delivery.settings.stock import STOCK
from plumbline.delivery.settings.values import Settings, Webhooks
from plumbline.kube.object import Object

CONTROL_PLANE: Final = "argocd-cm"
PARAMETERS: Final = "argocd-cmd-params-cm"
SECRETS: Final = "argocd-secret"
NOTIFICATIONS: Final = "argocd-notifications-cm"

_WEBHOOKS: Final = {
    "github": "webhook.github.secret",
    "gitlab": "webhook.gitlab.secret",
    "bitbucket_uuid": "webhook.bitbucket.uuid",
    "bitbucket_server": "webhook.bitbucketserver.secret",
    "gogs": "webhook.gogs.secret",
    "harbor": "webhook.harbor.secret",
    "azure_devops_username": "webhook.azuredevops.username",
    "azure_devops_password": "webhook.azuredevops.password",
    "generic": "webhook.generic.secret",
}


_LEADS_NOWHERE: Final = Plaintext("$")
"""Stands for a secret that is set but cannot be read: as good as a reference to nothing, and never as absent."""


class Sources(NamedTuple):
    """The objects, each None where it is not there."""

    control_plane: JsonObject | None = None
    parameters: JsonObject | None = None
    secret: JsonObject | None = None
    notifications: JsonObject | None = None

    @property
    def versions(self) -> tuple[str, ...]:
        return tuple("" if each is None else f"{Object(each).uid}/{Object(each).resource_version}" for each in self)


def read_settings(sources: Sources, *, namespace: str = "argocd", lookup: Lookup = nowhere) -> Settings:
    """Everything that can be read. Never raises: a malformed key is a problem beside its default."""
    problems: list[Problem] = []
    control, parameters, notifications = (
        _entries(each, name, problems)
        for each, name in (
            (sources.control_plane, CONTROL_PLANE),
            (sources.parameters, PARAMETERS),
            (sources.notifications, NOTIFICATIONS),
        )
    )
    keys = Keys(STOCK if sources.control_plane is None else control)
    settings = read_control_plane(keys, namespace)
    more = Keys(parameters)
    settings = with_parameters(settings, more)
    problems += (*keys.problems, *more.problems)
    webhooks = _with_secrets(settings.webhooks, _secrets(sources.secret, problems), lookup, problems)
    return msgspec.structs.replace(
        settings, webhooks=webhooks, notifications=notifications, problems=tuple(dict.fromkeys(problems))
    )


class SettingsReader:
    """The settings of one installation; the same value for as long as its objects stay the same."""

    def __init__(self, namespace: str = "argocd") -> None:
        self._namespace = namespace
        self._versions: tuple[str, ...] = ()
        self._settings = Settings(namespace=namespace)

    def read(self, sources: Sources, lookup: Lookup = nowhere, *, secrets_version: str = "") -> Settings:
        """*secrets_version* changes with what *lookup* finds."""
        versions = (*sources.versions, secrets_version)
        if versions != self._versions:
            self._settings = read_settings(sources, namespace=self._namespace, lookup=lookup)
            self._versions = versions
        return self._settings


def _entries(config_map: JsonObject | None, name: str, problems: list[Problem]) -> Mapping[str, str]:
    data = (config_map or {}).get("data") or {}
    if not isinstance(data, dict):
        problems.append(Problem(name, "its data is no mapping"))
        return {}
    odd = [key for key, value in data.items() if not isinstance(value, str)]
    problems += (Problem(str(key), "it is not text") for key in odd)
    return {key: value for key, value in data.items() if key not in odd}


def _secrets(secret: JsonObject | None, problems: list[Problem]) -> Mapping[str, Plaintext]:
    """Key by key, so that one that cannot be read takes no other with it."""
    if secret is None:
        return {}
    found: dict[str, Plaintext] = {}
    data = secret.get("data") or {}
    if not isinstance(data, dict):
        problems.append(Problem(SECRETS, "its data is no mapping"))
        return {}
    for key in data:
        try:
            found |= secret_data({"data": {key: data[key]}}, SECRETS)
        except InvalidInput as fault:
            problems.append(Problem.of(str(key), fault))
            found[key] = _LEADS_NOWHERE
    return found


def _with_secrets(
    webhooks: Webhooks, own: Mapping[str, Plaintext], lookup: Lookup, problems: list[Problem]
) -> Webhooks:
    secrets: dict[str, Plaintext] = {}
    unresolved: set[str] = set()
    for name, key in _WEBHOOKS.items():
        value = own.get(key)
        if not value:
            continue
        opened = resolved(value, own, lookup)
        if opened:
            secrets[name] = opened
        else:
            unresolved.add(name)
            problems.append(Problem(key, "it refers to a secret that is not there, and webhooks with it are refused"))
    return msgspec.structs.replace(webhooks, **secrets, unresolved=frozenset(unresolved))
