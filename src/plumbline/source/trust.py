"""How servers of repositories prove who they are: host keys for ssh, certificates for TLS, both from ConfigMaps."""

from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.source.configmaps import texts
from plumbline.source.urls import host_of

KNOWN_HOSTS_NAME: Final = "argocd-ssh-known-hosts-cm"
CERTIFICATES_NAME: Final = "argocd-tls-certs-cm"
KNOWN_HOSTS_KEY: Final = "ssh_known_hosts"


class Trust(msgspec.Struct, frozen=True):
    known_hosts: str
    certificates: dict[str, str]
    """Hosts in lower case, and the PEM blocks to trust for each beside those of the system."""

    def authorities(self, url: str) -> str:
        """The PEM blocks for the host of an address, or nothing."""
        return self.certificates.get(host_of(url), "")


@cache
def stock_known_hosts() -> str:
    """Keys of the large public hosts, as upstream ships them."""
    return Path(__file__).with_name("known_hosts").read_text("ascii")


def trust(known_hosts: JsonObject | None = None, certificates: JsonObject | None = None) -> Trust:
    """From the two ConfigMaps. Without host keys in the first the stock ones hold; an empty text is none, and stays."""
    chosen = texts(known_hosts).get(KNOWN_HOSTS_KEY)
    return Trust(
        stock_known_hosts() if chosen is None else chosen,
        {host.lower(): pem for host, pem in texts(certificates).items()},
    )
