"""The spec of AWS's ProviderConfigs: what it may say, and where it sends calls to. Pure."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject

_ROLE: Final[JsonObject] = {
    "type": "object",
    "properties": {"roleARN": {"type": "string"}, "roleSessionName": {"type": "string"}},
}
_SECRET: Final[JsonObject] = {
    "type": "object",
    "properties": {"namespace": {"type": "string"}, "name": {"type": "string"}, "key": {"type": "string"}},
    "required": ["name", "key"],
}
SOURCES: Final = ("None", "Secret", "IRSA", "WebIdentity", "PodIdentity")


class SecretRef(msgspec.Struct, frozen=True):
    name: str
    key: str
    namespace: str = ""


class Filesystem(msgspec.Struct, frozen=True):
    path: str


class TokenConfig(msgspec.Struct, frozen=True, rename="camel"):
    source: Literal["Secret", "Filesystem"]
    secret_ref: SecretRef | None = None
    fs: Filesystem | None = None


class WebIdentity(msgspec.Struct, frozen=True, rename="camel"):
    role_arn: str = msgspec.field(default="", name="roleARN")
    role_session_name: str = ""
    token_config: TokenConfig | None = None


class Credentials(msgspec.Struct, frozen=True, rename="camel"):
    source: str = "None"
    secret_ref: SecretRef | None = None
    web_identity: WebIdentity | None = None


class RoleTag(msgspec.Struct, frozen=True):
    key: str
    value: str


class AssumedRole(msgspec.Struct, frozen=True, rename="camel"):
    role_arn: str = msgspec.field(name="roleARN")
    external_id: str = msgspec.field(default="", name="externalID")
    tags: tuple[RoleTag, ...] = ()
    transitive_tag_keys: tuple[str, ...] = ()


class Dynamic(msgspec.Struct, frozen=True):
    host: str
    protocol: Literal["http", "https"] = "https"


class Url(msgspec.Struct, frozen=True):
    type: Literal["Static", "Dynamic", "Auto"]
    static: str = ""
    dynamic: Dynamic | None = None


class Endpoint(msgspec.Struct, frozen=True, rename="camel"):
    url: Url
    services: tuple[str, ...] = ()
    hostname_immutable: bool = False
    partition_id: str = ""
    signing_name: str = ""
    signing_region: str = ""
    signing_method: str = ""
    source: str = ""

    def address(self, service: str, region: str) -> str | None:
        """Where calls of *service* go; None where AWS's own address is meant."""
        if self.services and service not in self.services:
            return None
        if self.url.type == "Static":
            return self._said(self.url.static, "static")
        if self.url.type == "Dynamic":
            dynamic = self.url.dynamic
            host = self._said(dynamic.host if dynamic else "", "dynamic")
            place = host if service == "iam" else f"{region}.{host}"
            return f"{dynamic.protocol if dynamic else 'https'}://{service}.{place}"
        return None

    def _said(self, value: str, field: str) -> str:
        if value:
            return value
        raise InvalidInput(
            "The ProviderConfig does not say where AWS is", why=f"endpoint.url.type is {self.url.type}, but endpoint.url.{field} is empty"
        )  # fmt: skip


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    credentials: Credentials
    assume_role_chain: Annotated[tuple[AssumedRole, ...], msgspec.Meta(max_length=10)] = msgspec.field(
        default=(), name="assumeRoleChain"
    )
    endpoint: Endpoint | None = None
    s3_use_path_style: bool = msgspec.field(default=False, name="s3_use_path_style")
    skip_credentials_validation: bool = msgspec.field(default=False, name="skip_credentials_validation")
    skip_metadata_api_check: bool = msgspec.field(default=False, name="skip_metadata_api_check")
    skip_region_validation: bool = msgspec.field(default=False, name="skip_region_validation")
    skip_requesting_account_id: bool = msgspec.field(default=False, name="skip_requesting_account_id")

    def address(self, service: str, region: str) -> str | None:
        return self.endpoint.address(service, region) if self.endpoint else None


def parse(spec: JsonObject) -> Spec:
    try:
        parsed = msgspec.convert(spec, Spec)
    except msgspec.ValidationError as error:
        raise InvalidInput("The ProviderConfig cannot be read", why=str(error)) from error
    if parsed.credentials.source not in SOURCES:
        raise InvalidInput(
            f"Credentials from {parsed.credentials.source} are not supported", hint=f"spec.credentials.source is one of {', '.join(SOURCES)}."
        )  # fmt: skip
    return parsed


def _object(properties: Mapping[str, object], *required: str) -> JsonObject:
    return {"type": "object", "properties": dict(properties)} | ({"required": list(required)} if required else {})


_TEXT: Final = {"type": "string"}
_SWITCH: Final = {"type": "boolean"}


def schema() -> JsonObject:
    """OpenAPI of the spec."""
    token = _object({"source": _TEXT, "secretRef": _SECRET, "fs": _object({"path": _TEXT}, "path")}, "source")
    web_identity = _object({**_ROLE["properties"], "tokenConfig": token})
    credentials = _object(
        {
            "source": {"type": "string", "enum": [*SOURCES, "Upbound"]},
            "secretRef": _SECRET,
            "webIdentity": web_identity,
            "upbound": _object({"webIdentity": web_identity}),
        },
        "source",
    )
    pairs = {"type": "array", "items": _object({"key": _TEXT, "value": _TEXT}, "key", "value")}
    texts = {"type": "array", "items": _TEXT}
    role = _object({"roleARN": _TEXT, "externalID": _TEXT, "tags": pairs, "transitiveTagKeys": texts})
    url = _object(
        {
            "type": {"type": "string", "enum": ["Static", "Dynamic", "Auto"]},
            "static": _TEXT,
            "dynamic": _object({"protocol": {"type": "string", "enum": ["http", "https"]}, "host": _TEXT}, "host"),
        },
        "type",
    )
    words = ("partitionId", "signingName", "signingRegion", "signingMethod", "source")
    endpoint = _object(
        {"url": url, "services": texts, "hostnameImmutable": _SWITCH, **dict.fromkeys(words, _TEXT)}, "url"
    )
    switches = ("s3_use_path_style", "skip_credentials_validation", "skip_metadata_api_check", "skip_region_validation",
                "skip_requesting_account_id")  # fmt: skip
    return _object(
        {
            "credentials": credentials,
            "assumeRoleChain": {"type": "array", "items": role},
            "endpoint": endpoint,
            **dict.fromkeys(switches, _SWITCH),
        },
        "credentials",
    )
