"""A store in HashiCorp Vault, or OpenBao: where it is, and every way of signing in that upstream has."""

from typing import Annotated, Literal

from msgspec import field

from plumbline.kinds.externalsecrets.common import Base64, CaProvider, SecretKeySelector, ServiceAccountSelector
from plumbline.kinds.fields import DEFAULTED, DEMANDED, Fields, Int64


class VaultAppRole(Fields):
    """An AppRole."""

    path: Annotated[str, DEFAULTED, DEMANDED] = "approle"
    """Where the method is mounted."""
    role_id: str = ""
    """The role's id, said here."""
    role_ref: SecretKeySelector | None = None
    """Where the role's id is, if it is not said here."""
    secret_ref: SecretKeySelector
    """Where the secret id is."""


class VaultKubernetesAuth(Fields):
    """A service account of the cluster."""

    mount_path: Annotated[str, DEFAULTED, DEMANDED] = "kubernetes"
    """Where the method is mounted."""
    service_account_ref: ServiceAccountSelector | None = None
    """The account whose token is shown."""
    secret_ref: SecretKeySelector | None = None
    """Where a token is, if no account is said; its key is token if none is said."""
    role: str
    """The role in Vault."""


class VaultLdapAuth(Fields):
    """A user of a directory."""

    path: Annotated[str, DEFAULTED, DEMANDED] = "ldap"
    """Where the method is mounted."""
    username: str
    """The user's name."""
    secret_ref: SecretKeySelector = SecretKeySelector()
    """Where the password is."""


class VaultUserPassAuth(Fields):
    """A user of Vault."""

    path: Annotated[str, DEFAULTED, DEMANDED] = "userpass"
    """Where the method is mounted."""
    username: str
    """The user's name."""
    secret_ref: SecretKeySelector = SecretKeySelector()
    """Where the password is."""


class VaultServiceAccountToken(Fields):
    """A token that is asked of the cluster."""

    service_account_ref: ServiceAccountSelector
    """Whose token."""
    audiences: tuple[str, ...] = ()
    """Whom the token is for: vault if nothing is said. Those of the account are the newer place to say it."""
    expiration_seconds: Int64 | None = None
    """How long the token lasts; ten minutes if absent."""


class VaultJwtAuth(Fields):
    """A token that Vault can verify."""

    path: Annotated[str, DEFAULTED, DEMANDED] = "jwt"
    """Where the method is mounted."""
    role: str = ""
    """The role in Vault."""
    secret_ref: SecretKeySelector | None = None
    """Where the token is."""
    kubernetes_service_account_token: VaultServiceAccountToken | None = None
    """A token that is asked of the cluster instead."""


class VaultCertAuth(Fields):
    """A certificate of a client."""

    path: Annotated[str, DEFAULTED] = "cert"
    """Where the method is mounted."""
    client_cert: SecretKeySelector = SecretKeySelector()
    """Where the certificate is."""
    secret_ref: SecretKeySelector = SecretKeySelector()
    """Where its key is."""


class VaultAwsSecretRef(Fields):
    """An access key of AWS, kept in Secrets."""

    access_key_id: SecretKeySelector = field(name="accessKeyIDSecretRef", default=SecretKeySelector())
    """Where the key's id is."""
    secret_access_key: SecretKeySelector = field(name="secretAccessKeySecretRef", default=SecretKeySelector())
    """Where the key is."""
    session_token: SecretKeySelector | None = field(name="sessionTokenSecretRef", default=None)
    """Where the session's token is, if the key is for a session."""


class VaultAwsJwtAuth(Fields):
    """A role of AWS that a service account may take."""

    service_account_ref: ServiceAccountSelector | None = None
    """The account."""


class VaultIamAuth(Fields):
    """An identity of AWS."""

    path: str = ""
    """Where the method is mounted."""
    region: str = ""
    """Which region of AWS."""
    role: str = ""
    """ARN of a role to take first."""
    vault_role: str
    """The role in Vault."""
    external_id: str = field(name="externalID", default="")
    """What the role asks for from those who are not of its account."""
    vault_aws_iam_server_id: str = field(name="vaultAwsIamServerID", default="")
    """Which server the signed request is for, so that no other can use it."""
    secret_ref: VaultAwsSecretRef | None = None
    """With an access key."""
    jwt: VaultAwsJwtAuth | None = None
    """With a token of a service account."""


