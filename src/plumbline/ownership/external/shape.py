"""The shape of the tables: what names a thing of which type."""

from enum import Enum
from typing import NamedTuple


class Scope(Enum):
    """How far a name is unique, and so what has to be known besides it to tell two things apart."""

    GLOBAL = "global"
    ACCOUNT = "account"
    """An AWS account, a Google project, an Azure subscription."""
    REGION = "region"
    SERVER = "server"
    """A database server, which nothing outside a cluster names in the same way: only equal spellings are equal."""


class Rule(NamedTuple):
    type: str
    scope: Scope
    names: tuple[str, ...] = ()
    """Attributes, in Terraform's spelling, that together are its id; none where the provider assigns one."""
    kind: str = ""
    """Crossplane's kind, with its group: `Instance.rds.aws.upbound.io`."""
    external_name: bool = False
    """Whether Crossplane's external name stands for the last of *names*: then it defaults to the object's name."""
    arn: str = ""
    """Service and beginning of the resource part in its ARN: `rds:db:`."""
    same_as: str = ""
    """The type that it shares its names with: a member of an Aurora cluster is a database instance."""
    fold: bool = False
    """Whether the provider ignores the case of letters in it."""
    joint: str = ":"
    place: str = "region"
    """The attribute that says where it is."""

    @property
    def canonical(self) -> str:
        return self.same_as or self.type
