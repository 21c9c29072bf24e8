"""What exists, for the rules: facts about things in moto's stores, by the kind's name."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from plumbline.providers.sandbox.backend import backend
from plumbline.providers.sandbox.calls import Call
from plumbline.providers.sandbox.states.progress import Progress

Finder = Callable[[Any, str], Mapping[str, Any] | None]


def _kept(store: str, *attributes: str) -> Finder:
    """Attributes of the thing that a backend keeps under that name."""

    def find(place: Any, name: str) -> Mapping[str, Any] | None:
        thing = getattr(place, store).get(name)
        return None if thing is None else {attribute: getattr(thing, attribute, None) for attribute in attributes}

    return find


def _subnet(place: Any, name: str) -> Mapping[str, Any] | None:
    found = next((zone[name] for zone in place.subnets.values() if name in zone), None)
    return None if found is None else {"availability_zone": found.availability_zone}


def _subnet_group(place: Any, name: str) -> Mapping[str, Any] | None:
    if name not in place.subnet_groups:
        return None
    # A database that was given no group has no such attribute; a group that is modified is another object.
    groups = [(each, getattr(each, "db_subnet_group", None)) for each in place.databases.values()]
    instances = [each for each, group in groups if group is not None and group.name == name]
    clusters = [each for each in place.clusters.values() if each.db_subnet_group == name]
    return {
        "used_by": [
            *(each.db_instance_identifier for each in instances),
            *(each.db_cluster_identifier for each in clusters),
        ]
    }


def _vpc(place: Any, name: str) -> Mapping[str, Any] | None:
    vpc = place.vpcs.get(name)
    if vpc is None:
        return None
    subnets = [subnet for zone in place.subnets.values() for subnet in zone.values() if subnet.vpc_id == name]
    return {
        "cidr_blocks": [block["cidr_block"] for block in vpc.get_cidr_block_association_set()],
        "subnet_blocks": [subnet.cidr_block for subnet in subnets],
        "groups": [group.id for group in place.groups.get(name, {}).values() if group.name != "default"],
    }


_INSTANCE: Final = (
    "status",
    "engine",
    "engine_version",
    "allocated_storage",
    "storage_type",
    "iops",
    "deletion_protection",
    "preferred_backup_window",
    "preferred_maintenance_window",
    "db_cluster_identifier",
)

FINDERS: Final[Mapping[str, tuple[str, Finder]]] = {
    "db-instance": ("rds", _kept("databases", *_INSTANCE)),
    "db-cluster": ("rds", _kept("clusters", "engine", "engine_version")),
    "dynamodb-table": ("dynamodb", _kept("tables", "name")),
    "eks-cluster": ("eks", _kept("clusters", "status", "version")),
    "hosted-zone": ("route53", _kept("zones", "name")),
    "kms-key": ("kms", _kept("keys", "arn", "key_state")),
    "policy": ("iam", _kept("managed_policies", "attachment_count")),
    "replication-group": ("elasticache", _kept("replication_groups", "status")),
    "secret": ("secretsmanager", _kept("secrets", "deleted_date")),
    "subnet": ("ec2", _subnet),
    "subnet-group": ("rds", _subnet_group),
    "vpc": ("ec2", _vpc),
}
# Kinds whose state moto does not keep, or changes when it is looked at: it is told by what is under way.
_READY: Final = {"db-cluster": "available", "dynamodb-table": "ACTIVE"}


class Account:
    """The world of one call."""

    def __init__(self, call: Call, progress: Progress, queue_name_wait_s: float) -> None:
        self._call = call
        self._progress = progress
        self._wait_s = queue_name_wait_s

    def found(self, kind: str, name: str) -> Mapping[str, Any] | None:
        service, find = FINDERS[kind]
        facts = find(backend(service, self._call.account, self._call.region), name)
        if facts is not None and kind in _READY:
            return {**facts, "status": self._progress.state(kind, self._call, name) or _READY[kind]}
        return facts

    def since_deleted_s(self, kind: str, name: str) -> float | None:
        passed_s = self._progress.since_deleted_s(kind, self._call, name)
        return passed_s if passed_s is not None and passed_s < self._wait_s else None
