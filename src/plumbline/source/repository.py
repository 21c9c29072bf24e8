"""A repository as settings describe it: where it is, and as whom we come."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

import msgspec

from plumbline.base.plaintext import Plaintext

Type: TypeAlias = Literal["git", "helm", "oci"]


class GitHubApp(msgspec.Struct, frozen=True):
    id: int
    private_key: Plaintext
    installation_id: int = 0
    """Zero: found by asking for the organisation that the address names."""
    api_url: str = ""
    """Of a GitHub Enterprise; empty for the public one."""


class AzurePrincipal(msgspec.Struct, frozen=True):
    """A service principal, which asks Microsoft Entra for a token."""

    client_id: str
    tenant_id: str
    client_secret: Plaintext
    endpoint: str = ""
    """Of a sovereign cloud; empty for the public one."""


class Credentials(msgspec.Struct, frozen=True):
    """As whom we come. Empty values mean: without that."""

    username: str = ""
    password: Plaintext | None = None
    bearer_token: Plaintext | None = None
    ssh_private_key: Plaintext | None = None
    tls_certificate: str = ""
    tls_key: Plaintext | None = None
    github_app: GitHubApp | None = None
    gcp_key: Plaintext | None = None
    """The JSON key of a Google service account."""
    azure: AzurePrincipal | None = None
    azure_workload_identity: bool = False
    force_basic: bool = False
    pass_to_others: bool = False
    """Whether they are also sent to the hosts that a chart index points to."""

    @property
    def cloud(self) -> str:
        """Where a token would have to be asked for that nobody here asks for; empty if nowhere."""
        if self.gcp_key:
            return "Google"
        return "Microsoft Entra" if self.azure or self.azure_workload_identity else ""


ANONYMOUS = Credentials()


class Repository(msgspec.Struct, frozen=True):
    url: str
    type: Type = "git"
    name: str = ""
    project: str = ""
    credentials: Credentials = ANONYMOUS
    insecure: bool = False
    """Its certificate or host key is not checked."""
    lfs: bool = False
    submodules: bool = True
    depth: int = 0
    oci: bool = False
    """Charts come from an OCI registry, whatever the address looks like."""
    plain_http: bool = False
    """An OCI registry without TLS."""
    proxy: str = ""
    no_proxy: str = ""
    ca_pem: str = ""
    """Certificates to trust for its host, beside those of the system."""
    known_hosts: str = ""
    stands_at: str = ""
    """Where it really is: the address of a local repository that stands for the one that manifests name."""
    inherited: bool = False
    """Its credentials come from a template."""


Connect: TypeAlias = Callable[[str, str], Repository]
"""The repository that settings describe for an address and a project. It may refuse."""
Authorised: TypeAlias = Callable[[Repository], Awaitable[Credentials]]
"""The credentials to come with, made where they have to be made first."""


async def as_given(repository: Repository) -> Credentials:
    """The credentials as settings hold them."""
    return repository.credentials
