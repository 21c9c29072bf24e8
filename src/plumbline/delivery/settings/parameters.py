"""argocd-cmd-params-cm, as far as it means something to one process."""

import re
from ipaddress import ip_network
from typing import Final

import msgspec

from plumbline.delivery.settings.keys import Keys
from plumbline.delivery.settings.values import SelfHeal, Settings

_SIZE: Final = re.compile(r"([0-9]{1,9})([kKMG]i?)?")
_UNITS: Final = {"": 1, "k": 1000, "K": 1000, "M": 1000**2, "G": 1000**3}
_BINARY: Final = {"Ki": 1024, "ki": 1024, "Mi": 1024**2, "Gi": 1024**3}
_PROXIES: Final = "server.trusted.proxies"
_DIRECTORY: Final = "reposerver.max.combined.directory.manifests.size"


def with_parameters(settings: Settings, keys: Keys) -> Settings:
    """*settings* with what the parameters say."""
    timing = msgspec.structs.replace(
        settings.timing,
        repository_grace_s=keys.seconds("controller.repo.error.grace.period.seconds", 180, bare=True),
        sync_timeout_s=keys.number("controller.sync.timeout.seconds", 0),
        sync_wave_delay_s=keys.number("controller.sync.wave.delay.seconds", 2),
        git_request_s=keys.seconds("reposerver.git.request.timeout", 15),
        render_s=keys.number("controller.repo.server.timeout.seconds", 60),
        jq_s=keys.seconds("controller.ignore.normalizer.jq.timeout", 1) or 1,
        self_heal=SelfHeal(
            fixed_s=keys.number("controller.self.heal.timeout.seconds", 0),
            initial_s=keys.number("controller.self.heal.backoff.timeout.seconds", 2),
            factor=keys.number("controller.self.heal.backoff.factor", 3),
            cap_s=keys.number("controller.self.heal.backoff.cap.seconds", 300),
        ),
    )
    rendering = msgspec.structs.replace(
        settings.rendering,
        submodules=keys.flag("reposerver.enable.git.submodule", default=True, any_case=True),
        hidden_directories=keys.flag("reposerver.include.hidden.directories", default=False, any_case=True),
        links_outside=keys.flag("reposerver.allow.oob.symlinks", default=False, any_case=True),
        directory_bytes=_size_bytes(keys, settings.rendering.directory_bytes),
    )
    return msgspec.structs.replace(
        settings,
        timing=timing,
        rendering=rendering,
        hydrating=msgspec.structs.replace(
            settings.hydrating, enabled=keys.flag("hydrator.enabled", default=False, any_case=True)
        ),
        application_namespaces=keys.list("application.namespaces"),
        server_side_diff=keys.flag("controller.diff.server.side", default=False, any_case=True),
        persist_resource_health=keys.flag("controller.resource.health.persist", default=False, any_case=True),
        replace_allowed=keys.flag("server.sync.replace.allowed", default=True, any_case=True),
        trusted_proxies=_networks(keys),
    )


def _networks(keys: Keys) -> tuple[str, ...]:
    """What is no network is trusted by nobody, and the others are."""
    found = []
    for each in keys.list(_PROXIES):
        try:
            found.append(str(ip_network(each, strict=False)))
        except ValueError:
            keys.told(_PROXIES, f"{each[:100]!r} is neither an address nor a network such as 10.0.0.0/8")
    return tuple(found)


def _size_bytes(keys: Keys, default: int) -> int:
    value = keys.text(_DIRECTORY)
    if not value:
        return default
    found = _SIZE.fullmatch(value)
    if found is None or not int(found[1]):
        keys.told(_DIRECTORY, f"it is no size such as 10M, and {default} counts")
        return default
    return int(found[1]) * ({**_UNITS, **_BINARY}[found[2] or ""])
