"""What may be told of a repository, as a list of fields, and what may be said of one. Pure."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.source.fields import Fields
from plumbline.source.local import Local, nowhere
from plumbline.source.repository import Repository
from plumbline.source.secrets import Entry, check_address
from plumbline.source.urls import redacted

_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_TEXTS: Final = (
    "type", "name", "project", "githubAppEnterpriseBaseUrl", "azureActiveDirectoryEndpoint",
    "azureServicePrincipalClientId", "azureServicePrincipalTenantId", "noProxy",
)  # fmt: skip
_SWITCHES: Final = ("insecure", "enableLfs", "enableOCI", "forceHttpBasicAuth", "useAzureWorkloadIdentity")
_NUMBERS: Final = ("githubAppID", "githubAppInstallationID", "depth")
_TAKEN: Final = frozenset({
    "type", "name", "project", "username", "password", "bearerToken", "sshPrivateKey", "insecure", "insecureIgnoreHostKey",
    "enableLfs", "enableOCI", "insecureOCIForceHttp", "depth", "forceHttpBasicAuth", "proxy", "noProxy",
    "tlsClientCertData", "tlsClientCertKey", "githubAppID", "githubAppInstallationID", "githubAppPrivateKey",
    "githubAppEnterpriseBaseUrl", "gcpServiceAccountKey", "useAzureWorkloadIdentity", "azureServicePrincipalClientId",
    "azureServicePrincipalTenantId", "azureServicePrincipalClientSecret", "azureActiveDirectoryEndpoint",
})  # fmt: skip


def repository_shape(known: Entry, state: JsonObject | None = None) -> JsonObject:
    """Everything that is told of one; a password is not among it, whatever its key is called."""
    fields = known.fields
    found: JsonObject = {"repo": redacted(known.url)}
    found |= {name: fields.legible(name) for name in _TEXTS if fields.legible(name)}
    found |= {name: True for name in _SWITCHES if fields.legible(name) in _TRUE}
    found |= {name: int(said) for name in _NUMBERS if (said := fields.legible(name)).isdecimal() and len(said) < 19}  # noqa: PLR2004 - digits of a number
    if fields.legible("insecureIgnoreHostKey") in _TRUE:
        found["insecure"] = True
    if fields.legible("proxy"):
        found["proxy"] = redacted(fields.legible("proxy"))
    if not fields.credentials_of_its_own:
        found["inheritedCreds"] = True
    known_state = state or {"status": "Failed" if known.fault else "Unknown", "message": known.fault}
    return {"type": "git", **found, "connectionState": {"attemptedAt": None, **known_state}}


def repository(said: JsonObject, url: str, local: Local = nowhere) -> Repository:
    """The repository that somebody describes. Raises InvalidInput, which never quotes a secret."""
    if not url:
        raise InvalidInput("the repository is not read", why="it has no address")
    values: dict[str, Plaintext] = {"url": Plaintext(url)}
    for name, value in said.items():
        if name in _TAKEN and (text := _text(name, value)):
            values[name] = Plaintext(text)
    fields = Fields(values)
    faults = fields.faults()
    if faults:
        raise InvalidInput("the repository is not read", why=faults[0])
    check_address(fields, url, local)
    return fields.repository(url)


def _text(name: str, value: Json) -> str:
    match value:
        case None | False | 0 | "":
            return ""
        case True:
            return "true"
        case str() | int():
            return str(value)
        case _:
            raise InvalidInput("the repository is not read", why=f"{name} is neither text, number nor switch")
