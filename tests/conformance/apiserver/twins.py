"""The same requests to the real API server and to ours, and what they disagree about."""

import http.client
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from tests.apiserver.scripts import goldens
from tests.apiserver.scripts.normal import normalised
from tests.apiserver.scripts.ours import OurServer
from tests.apiserver.scripts.steps import AGENT, Past, Reply, Script, Server, Step, run
from tests.conformance.real import RealCluster

__all__ = [
    "AGENT",
    "OurServer",
    "Past",
    "RealServer",
    "Reply",
    "Script",
    "Server",
    "Step",
    "disagreements",
    "normalised",
    "run",
]


class RealServer:
    """One connection for each request: what a reply does to its connection must not show in the next."""

    def __init__(self, cluster: RealCluster) -> None:
        self._cluster = cluster

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        where = urlsplit(self._cluster.url)
        connection = http.client.HTTPSConnection(
            where.hostname or "", where.port, context=self._cluster.tls, timeout=20
        )
        try:
            connection.request(method, target, body or None, dict(headers))
            answer = connection.getresponse()
            found: dict[str, tuple[str, ...]] = {}
            for name, value in answer.getheaders():
                # Headers are UTF-8, whatever the client takes them for.
                text = value.encode("latin-1").decode()
                found[name.lower()] = (*found.get(name.lower(), ()), text)
            return Reply(answer.status, found, answer.read())
        finally:
            connection.close()


def disagreements(script: Script, theirs: Sequence[Reply], ours: Sequence[Reply], spaces: tuple[str, str]) -> list[str]:
    """Step by step: status, the headers that clients look at, and the body."""
    return goldens.disagreements(script, normalised(script, ours, spaces[1]), normalised(script, theirs, spaces[0]))
