"""Everything that somebody has made: what is left in the cloud. What AWS puts into each account is not listed."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from plumbline.providers.sandbox.backend import backend, touched


class Resource(msgspec.Struct, frozen=True):
    service: str
    kind: str
    id: str
    account: str
    region: str


Lister = Callable[[Any], Iterable[str]]


def _keys(store: str) -> Lister:
    return lambda place: list(getattr(place, store))


def _each(store: str, name: str, *, unless: Callable[[Any], bool] = lambda _: False) -> Lister:
    return lambda place: [str(getattr(each, name)) for each in getattr(place, store).values() if not unless(each)]


def _subnets(place: Any) -> Iterable[str]:
    return [each.id for zone in place.subnets.values() for each in zone.values() if not _default(each)]


def _default(subnet: Any) -> bool:
    return str(subnet.default_for_az).lower() == "true"


def _groups(place: Any) -> Iterable[str]:
    return [each.id for groups in place.groups.values() for each in groups.values() if each.name != "default"]


def _policies(place: Any) -> Iterable[str]:
    return [arn for arn in place.managed_policies if ":iam::aws:" not in arn]


def _nodegroups(place: Any) -> Iterable[str]:
    return [f"{cluster.name}:{name}" for cluster in place.clusters.values() for name in cluster.nodegroups]


LISTERS: Final[dict[str, dict[str, Lister]]] = {
    "dynamodb": {"table": _keys("tables")},
    "ec2": {
        "vpc": _each("vpcs", "id", unless=lambda vpc: str(vpc.is_default).lower() == "true"),
        "subnet": _subnets,
        "security-group": _groups,
    },
    "eks": {"cluster": _keys("clusters"), "nodegroup": _nodegroups},
    "elasticache": {
        "replication-group": _keys("replication_groups"),
        "subnet-group": lambda place: [name for name in place.cache_subnet_groups if name != "default"],
    },
    "iam": {"role": _each("roles", "name"), "policy": _policies, "user": _each("users", "name")},
    "kms": {"key": _each("keys", "id", unless=lambda key: key.key_manager == "AWS")},
    "rds": {
        "db-instance": _each("databases", "db_instance_identifier"),
        "db-cluster": _each("clusters", "db_cluster_identifier"),
        "subnet-group": _each("subnet_groups", "name"),
    },
    "route53": {"hosted-zone": _keys("zones")},
    "s3": {"bucket": _keys("buckets")},
    "secretsmanager": {"secret": _each("secrets", "name")},
    "sns": {"topic": _keys("topics")},
    "sqs": {"queue": _keys("queues")},
}


def resources() -> list[Resource]:
    return [
        Resource(service, kind, name, account, region)
        for service, account, region in touched()
        for kind, listed in LISTERS.get(service, {}).items()
        for name in sorted(listed(backend(service, account, region)))
    ]
