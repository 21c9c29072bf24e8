"""Clusters that applications may be deployed to: this one, and those that Secrets describe."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from plumbline.base.errors import BadKubeconfig, InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.delivery.settings.connections import FROM_A_SECRET, connection, read_config
from plumbline.delivery.settings.problems import Problem
from plumbline.delivery.settings.secretdata import readable, secret_data
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.parts import Trust, User
from plumbline.kube.gotext import quoted
from plumbline.kube.object import Object

IN_CLUSTER: Final = "in-cluster"
IN_CLUSTER_SERVER: Final = "https://kubernetes.default.svc"
TYPE_LABEL: Final = "argocd.argoproj.io/secret-type"
REFRESH: Final = "argocd.argoproj.io/refresh"
"""When somebody asked that nothing be believed any more that was read from it."""
_HIDDEN_ANNOTATIONS: Final = frozenset({"kubectl.kubernetes.io/last-applied-configuration", "managed-by"})
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}", re.ASCII)


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """One cluster. One that cannot be reached is still known by name and address, so that errors can say so."""

    name: str
    server: str
    namespaces: tuple[str, ...] = ()
    """The only ones that are looked at; all if there are none."""
    cluster_resources: bool = False
    """Whether objects outside of namespaces are looked at even though namespaces are named."""
    project: str = ""
    """The one project that it is for; for all if empty."""
    shard: int | None = None
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    secret: str = ""
    """Name of the Secret that describes it; empty for this cluster without one."""
    connection: Connection | None = None
    """None for this cluster, which is reached as the process reaches it anyway, and for one that is refused."""
    identity: User | None = None
    """Who to come as in this cluster, where its Secret says so."""
    refusal: str = ""
    """Why it is not connected to, and what to do about it."""

    @property
    def local(self) -> bool:
        return self.server == IN_CLUSTER_SERVER


THIS: Final = Cluster(name=IN_CLUSTER, server=IN_CLUSTER_SERVER)


def read_cluster(secret: JsonObject, trust: Trust = FROM_A_SECRET) -> Cluster:
    """What a cluster Secret says. Raises InvalidInput where not even name and address can be read."""
    described = Object(secret)
    where = f"cluster Secret {described.name}"
    data = secret_data(secret, where)
    server = readable(data.get("server")).rstrip("/")
    config = data.get("config")
    way: Connection | None = None
    identity: User | None = None
    refusal = ""
    try:
        read = read_config(config.reveal() if config else b"", where)
        if server == IN_CLUSTER_SERVER:
            identity = read.user()
        else:
            way = connection(server, read, where, trust)
    except BadKubeconfig as refused:
        refusal = f"{refused}. {refused.hint.rstrip('.')}"
    return Cluster(
        name=readable(data.get("name")),
        server=server,
        namespaces=tuple(filter(None, map(str.strip, readable(data.get("namespaces")).split(",")))),
        cluster_resources=readable(data.get("clusterResources")) == "true",
        project=readable(data.get("project")),
        shard=_shard(readable(data.get("shard"))),
        labels={key: value for key, value in described.labels.items() if key != TYPE_LABEL},
        annotations={key: value for key, value in described.annotations.items() if key not in _HIDDEN_ANNOTATIONS},
        secret=described.name,
        connection=way,
        identity=identity,
        refusal=refusal,
    )


class Clusters(msgspec.Struct, frozen=True):
    """All clusters at one time."""

    by_server: Mapping[str, Cluster]
    by_name: Mapping[str, tuple[Cluster, ...]]
    in_cluster_enabled: bool = True
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, clusters: Iterable[Cluster], *, in_cluster_enabled: bool = True) -> "Clusters":
        """Of two with the same address the one counts whose Secret's name comes first; the other is a problem."""
        by_server: dict[str, Cluster] = {}
        by_name: dict[str, list[Cluster]] = {}
        problems: list[Problem] = []
        for cluster in sorted(clusters, key=lambda each: each.secret):
            if cluster.name:
                by_name.setdefault(cluster.name, []).append(cluster)
            first = by_server.setdefault(cluster.server, cluster)
            if first is not cluster:
                problems.append(Problem(cluster.secret, f"{first.secret} describes {cluster.server} already"))
        problems += (Problem(each.secret, each.refusal) for each in by_server.values() if each.refusal)
        named = {name: tuple(found) for name, found in by_name.items()}
        return cls(by_server, named, in_cluster_enabled, tuple(problems))

    def resolve(self, destination: ApplicationDestination) -> Cluster:
        """The cluster that is meant. Raises InvalidInput or NotFound in upstream's words."""
        server, name = destination.server, destination.name
        if name and server:
            raise InvalidInput(f"application destination can't have both name and server defined: {name} {server}")
        if server:
            return self._at(server.rstrip("/"), lambda: f"error getting cluster by server {quoted(server)}")
        if not name:
            raise InvalidInput("Destination server missing from app spec")
        servers = self._servers(name)
        if not servers:
            raise NotFound(f"there are no clusters with this name: {name}")
        if len(servers) > 1:
            raise InvalidInput(f"there are {len(servers)} clusters with the same name: [{' '.join(servers)}]")
        return self._at(servers[0], lambda: "error getting cluster by URL")

    def scoped(self, project: str) -> tuple[Cluster, ...]:
        """Those that are for one project only."""
        return tuple(each for each in self.by_server.values() if project and each.project == project)

    def all(self) -> tuple[Cluster, ...]:
        others = tuple(each for each in self.by_server.values() if not each.local)
        return (self.by_server.get(IN_CLUSTER_SERVER, THIS), *others) if self.in_cluster_enabled else others

    def _servers(self, name: str) -> list[str]:
        servers = [each.server for each in self.by_name.get(name, ())]
        if not self.in_cluster_enabled:
            return [server for server in servers if server != IN_CLUSTER_SERVER]
        return servers or ([IN_CLUSTER_SERVER] if name == IN_CLUSTER else [])

    def _at(self, server: str, doing: Callable[[], str]) -> Cluster:
        local = server == IN_CLUSTER_SERVER
        found = self.by_server.get(server, THIS if local else None)
        if found is None or (local and not self.in_cluster_enabled):
            state = "not found" if found is None else "disabled"
            said = f"cluster {quoted(server)} {'is ' if found else ''}{state}"
            raise NotFound(f"{doing()}: rpc error: code = NotFound desc = {said}")
        return found


def read_clusters(
    secrets: Iterable[JsonObject], *, in_cluster_enabled: bool = True, trust: Trust = FROM_A_SECRET
) -> Clusters:
    """All that can be read; what cannot is a problem and stops none of the others."""
    found: list[Cluster] = []
    problems: list[Problem] = []
    for secret in secrets:
        try:
            found.append(read_cluster(secret, trust))
        except InvalidInput as fault:
            problems.append(Problem.of(Object(secret).name, fault))
    clusters = Clusters.of(found, in_cluster_enabled=in_cluster_enabled)
    return msgspec.structs.replace(clusters, problems=(*problems, *clusters.problems))


def _shard(text: str) -> int | None:
    """What is no number was never a shard, and is passed over as upstream does."""
    return int(text) if _NUMBER.fullmatch(text) else None
