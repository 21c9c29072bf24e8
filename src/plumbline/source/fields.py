"""The keys of a repository Secret, exactly as upstream spells them, and what they come to.

Values stay closed until a `Repository` is made of them. Templates and repositories are put together here, key by key:
half of a GitHub App may come from each.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from plumbline.base.plaintext import Plaintext
from plumbline.source.repository import AzurePrincipal, Credentials, GitHubApp, Repository, Type

_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,19}")
_INT64: Final = 2**63 - 1
_TYPES: Final[dict[str, Type]] = {"": "git", "git": "git", "helm": "helm", "oci": "oci"}

_TEXTS: Final = (
    "name", "project", "url", "username", "type", "proxy", "noProxy", "tlsClientCertData", "githubAppEnterpriseBaseUrl",
    "azureServicePrincipalClientId", "azureServicePrincipalTenantId", "azureActiveDirectoryEndpoint",
)  # fmt: skip
_BOOLS: Final = (
    "insecure", "insecureIgnoreHostKey", "enableLfs", "enableOCI", "insecureOCIForceHttp", "forceHttpBasicAuth",
    "useAzureWorkloadIdentity", "webhookManifestCacheWarmDisabled",
)  # fmt: skip
_NUMBERS: Final = ("githubAppID", "githubAppInstallationID", "depth")
_OWN: Final = (
    "username", "password", "bearerToken", "sshPrivateKey", "tlsClientCertData", "githubAppPrivateKey",
    "azureServicePrincipalClientSecret",
)  # fmt: skip
"""With any of these a repository has credentials, and no template is looked for."""
_TAKEN_OVER: Final = ("enableOCI", "insecureOCIForceHttp", "forceHttpBasicAuth", "useAzureWorkloadIdentity")
"""What a template decides even where the repository says something."""
_OF_TEMPLATES: Final = frozenset({
    "url", "username", "password", "bearerToken", "sshPrivateKey", "tlsClientCertData", "tlsClientCertKey", "type",
    "githubAppPrivateKey", "githubAppID", "githubAppInstallationID", "githubAppEnterpriseBaseUrl", "enableOCI",
    "insecureOCIForceHttp", "gcpServiceAccountKey", "proxy", "noProxy", "forceHttpBasicAuth", "useAzureWorkloadIdentity",
    "azureServicePrincipalClientId", "azureServicePrincipalClientSecret", "azureServicePrincipalTenantId",
    "azureActiveDirectoryEndpoint",
})  # fmt: skip
_SPELLED_BY_TEMPLATES: Final = {
    "azureServicePrincipalClientId": "azureServicePrincipalClientID",
    "azureServicePrincipalTenantId": "azureServicePrincipalTenantID",
}
_READ_FROM_TEMPLATES: Final = {spelled: key for key, spelled in _SPELLED_BY_TEMPLATES.items()}


class Fields:
    """What a Secret holds, by key. Keys that a template spells differently are kept under the usual spelling."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[str, Plaintext], *, template: bool = False) -> None:
        self.values: Final[dict[str, Plaintext]] = {
            _READ_FROM_TEMPLATES.get(key, key) if template else key: value
            for key, value in values.items()
            if not template or _READ_FROM_TEMPLATES.get(key, key) in _OF_TEMPLATES
        }

    def faults(self) -> list[str]:
        """What is wrong, by key and never by value."""
        return list(self._faults())

    def legible(self, key: str) -> str:
        """The text under a key that holds no secret; empty where there is none or it is not text."""
        try:
            return self._text(key)
        except UnicodeDecodeError:
            return ""

    @property
    def credentials_of_its_own(self) -> bool:
        return any(self.values.get(key) for key in _OWN) or self._bool("useAzureWorkloadIdentity")

    @property
    def oci(self) -> bool:
        """Whether the address is that of an OCI registry, which may be written without a scheme."""
        return self._bool("enableOCI") or self._text("type").lower() == "oci"

    def completed(self, template: "Fields") -> "Fields":
        """With what the template has and these have not."""
        ours = {key: value for key, value in self.values.items() if value and key not in _TAKEN_OVER}
        return Fields({**template.values, **ours})

    def leads_away(self, template: "Fields", url: str) -> bool:
        """Whether with these the credentials of *template* would be shown to somebody else than it says.

        A proxy is told nothing of what is said over TLS to a server whose certificate is checked.
        """
        seen = self._bool("insecure") or self._bool("insecureIgnoreHostKey") or url.lower().startswith("http://")
        seen = seen or template.legible("insecureOCIForceHttp") in _TRUE
        asked = ("githubAppEnterpriseBaseUrl", "azureActiveDirectoryEndpoint", *(("proxy",) if seen else ()))
        return any(self.legible(key) not in {"", template.legible(key)} for key in asked)

    def repository(self, url: str, *, inherited: bool = False) -> Repository:
        """What it all comes to. Only for fields without faults."""
        kind = _TYPES[self._text("type").lower()]
        return Repository(
            url=url,
            type=kind,
            name=self._text("name"),
            project=self._text("project"),
            credentials=self._credentials(),
            insecure=self._bool("insecure") or self._bool("insecureIgnoreHostKey"),
            lfs=self._bool("enableLfs"),
            depth=max(self._number("depth"), 0),
            oci=self._bool("enableOCI") or kind == "oci",
            plain_http=self._bool("insecureOCIForceHttp"),
            proxy=self._text("proxy"),
            no_proxy=self._text("noProxy"),
            inherited=inherited,
        )

    @classmethod
    def of(cls, repository: Repository, *, template: bool = False) -> "Fields":
        """The inverse, as upstream writes it: only what differs from its absence, in the spelling of the kind."""
        fields = cls({})
        for key, value in _written_out(repository).items():
            if value and not template:
                fields.values[key] = _closed(value)
            elif value and key in _OF_TEMPLATES:
                fields.values[_SPELLED_BY_TEMPLATES.get(key, key)] = _closed(value)
        return fields

    def _faults(self) -> Iterator[str]:
        for key in _TEXTS:
            try:
                self._text(key)
            except UnicodeDecodeError:
                yield f"the value of {key} is not UTF-8"
        for key in _BOOLS:
            if key in self.values and self.legible(key) not in _TRUE | _FALSE:
                yield f"the value of {key} is neither true nor false"
        for key in _NUMBERS:
            if key in self.values and not _fits(self.legible(key)):
                yield f"the value of {key} is not a whole number"
        if self.legible("type").lower() not in _TYPES:
            yield "the value of type is none of git, helm and oci"

    def _credentials(self) -> Credentials:
        return Credentials(
            username=self._text("username"),
            password=self._secret("password"),
            bearer_token=self._secret("bearerToken"),
            ssh_private_key=self._secret("sshPrivateKey"),
            tls_certificate=self._text("tlsClientCertData"),
            tls_key=self._secret("tlsClientCertKey"),
            github_app=self._github_app(),
            gcp_key=self._secret("gcpServiceAccountKey"),
            azure=self._azure(),
            azure_workload_identity=self._bool("useAzureWorkloadIdentity"),
            force_basic=self._bool("forceHttpBasicAuth"),
        )

    def _github_app(self) -> GitHubApp | None:
        key, number = self._secret("githubAppPrivateKey"), self._number("githubAppID")
        if key is None or not number:
            return None
        return GitHubApp(number, key, self._number("githubAppInstallationID"), self._text("githubAppEnterpriseBaseUrl"))

    def _azure(self) -> AzurePrincipal | None:
        secret = self._secret("azureServicePrincipalClientSecret")
        client, tenant = self._text("azureServicePrincipalClientId"), self._text("azureServicePrincipalTenantId")
        if secret is None or not client or not tenant:
            return None
        return AzurePrincipal(client, tenant, secret, self._text("azureActiveDirectoryEndpoint"))

    def _secret(self, key: str) -> Plaintext | None:
        value = self.values.get(key)
        return value or None

    def _text(self, key: str) -> str:
        value = self.values.get(key)
        return value.reveal().decode() if value else ""

    def _bool(self, key: str) -> bool:
        return self.legible(key) in _TRUE

    def _number(self, key: str) -> int:
        text = self._text(key)
        return int(text) if text else 0


