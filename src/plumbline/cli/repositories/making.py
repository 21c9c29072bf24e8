"""From flags to a repository. What does not go together is refused, as Argo CD refuses it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.source.repository import AzurePrincipal, Credentials, GitHubApp, Repository, Type
from plumbline.source.urls import redacted

_KEY_BYTES: Final = 1 << 20


class Place(NamedTuple):
    """Where it is, and what holds for it besides who comes."""

    url: str
    type: Type = "git"
    name: str = ""
    project: str = ""
    insecure: bool = False
    lfs: bool = False
    depth: int = 0
    proxy: str = ""
    no_proxy: str = ""


def repository(place: Place, given: Mapping[str, Any]) -> Repository:
    _refuse(place, given)
    return Repository(
        url=place.url,
        type=place.type,
        name=place.name,
        project=place.project,
        credentials=_credentials(given),
        insecure=place.insecure,
        lfs=place.lfs,
        depth=place.depth,
        oci=given["enable_oci"],
        plain_http=given["insecure_oci_force_http"],
        proxy=place.proxy,
        no_proxy=place.no_proxy,
    )


def _refuse(place: Place, given: Mapping[str, Any]) -> None:
    https = place.url.lower().startswith("https://")
    for flag, meant, fits in (
        ("ssh_private_key_path", "SSH", _is_ssh(place.url)),
        ("tls_client_cert_path", "HTTPS", https),
        ("github_app_private_key_path", "HTTPS", https),
        ("gcp_service_account_key_path", "HTTPS", https),
    ):
        if given[flag] and not fits:
            raise InvalidInput(f"--{flag.replace('_', '-')} is only supported for {meant} repositories", why=f"{redacted(place.url)} is none")  # fmt: skip
    if bool(given["tls_client_cert_path"]) != bool(given["tls_client_cert_key_path"]):
        raise InvalidInput("--tls-client-cert-path and --tls-client-cert-key-path must be specified together")
    _refuse_bearer(place, given, https=https)
    if given["insecure_oci_force_http"] and place.type != "oci" and not given["enable_oci"]:
        raise InvalidInput("--insecure-oci-force-http is for OCI repositories only")


def _refuse_bearer(place: Place, given: Mapping[str, Any], *, https: bool) -> None:
    if not given["bearer_token"]:
        return
    if given["password"]:
        raise InvalidInput("only --bearer-token or --password is allowed, not both")
    if place.type != "git":
        raise InvalidInput("--bearer-token is only supported for Git repositories")
    if not https:
        raise InvalidInput("--bearer-token is only supported for HTTPS repositories", why=f"{redacted(place.url)} is none")  # fmt: skip


def _is_ssh(url: str) -> bool:
    before, at, after = url.removeprefix("ssh://").rpartition("@")
    return bool(at and after) and "/" not in before and not url.startswith(("http://", "https://"))


def _credentials(given: Mapping[str, Any]) -> Credentials:
    certificate = _read(given["tls_client_cert_path"])
    return Credentials(
        username=given["username"],
        password=_closed(given["password"]),
        bearer_token=_closed(given["bearer_token"]),
        ssh_private_key=_closed(_read(given["ssh_private_key_path"])),
        tls_certificate=certificate.decode("utf-8", "replace"),
        tls_key=_closed(_read(given["tls_client_cert_key_path"])),
        github_app=_github_app(given),
        gcp_key=_closed(_read(given["gcp_service_account_key_path"])),
        azure=_azure(given),
        azure_workload_identity=given["use_azure_workload_identity"],
        force_basic=given["force_http_basic_auth"],
    )


def _closed(value: str | bytes) -> Plaintext | None:
    return Plaintext(value) if value else None


def _read(path: Path | None) -> bytes:
    if path is None:
        return b""
    with path.open("rb") as file:
        content = file.read(_KEY_BYTES + 1)
    if len(content) > _KEY_BYTES:
        raise InvalidInput(f"{path} cannot be used", why="it is too large to be a key")
    return content


def _github_app(given: Mapping[str, Any]) -> GitHubApp | None:
    key = _read(given["github_app_private_key_path"])
    if not key:
        return None
    return GitHubApp(
        given["github_app_id"],
        Plaintext(key),
        given["github_app_installation_id"],
        given["github_app_enterprise_base_url"],
    )


def _azure(given: Mapping[str, Any]) -> AzurePrincipal | None:
    secret = given["azure_service_principal_client_secret"]
    if not secret:
        return None
    return AzurePrincipal(
        given["azure_service_principal_client_id"],
        given["azure_service_principal_tenant_id"],
        Plaintext(secret),
        given["azure_active_directory_endpoint"],
    )
