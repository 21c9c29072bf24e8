"""Certificates and host keys where they are kept: in Argo CD's ConfigMaps."""

from collections.abc import Callable, Sequence
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.source.certificates.edits import Edited, Kept, added, listed, removed
from plumbline.source.certificates.values import HTTPS, SSH, Certificate, Selector
from plumbline.source.configmaps import ConfigMaps, put, settled, texts
from plumbline.source.trust import CERTIFICATES_NAME, KNOWN_HOSTS_KEY, KNOWN_HOSTS_NAME, stock_known_hosts

_TOLD: Final = 3
_BOTH: Final = f"{KNOWN_HOSTS_NAME} or {CERTIFICATES_NAME}"


class Certificates:
    """Without a ConfigMap the host keys of the large forges count: they are listed, and written with the first change."""

    def __init__(self, maps: ConfigMaps) -> None:
        self._maps = maps

    async def listed(self, selector: Selector) -> list[Certificate]:
        _, _, kept = await self._read()
        return listed(kept, selector)

    async def add(self, certificates: Sequence[Certificate], *, upsert: bool) -> list[Certificate]:
        """Those that were not there as they are."""
        servers = _named(certificates)
        return await self._edit(lambda kept: added(kept, certificates, upsert=upsert), f"Trust {servers}")

    async def remove(self, selector: Selector) -> list[Certificate]:
        return await self._edit(
            lambda kept: removed(kept, selector), f"Trust {selector.pattern or 'any host'} no longer"
        )

    async def _edit(self, edit: Callable[[Kept], Edited], why: str) -> list[Certificate]:
        done: dict[str, list[Certificate]] = {}

        async def once() -> list[Certificate]:
            hosts, authorities, before = await self._read()
            after, items = edit(before)
            if after.known_hosts != before.known_hosts:
                entries = {**texts(hosts), KNOWN_HOSTS_KEY: after.known_hosts}
                await put(self._maps, KNOWN_HOSTS_NAME, hosts, entries, why)
                # The other write may have to be tried again, when this one has been done.
                done[SSH] = [each for each in items if each.type == SSH]
            if after.authorities != before.authorities:
                await put(self._maps, CERTIFICATES_NAME, authorities, after.authorities, why)
                done[HTTPS] = [each for each in items if each.type == HTTPS]
            return [*done.get(SSH, ()), *done.get(HTTPS, ())]

        return await settled(_BOTH, once)

    async def _read(self) -> tuple[JsonObject | None, JsonObject | None, Kept]:
        hosts, authorities = await self._maps.read(KNOWN_HOSTS_NAME), await self._maps.read(CERTIFICATES_NAME)
        known_hosts = texts(hosts).get(KNOWN_HOSTS_KEY, stock_known_hosts())
        return hosts, authorities, Kept(known_hosts, texts(authorities))


def _named(certificates: Sequence[Certificate]) -> str:
    servers = list(dict.fromkeys(each.server[:100] for each in certificates))
    more = f" and {len(servers) - _TOLD} more" if len(servers) > _TOLD else ""
    return ", ".join(servers[:_TOLD]) + more
