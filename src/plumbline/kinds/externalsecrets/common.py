"""What the kinds of External Secrets have in common: names of things in the cluster, conditions, columns."""

from base64 import b64decode, b64encode
from typing import Annotated, ClassVar, Final, Literal, Self, TypeAlias

from msgspec import Meta

from plumbline.base.json import Json, JsonObject
from plumbline.kinds.fields import Fields, shaped
from plumbline.kinds.kind import Column
from plumbline.kinds.timestamp import Time

GROUP: Final = "external-secrets.io"
CATEGORY: Final = "external-secrets"
OLDER: Final = "external-secrets.io/v1beta1 is read as v1: write v1"
"""What a client is told that still uses v1beta1."""

ONE_MAP: Final = Meta(extra_json_schema={"x-kubernetes-map-type": "atomic"})
EXACTLY_ONE: Final = Meta(extra_json_schema={"minProperties": 1, "maxProperties": 1})
"""Fields that exclude each other, one of which is there."""

STATUS: Final = Column(name="Status", path='.status.conditions[?(@.type=="Ready")].reason')
READY: Final = Column(name="Ready", path='.status.conditions[?(@.type=="Ready")].status')

ObjectName: TypeAlias = Annotated[
    str,
    Meta(min_length=1, max_length=253),
    shaped(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
]
NamespaceName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=63), shaped("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
KeyName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=253), shaped("^[-._a-zA-Z0-9]+$")]
"""Of an entry of a Secret or a ConfigMap."""


class Base64(bytes):
    """Bytes that are written in base64. Line breaks in it do no harm, as people paste them and Go reads over them."""

    openapi: ClassVar[JsonObject] = {"type": "string", "format": "byte"}

    @classmethod
    def read(cls, raw: Json) -> Self:
        try:
            return cls(b64decode(raw.replace("\r", "").replace("\n", ""), validate=True))
        except (AttributeError, ValueError):
            raise ValueError("bytes in base64") from None

    def write(self) -> str:
        return b64encode(self).decode()


class SecretKeySelector(Fields):
    """An entry of a Secret."""

    name: ObjectName = ""
    """The Secret's name."""
    namespace: NamespaceName = ""
    """The Secret's namespace. Only a ClusterSecretStore may say it; elsewhere it is the store's own."""
    key: KeyName = ""
    """Which entry. Some fields have one that they mean if none is said."""


class ServiceAccountSelector(Fields):
    """A service account of the cluster."""

    name: ObjectName
    """The account's name."""
    namespace: NamespaceName = ""
    """The account's namespace. Only a ClusterSecretStore may say it; elsewhere it is the store's own."""
    audiences: tuple[str, ...] = ()
    """Whom tokens of the account are for."""


class CaProvider(Fields):
    """Certificates of authorities that a server is trusted by, in PEM, kept in the cluster."""

    type: Literal["Secret", "ConfigMap"]
    """What they are kept in."""
    name: ObjectName
    """Its name."""
    key: KeyName = ""
    """Which entry of it."""
    namespace: NamespaceName = ""
    """Its namespace. Only a ClusterSecretStore may say it; elsewhere it is the store's own."""


class Condition(Fields):
    """One aspect of how an object is."""

    type: str
    """Which aspect; Ready sums up the others."""
    status: str
    """True, False or Unknown."""
    reason: str = ""
    """One word for programs."""
    message: str = ""
    """One sentence for people."""
    last_transition_time: Time | None = None
    """When the status last changed."""