def _fits(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text)) and -_INT64 - 1 <= int(text) <= _INT64


def _written(value: bool | int) -> str:  # noqa: FBT001 - a value to write, not a switch
    if isinstance(value, bool):
        return "true" if value else ""
    return str(value) if value else ""


def _closed(value: str | Plaintext) -> Plaintext:
    return value if isinstance(value, Plaintext) else Plaintext(value)


def _written_out(repository: Repository) -> dict[str, str | Plaintext | None]:
    return {
        "name": repository.name,
        "project": repository.project,
        "url": repository.url,
        "type": repository.type,
        "proxy": repository.proxy,
        "noProxy": repository.no_proxy,
        "depth": _written(repository.depth),
        "insecure": _written(repository.insecure),
        "enableLfs": _written(repository.lfs),
        "enableOCI": _written(repository.oci and repository.type == "helm"),
        "insecureOCIForceHttp": _written(repository.plain_http),
        **_credentials(repository.credentials),
    }


def _credentials(credentials: Credentials) -> dict[str, str | Plaintext | None]:
    return {
        "username": credentials.username,
        "password": credentials.password,
        "bearerToken": credentials.bearer_token,
        "sshPrivateKey": credentials.ssh_private_key,
        "tlsClientCertData": credentials.tls_certificate,
        "tlsClientCertKey": credentials.tls_key,
        "gcpServiceAccountKey": credentials.gcp_key,
        "forceHttpBasicAuth": _written(credentials.force_basic),
        "useAzureWorkloadIdentity": _written(credentials.azure_workload_identity),
        **(_github_app(credentials.github_app) if credentials.github_app else {}),
        **(_azure(credentials.azure) if credentials.azure else {}),
    }


def _github_app(app: GitHubApp) -> dict[str, str | Plaintext | None]:
    return {
        "githubAppID": _written(app.id),
        "githubAppPrivateKey": app.private_key,
        "githubAppInstallationID": _written(app.installation_id),
        "githubAppEnterpriseBaseUrl": app.api_url,
    }


def _azure(azure: AzurePrincipal) -> dict[str, str | Plaintext | None]:
    return {
        "azureServicePrincipalClientId": azure.client_id,
        "azureServicePrincipalTenantId": azure.tenant_id,
        "azureServicePrincipalClientSecret": azure.client_secret,
        "azureActiveDirectoryEndpoint": azure.endpoint,
    }
