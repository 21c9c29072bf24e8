"""Every AWS kind, as its table and the one engine make it."""

import functools
from collections.abc import Iterator
from importlib import import_module
from typing import Final

import msgspec

from plumbline.managed.kinds import ManagedKind, ProviderKind, with_namespaced_twin
from plumbline.providers.aws import config, fields
from plumbline.providers.aws.clients import Clients
from plumbline.providers.aws.engine.external import AwsConnector
from plumbline.providers.aws.table import Table

PROVIDER: Final = ProviderKind(
    name="aws",
    group="aws.upbound.io",
    version="v1beta1",
    schema=config.schema,
    packages=("provider-aws-", "provider-family-aws"),
)
_SERVICES: Final = (
    "rds",
    "s3",
    "sqs",
    "sns",
    "dynamodb",
    "secretsmanager",
    "kms",
    "ec2",
    "iam",
    "elasticache",
    "route53",
    "eks",
)


def tables() -> Iterator[Table]:
    for service in _SERVICES:
        yield from import_module(f"plumbline.providers.aws.tables.{service}").TABLES


def managed_kind(table: Table, clients: Clients) -> ManagedKind:
    return ManagedKind(
        provider=PROVIDER,
        group=table.api_group,
        kind=table.kind,
        plural=table.plural,
        versions=table.versions,
        schemas=functools.partial(fields.schema, table),
        connector=AwsConnector(table, clients),
        external_name=table.external_name,
        found_again=table.external_name == "chosen"
        or bool(table.find or table.key.limit or table.key.field or table.key.joined),
        holds=table.holds,
        references=table.references,
        generates=table.generates,
        connection_keys=connection_keys(table),
        poll_s=table.poll_s,
    )


def connection_keys(table: Table) -> tuple[str, ...]:
    """Every key that the connection Secret of the kind can have."""
    from_secrets = (f"attribute.{fields.snake(field.removesuffix('SecretRef'))}" for field in table.secrets)
    return (*table.connection, *(table.master.keys if table.master else ()), *table.sealed, *from_secrets)


def kinds(clients: Clients) -> tuple[ManagedKind, ...]:
    """Every kind in both lineages. No model is loaded and nothing is imported from AWS's library before one is used."""
    return tuple(kind for table in tables() for kind in _both(managed_kind(table, clients)))


def _both(kind: ManagedKind) -> tuple[ManagedKind, ManagedKind]:
    """The namespaced lineage began anew: its versions are all v1beta1."""
    legacy, twin = with_namespaced_twin(kind)
    return legacy, msgspec.structs.replace(twin, versions=("v1beta1",))