class VaultGcpSecretRef(Fields):
    """A key of Google Cloud, kept in a Secret."""

    secret_access_key: SecretKeySelector = field(name="secretAccessKeySecretRef", default=SecretKeySelector())
    """Where the key is."""


class VaultGcpWorkloadIdentity(Fields):
    """An identity of Google Cloud that a service account has."""

    service_account_ref: ServiceAccountSelector
    """The account."""
    cluster_location: str = ""
    """Where the cluster is."""
    cluster_name: str = ""
    """The cluster's name."""
    cluster_project_id: str = field(name="clusterProjectID", default="")
    """The cluster's project."""


class VaultGcpAuth(Fields):
    """An identity of Google Cloud."""

    path: Annotated[str, DEFAULTED] = "gcp"
    """Where the method is mounted."""
    role: str
    """The role in Vault."""
    location: str = ""
    """Where the instance is."""
    project_id: str = field(name="projectID", default="")
    """Which project."""
    secret_ref: VaultGcpSecretRef | None = None
    """With a key."""
    service_account_ref: ServiceAccountSelector | None = None
    """As a service account of the cluster."""
    workload_identity: VaultGcpWorkloadIdentity | None = None
    """As the identity of a service account."""


class VaultAuth(Fields):
    """How to sign in: one of these, and the namespace to do it in."""

    namespace: str | None = None
    """The namespace in Vault to sign in to; that of the store if absent."""
    token_secret_ref: SecretKeySelector | None = None
    """With a token."""
    app_role: VaultAppRole | None = None
    """With an AppRole."""
    kubernetes: VaultKubernetesAuth | None = None
    """As a service account, that Vault asks the cluster about."""
    ldap: VaultLdapAuth | None = None
    """As a user of a directory."""
    jwt: VaultJwtAuth | None = None
    """With a token that Vault can verify."""
    cert: VaultCertAuth | None = None
    """With a certificate."""
    iam: VaultIamAuth | None = None
    """As an identity of AWS."""
    user_pass: VaultUserPassAuth | None = None
    """As a user of Vault."""
    gcp: VaultGcpAuth | None = None
    """As an identity of Google Cloud."""


class VaultClientTls(Fields):
    """A certificate that is shown to the server, whatever the way of signing in."""

    cert_secret_ref: SecretKeySelector | None = None
    """Where the certificate is; its key is tls.crt if none is said."""
    key_secret_ref: SecretKeySelector | None = None
    """Where its key is; its key is tls.key if none is said."""


class VaultCheckAndSet(Fields):
    """Whether writing demands to know what is there."""

    required: bool = False
    """Whether it does."""


class VaultProvider(Fields):
    """A key-value engine of HashiCorp Vault, or OpenBao."""

    server: str
    """Where it is, such as https://vault.example.com:8200."""
    path: str | None = None
    """Where the engine is mounted; what keys begin with if absent."""
    version: Annotated[Literal["v1", "v2"], DEFAULTED] = "v2"
    """Of the engine."""
    namespace: str | None = None
    """The namespace in Vault."""
    auth: VaultAuth | None = None
    """How to sign in."""
    ca_bundle: Base64 = Base64()
    """Certificates that the server is trusted by, in PEM, in base64; those of the system if nothing is said."""
    ca_provider: CaProvider | None = None
    """Where such certificates are kept."""
    tls: VaultClientTls = VaultClientTls()
    """A certificate that is shown to the server."""
    read_your_writes: bool = False
    """Whether a read waits for what was written before it."""
    forward_inconsistent: bool = False
    """Whether such a read is passed on to the leader instead of waiting."""
    headers: dict[str, str] = field(default_factory=dict)
    """Further headers of every request."""
    check_and_set: VaultCheckAndSet | None = None
    """Whether writing demands to know what is there. Nothing here writes."""
