"""Operations that are about the server itself and about discovery."""

from collections.abc import Iterable, Iterator
from typing import Final

from plumbline.apiserver.openapi import operations as ops
from plumbline.apiserver.openapi.names import META, full_name, joined, operation_id, tag
from plumbline.apiserver.openapi.operations import Operation
from plumbline.kube.names import GroupVersion

_JSON: Final = (ops.JSON,)
_KEYS: Final = ("application/jwk-set+json",)


def version_root(version: GroupVersion) -> Operation:
    root = f"/apis/{version.group}" if version.group else "/api"
    return _get(
        f"{root}/{version.version}/",
        operation_id("get", version, "APIResources"),
        tag(version),
        "get available resources",
        f"{META}APIResourceList",
    )


def root_operations(groups: Iterable[str]) -> Iterator[tuple[str, Operation]]:
    """The one operation of each document that is not about a group-version, by the path of that document."""
    about, made = "get available API versions", _get
    yield "api", made("/api/", "getCoreAPIVersions", "core", about, f"{META}APIVersions")
    yield "apis", made("/apis/", "getAPIVersions", "apis", about, f"{META}APIGroupList")
    for group in groups:
        yield f"apis/{group}", _group(group)
    version = made("/version/", "getCodeVersion", "version", "get the version information for this server", _VERSION)
    yield "version", version._replace(consumes=_JSON, produces=_JSON)
    about = "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'"
    path = ".well-known/openid-configuration"
    found = made(f"/{path}/", "getServiceAccountIssuerOpenIDConfiguration", "WellKnown", about, "")
    yield path, found._replace(consumes=(), produces=_JSON)
    about = "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)"
    keys = made("/openid/v1/jwks/", "getServiceAccountIssuerOpenIDKeyset", "openid", about, "")
    yield "openid/v1/jwks", keys._replace(consumes=(), produces=_KEYS)


_VERSION: Final = full_name("version.Info")


def _group(group: str) -> Operation:
    area = group.removesuffix(".k8s.io")
    name = f"get{joined(area, capital=True)}APIGroup"
    return _get(f"/apis/{group}/", name, joined(area), "get information of a group", f"{META}APIGroup")


def _get(path: str, name: str, tagged: str, description: str, answers: str) -> Operation:
    return Operation("get", path, name, tagged, description, answers, consumes=ops.OBJECTS)
