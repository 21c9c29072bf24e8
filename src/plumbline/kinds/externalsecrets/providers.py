"""What a store is, kind by kind: Vault, AWS, another Kubernetes cluster, and values written down for trying things out."""

from typing import Annotated, Literal

from msgspec import field

from plumbline.kinds.externalsecrets.common import (
    EXACTLY_ONE,
    Base64,
    CaProvider,
    NamespaceName,
    SecretKeySelector,
    ServiceAccountSelector,
)
from plumbline.kinds.externalsecrets.vault import VaultProvider
from plumbline.kinds.fields import DEFAULTED, Fields, Int64


class AwsSecretRef(Fields):
    """An access key, kept in Secrets."""

    access_key_id: SecretKeySelector = field(name="accessKeyIDSecretRef", default=SecretKeySelector())
    """Where the key's id is."""
    secret_access_key: SecretKeySelector = field(name="secretAccessKeySecretRef", default=SecretKeySelector())
    """Where the key is."""
    session_token: SecretKeySelector | None = field(name="sessionTokenSecretRef", default=None)
    """Where the session's token is, if the key is for a session."""


class AwsJwtAuth(Fields):
    """A role that a service account may take."""

    service_account_ref: ServiceAccountSelector | None = None
    """The account; the role is in its annotation eks.amazonaws.com/role-arn."""


class AwsAuth(Fields):
    """How to sign in: one of these; as the controller itself if neither."""

    secret_ref: AwsSecretRef | None = None
    """With an access key."""
    jwt: AwsJwtAuth | None = None
    """With a token of a service account."""


class AwsSecretsManager(Fields):
    """How secrets are deleted, by whoever writes to the store."""

    force_delete_without_recovery: bool = False
    """Whether they go at once."""
    recovery_window_in_days: Int64 = 0
    """How long they can be had back."""


class AwsTag(Fields):
    """A tag of a session."""

    key: str
    """Its name."""
    value: str
    """What it says."""


class AwsProvider(Fields):
    """A region of AWS."""

    service: Literal["SecretsManager", "ParameterStore"]
    """Which of its services keeps the secrets."""
    region: str
    """Which region."""
    auth: AwsAuth = AwsAuth()
    """How to sign in."""
    role: str = ""
    """ARN of a role to take."""
    additional_roles: tuple[str, ...] = ()
    """ARNs of roles to take before it, one after the other."""
    external_id: str = field(name="externalID", default="")
    """What the role asks for from those who are not of its account."""
    session_tags: tuple[AwsTag, ...] = ()
    """Tags of the session in which the role is taken."""
    transitive_tag_keys: tuple[str, ...] = ()
    """Tags that stay when one role takes the next."""
    prefix: str = ""
    """Stands before every name of a secret."""
    secrets_manager: AwsSecretsManager | None = None
    """How secrets are deleted, by whoever writes to the store."""


class KubernetesServer(Fields):
    """An API server."""

    url: Annotated[str, DEFAULTED] = "kubernetes.default"
    """Where it is; this cluster's own if nothing is said."""
    ca_bundle: Base64 = Base64()
    """Certificates that it is trusted by, in PEM, in base64."""
    ca_provider: CaProvider | None = None
    """Where such certificates are kept."""


class KubernetesCertAuth(Fields):
    """A certificate of a client."""

    client_cert: SecretKeySelector = SecretKeySelector()
    """Where the certificate is."""
    client_key: SecretKeySelector = SecretKeySelector()
    """Where its key is."""


class KubernetesTokenAuth(Fields):
    """A token."""

    bearer_token: SecretKeySelector = SecretKeySelector()
    """Where the token is."""


class KubernetesAuth(Fields):
    """How to sign in: one of these."""

    cert: KubernetesCertAuth | None = None
    """With a certificate."""
    token: KubernetesTokenAuth | None = None
    """With a token."""
    service_account: ServiceAccountSelector | None = None
    """As a service account of this cluster."""


class KubernetesProvider(Fields):
    """Secrets of a namespace, of this cluster or another."""

    server: KubernetesServer = KubernetesServer()
    """The API server."""
    auth: Annotated[KubernetesAuth | None, EXACTLY_ONE] = None
    """How to sign in."""
    auth_ref: SecretKeySelector | None = None
    """A kubeconfig that says all of this."""
    remote_namespace: Annotated[NamespaceName, DEFAULTED] = "default"
    """The namespace there."""


class FakeItem(Fields):
    """A secret that is written down here."""

    key: str
    """Its name."""
    value: str
    """What it holds."""
    version: str = ""
    """Which version this is."""


class FakeProvider(Fields):
    """Secrets that are written down in the store: for trying things out, as everybody who may read the store reads them."""

    data: tuple[FakeItem, ...]
    """The secrets."""
    validation_result: int | None = None
    """What a look at the store finds: 0 for ready, 1 for unknown, 2 for an error."""


class SecretStoreProvider(Fields):
    """What the store is: one of these. Others are kept as they are and reported as not supported."""

    vault: VaultProvider | None = None
    """HashiCorp Vault, or OpenBao."""
    aws: AwsProvider | None = None
    """AWS Secrets Manager or Parameter Store."""
    kubernetes: KubernetesProvider | None = None
    """Secrets of a namespace."""
    fake: FakeProvider | None = None
    """Secrets that are written down here."""
