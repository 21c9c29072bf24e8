"""Who calls AWS: the sources of a ProviderConfig, and the roles that are assumed on the way."""

import configparser
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from plumbline.base.clock import rfc3339
from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput, Unauthenticated
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.managed.external import Config, SecretKey
from plumbline.providers.aws import models
from plumbline.providers.aws.config import AssumedRole, Spec, WebIdentity
from plumbline.providers.aws.models import library, loader
from plumbline.providers.files import check_machines, read_file

TOKEN_FILE: Final = "AWS_WEB_IDENTITY_TOKEN_FILE"  # noqa: S105 - the name of a variable
_SESSION_NAME: Final = "plumbline"
_STS_REGION: Final = "us-east-1"
_STS_OPTIONS: Final[Mapping[str, Any]] = {
    "connect_timeout": 5, "read_timeout": 20, "retries": {"total_max_attempts": 2, "mode": "standard"}
}  # fmt: skip

Ask: TypeAlias = Callable[[Any], Awaitable[JsonObject]]
"""Asks STS, given a client of it, for credentials."""
Addressed: TypeAlias = Callable[[str, str], str | None]
"""Where calls of a service in a region go; None for AWS's own address. Raises Refused for an address that is not allowed."""


class _Fixed:
    """What a session takes its credentials from, instead of looking around."""

    def __init__(self, credentials: Any) -> None:
        self._credentials = credentials

    async def load_credentials(self) -> Any:
        return self._credentials


def plain_session() -> Any:
    """A session that looks where the SDKs of AWS look: environment, files, the roles of pods and machines."""
    session = library("aiobotocore.session").AioSession()
    session.register_component("data_loader", loader())
    return session


def _session_with(credentials: Any) -> Any:
    session = plain_session()
    session.register_component("credential_provider", _Fixed(credentials))
    return session


async def session_for(spec: Spec, config: Config, address: Addressed) -> Any:
    """A session with the identity at the end of the ProviderConfig's chain."""
    session = await _first(spec, config, address)
    for role in spec.assume_role_chain:
        session = _assuming(session, address, _assume(role))
    return session


async def _first(spec: Spec, config: Config, address: Addressed) -> Any:
    source = spec.credentials.source
    if source == "Secret":
        ref = spec.credentials.secret_ref
        if ref is None:
            raise InvalidInput(
                "The ProviderConfig names no credentials", why="credentials.source is Secret, but secretRef is missing"
            )
        text = await config.secrets.read(SecretKey(name=ref.name, key=ref.key, namespace=ref.namespace))
        return _session_with(_static(text))
    if source == "WebIdentity":
        identity = spec.credentials.web_identity
        if identity is None or not identity.role_arn:
            raise InvalidInput(
                "The ProviderConfig names no role", why="credentials.source is WebIdentity, but webIdentity.roleARN is missing"
            )  # fmt: skip
        if identity.token_config is not None and identity.token_config.source == "Filesystem":
            check_machines(config, "webIdentity.tokenConfig of the source Filesystem")
        return _assuming(_session_with(None), address, _with_token(identity, config), signed=False)
    # IRSA and PodIdentity put into the pod's environment what the SDKs look for; None means the same looking around.
    return plain_session()


def _static(ini: Plaintext) -> Any:
    parser = configparser.RawConfigParser(default_section="\0")
    text = ini.reveal().decode(errors="replace").lstrip("\ufeff").lstrip()
    try:
        parser.read_string(text if text.startswith("[") else f"[default]\n{text}")
        section = next((parser[name] for name in parser.sections() if name.lower() == "default"), None)
    except configparser.Error:
        raise InvalidInput(
            "The AWS credentials cannot be read", why="the Secret does not hold an INI file",
            hint="It looks like ~/.aws/credentials: [default], aws_access_key_id = ..., aws_secret_access_key = ...",
        ) from None  # fmt: skip
    found: Mapping[str, str] = section or {}
    access, secret = found.get("aws_access_key_id", ""), found.get("aws_secret_access_key", "")
    if not access or not secret:
        raise Unauthenticated(
            "There are no AWS credentials", why="the section [default] of the Secret has no aws_access_key_id and aws_secret_access_key",
            hint="Put both there, as in ~/.aws/credentials.",
        )  # fmt: skip
    return library("aiobotocore.credentials").AioCredentials(access, secret, found.get("aws_session_token") or None)


def _assuming(session: Any, address: Addressed, ask: Ask, *, signed: bool = True) -> Any:
    """A session whose credentials STS gives to *session*, again whenever they are about to expire."""

    async def refreshed() -> JsonObject:
        options = dict(_STS_OPTIONS)
        if not signed:
            options["signature_version"] = library("botocore").UNSIGNED
        settings = models.settings(**options)
        place = address("sts", _STS_REGION)
        async with session.create_client("sts", region_name=_STS_REGION, endpoint_url=place, config=settings) as sts:
            given = (await ask(sts))["Credentials"]
        return {
            "access_key": given["AccessKeyId"],
            "secret_key": given["SecretAccessKey"],
            "token": given["SessionToken"],
            "expiry_time": rfc3339(given["Expiration"]),
        }

    deferred = library("aiobotocore.credentials").AioDeferredRefreshableCredentials
    return _session_with(deferred(refreshed, "assume-role"))


def _assume(role: AssumedRole) -> Ask:
    said: JsonObject = {"RoleArn": role.role_arn, "RoleSessionName": _SESSION_NAME}
    if role.external_id:
        said["ExternalId"] = role.external_id
    if role.tags:
        said["Tags"] = [{"Key": tag.key, "Value": tag.value} for tag in role.tags]
    if role.transitive_tag_keys:
        said["TransitiveTagKeys"] = list(role.transitive_tag_keys)

    async def ask(sts: Any) -> JsonObject:
        answer: JsonObject = await sts.assume_role(**said)
        return answer

    return ask


def _with_token(identity: WebIdentity, config: Config) -> Ask:
    async def ask(sts: Any) -> JsonObject:
        answer: JsonObject = await sts.assume_role_with_web_identity(
            RoleArn=identity.role_arn,
            RoleSessionName=identity.role_session_name or _SESSION_NAME,
            WebIdentityToken=(await _token(identity, config)).reveal().decode().strip(),
        )
        return answer

    return ask


async def _token(identity: WebIdentity, config: Config) -> Plaintext:
    """Read every time: tokens are renewed where they lie."""
    told = identity.token_config
    if told is not None and told.source == "Secret" and told.secret_ref is not None:
        ref = told.secret_ref
        return await config.secrets.read(SecretKey(name=ref.name, key=ref.key, namespace=ref.namespace))
    path = told.fs.path if told is not None and told.fs is not None else environment().get(TOKEN_FILE, "")
    if not path:
        raise Unauthenticated(
            "There is no web identity token", why=f"neither webIdentity.tokenConfig nor {TOKEN_FILE} says where it is",
            hint="Set spec.credentials.webIdentity.tokenConfig of the ProviderConfig.",
        )  # fmt: skip
    try:
        return Plaintext(await read_file(Path(path)))
    except OSError as error:
        raise Unauthenticated("The web identity token cannot be read", why=f"{path}: {error.strerror}") from error
