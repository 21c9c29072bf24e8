"""Who this process is to AWS, found where AWS's own tools look: environment, files, the roles of pods and machines.

Nothing of it is kept: it is asked for four times an hour and cluster, and what is found then is never stale.
"""

import asyncio
import re
from typing import Any, Final

from plumbline.base import awssdk
from plumbline.base.environment import environment
from plumbline.base.errors import (
    InvalidInput,
    LoginFailed,
    PlumblineError,
    ServerFault,
    Throttled,
    TimedOut,
    Unreachable,
)
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.eks import Signer
from plumbline.kube.client.eksaddresses import region_of
from plumbline.kube.client.parts import EksLogin

_WITHIN_S: Final = 15.0
_SESSION_NAME: Final = "plumbline"
_OPTIONS: Final = {
    "connect_timeout": 3,
    "read_timeout": 8,
    "retries": {"total_max_attempts": 2, "mode": "standard"},
    "user_agent_extra": "plumbline",
}
_CHARACTERS: Final = 300
_SERVER_ERRORS: Final = 500
_THROTTLED_S: Final = 5.0
_region: Final = re.compile(r"[a-z]{2,4}(-[a-z]+){1,3}-[0-9]{1,2}", re.ASCII).fullmatch
_NO_KEYS: Final = (
    "Give the pod a role (IRSA or EKS Pod Identity), or set what AWS's own tools look for where Plumbline runs."
)


async def signer(login: EksLogin, connection: Connection) -> Signer:
    """Whoever logs in to the cluster. Raises what keeps us from it, which names the source and no secret."""
    what = f"{connection.source or connection.server}: there is no login to the EKS cluster {login.cluster}"
    try:
        async with asyncio.timeout(_WITHIN_S):
            return await _signer(login, connection, what)
    except TimeoutError:
        raise TimedOut(what, why=f"AWS did not say who we are within {_WITHIN_S:g} s") from None
    except PlumblineError:
        raise
    except Exception as error:
        fault = _translated(error, what)
        if fault is None:
            raise
        raise fault from None  # what lies behind it may quote what the surroundings hold


async def _signer(login: EksLogin, connection: Connection, what: str) -> Signer:
    session = await asyncio.to_thread(_session, login.profile, what)
    region = login.region or environment().get("AWS_REGION") or session.get_config_variable("region")
    region = region or region_of(connection.server)
    if not region or not _region(region):
        why = f"{region!r} is no region of AWS" if region else "nothing says which region of AWS is meant"
        raise InvalidInput(what, why=why, hint="Set AWS_REGION where Plumbline runs.")
    found = await session.get_credentials()
    if found is None:
        raise LoginFailed(what, why="this process has no AWS credentials", hint=_NO_KEYS)
    keys = await found.get_frozen_credentials()
    access, secret, session_token = keys.access_key, keys.secret_key, keys.token
    if login.role:
        async with session.create_client("sts", region_name=region) as sts:
            given = (await sts.assume_role(RoleArn=login.role, RoleSessionName=_SESSION_NAME))["Credentials"]
        access, secret, session_token = given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"]
    kept = Plaintext(session_token) if session_token else None
    return Signer(_sts_host(region, what), region, access, Plaintext(secret), kept)


def _session(profile: str, what: str) -> Any:
    awssdk.prepare("sts", what)
    session = awssdk.library("aiobotocore.session", what).AioSession(profile=profile or None)
    session.register_component("data_loader", awssdk.loader())
    session.set_default_client_config(awssdk.settings(what, **_OPTIONS))
    return session


def _sts_host(region: str, what: str) -> str:
    """AWS's own, of the region: wherever our own calls are sent, the cluster asks nobody else."""
    resolver = awssdk.library("botocore.regions", what).EndpointResolver(awssdk.loader().load_data("endpoints"))
    return str(resolver.construct_endpoint("sts", region)["hostname"])


def _translated(error: Exception, what: str) -> PlumblineError | None:
    """*error* of the SDK in our words; None where it is none of the SDK's, and so a bug."""
    exceptions = awssdk.library("botocore.exceptions", what)
    if isinstance(error, exceptions.ClientError):
        return _answered(getattr(error, "response", {}), what)
    if isinstance(error, exceptions.ProfileNotFound | exceptions.ParamValidationError):
        return InvalidInput(what, why=_first_line(str(error)))
    if isinstance(error, awssdk.library("botocore.parsers", what).ResponseParserError):
        return ServerFault(what, why="the answer of AWS's STS cannot be read")
    if isinstance(error, exceptions.ConnectionError | exceptions.HTTPClientError):
        return Unreachable(what, sent=False, why="there is no connection to AWS's STS, or it broke")
    if isinstance(error, exceptions.BotoCoreError):
        why = f"the credentials of this process cannot be used: {type(error).__name__}"
        return LoginFailed(what, why=why, hint=_NO_KEYS)
    return None


def _answered(response: Any, what: str) -> PlumblineError:
    said = response.get("Error", {})
    code = str(said.get("Code", ""))
    why = _first_line(f"AWS says {code}: {said.get('Message', '')}")
    if "Throttl" in code:
        return Throttled(what, why=why, after_s=_THROTTLED_S)
    if response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= _SERVER_ERRORS:
        return ServerFault(what, why=why)
    hint = "Check the role and whom its trust policy names: the identity of this process has to be among them."
    return LoginFailed(what, why=why, hint=hint)


def _first_line(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text.strip().partition("\n")[0])[:_CHARACTERS]
