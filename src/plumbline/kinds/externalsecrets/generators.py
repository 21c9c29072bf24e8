"""Kinds of External Secrets that make values up (generators.external-secrets.io): passwords, identifiers, keys, fixed values.

Those that ask a cloud or a server for a token are named in `externalsecret.GENERATORS`, and have no definition here.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta, field

from plumbline.kinds.externalsecrets.common import CATEGORY, KeyName
from plumbline.kinds.fields import DEFAULTED, DEMANDED, Fields
from plumbline.kinds.kind import Kind, NoStatus, Version

GROUP: Final = "generators.external-secrets.io"
VERSION: Final = "v1alpha1"
_CATEGORIES: Final = (CATEGORY, "external-secrets-generators")


class PasswordSpec(Fields):
    """How the password is made."""

    length: Annotated[int, DEFAULTED, DEMANDED] = 24
    """How many characters it has."""
    digits: int | None = None
    """How many of them are digits; a quarter if absent."""
    symbols: int | None = None
    """How many of them are symbols; a quarter if absent."""
    symbol_characters: str | None = None
    """Which symbols."""
    no_upper: Annotated[bool, DEFAULTED, DEMANDED] = False
    """Whether its letters are small."""
    allow_repeat: Annotated[bool, DEFAULTED, DEMANDED] = False
    """Whether a character may be in it twice."""
    secret_keys: tuple[KeyName, ...] = ()
    """Keys that each get a password of their own; `password` if there are none."""
    encoding: Annotated[Literal["base64", "base64url", "base32", "hex", "raw"], DEFAULTED] = "raw"
    """How it is written."""


class UuidSpec(Fields):
    """There is nothing to say about it."""


class SshKeySpec(Fields):
    """Which sort of key is made."""

    key_type: Annotated[Literal["rsa", "ecdsa", "ed25519"], DEFAULTED] = "rsa"
    """The algorithm."""
    key_size: Annotated[int, Meta(ge=256, le=8192)] | None = None
    """In bits: of a key of RSA 2048 if absent, of one of ECDSA 256, 384 or 521, 256 if absent."""
    comment: str = ""
    """What stands behind the public key."""


class FakeGeneratorSpec(Fields):
    """Values that are written down here."""

    controller: str = ""
    """Which controller looks after it; one that has no such name leaves it alone."""
    data: dict[str, str] = field(default_factory=dict)
    """The values."""


class GeneratorSpec(Fields):
    """The spec of a generator of the kind that is said beside it. Others are kept as they are."""

    fake: FakeGeneratorSpec | None = field(name="fakeSpec", default=None)
    """Of a Fake."""
    password: PasswordSpec | None = field(name="passwordSpec", default=None)
    """Of a Password."""
    ssh_key: SshKeySpec | None = field(name="sshKeySpec", default=None)
    """Of an SSHKey."""
    uuid: UuidSpec | None = field(name="uuidSpec", default=None)
    """Of a UUID."""


class ClusterGeneratorSpec(Fields):
    """A generator for all namespaces."""

    kind: str
    """Which kind of generator it is."""
    generator: Annotated[GeneratorSpec, Meta(extra_json_schema={"minProperties": 1, "maxProperties": 1})]
    """Its spec."""


PASSWORD: Final = Kind(
    group=GROUP,
    kind="Password",
    plural="passwords",
    categories=_CATEGORIES,
    description="Passwords, a new one for each refresh of whoever names it.",
    versions=(Version(name=VERSION, spec=PasswordSpec, status=NoStatus),),
    keep_unknown=True,
)

UUID: Final = Kind(
    group=GROUP,
    kind="UUID",
    plural="uuids",
    categories=_CATEGORIES,
    description="Identifiers, a new one for each refresh of whoever names it.",
    versions=(Version(name=VERSION, spec=UuidSpec, status=NoStatus),),
    keep_unknown=True,
)

SSH_KEY: Final = Kind(
    group=GROUP,
    kind="SSHKey",
    plural="sshkeys",
    categories=_CATEGORIES,
    description="Pairs of keys for SSH, a new one for each refresh of whoever names it.",
    versions=(Version(name=VERSION, spec=SshKeySpec, status=NoStatus),),
    keep_unknown=True,
)

FAKE: Final = Kind(
    group=GROUP,
    kind="Fake",
    plural="fakes",
    categories=_CATEGORIES,
    description="Values that are written down here, for trying things out.",
    versions=(Version(name=VERSION, spec=FakeGeneratorSpec, status=NoStatus),),
    keep_unknown=True,
)

CLUSTER_GENERATOR: Final = Kind(
    group=GROUP,
    kind="ClusterGenerator",
    plural="clustergenerators",
    namespaced=False,
    categories=_CATEGORIES,
    description="A generator that every namespace may name.",
    versions=(Version(name=VERSION, spec=ClusterGeneratorSpec, status=NoStatus),),
    keep_unknown=True,
)
