"""Who a store is in AWS: where it begins, and the roles that it takes on the way.

Roles are taken when a store is opened, and kept for the next opening until they end: `sessions` has them.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Final, NamedTuple

from plumbline.base.aside import Aside
from plumbline.base.errors import Forbidden, GarbledReply, InvalidInput, PlumblineError, Unauthenticated, Unresolved
from plumbline.base.json import Json, JsonObject, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.common import SecretKeySelector, ServiceAccountSelector
from plumbline.kinds.externalsecrets.providers import AwsProvider, AwsSecretRef
from plumbline.secrets.stores.aws import faults, sdk
from plumbline.secrets.stores.aws.places import Places
from plumbline.secrets.stores.aws.sessions import Owner, Sessions
from plumbline.secrets.stores.store import Cluster, Selector

ROLE_ANNOTATION: Final = "eks.amazonaws.com/role-arn"
AUDIENCE_ANNOTATION: Final = "eks.amazonaws.com/audience"
_AUDIENCE: Final = "sts.amazonaws.com"
_SESSION_NAME: Final = "plumbline"
_TOKEN_S: Final = 600
_MOST_ROLES: Final = 10


class Identity(NamedTuple):
    region: str
    session: Any
    """aiobotocore's. It looks around for credentials where none are given."""
    access_key_id: str = ""
    secret_access_key: Plaintext = Plaintext("")
    session_token: Plaintext = Plaintext("")
    unsigned: bool = False
    drop: Callable[[], None] | None = None
    """Called where AWS does not take it any more, so that the next opening takes its roles anew."""

    def client(self, service: str, places: Places) -> Any:
        """To be entered. Raises Refused for an address that is not allowed."""
        given: JsonObject = {}
        if self.access_key_id:
            given = {
                "aws_access_key_id": self.access_key_id,
                "aws_secret_access_key": self.secret_access_key.reveal().decode(),
                "aws_session_token": self.session_token.reveal().decode() or None,
            }
        more = {"signature_version": sdk.library("botocore").UNSIGNED} if self.unsigned else {}
        return self.session.create_client(
            service,
            region_name=self.region,
            endpoint_url=places.address(service),
            config=sdk.settings(**more),
            **given,
        )


class Taking(NamedTuple):
    """What roles are taken with."""

    places: Places
    sessions: Sessions
    owner: Owner
    """The store, and for whom it is asked."""


async def identity_of(
    spec: AwsProvider, cluster: Cluster, taking: Taking, *, own_identity: bool, aside: Aside
) -> Identity:
    """Who is at the end of the chain that *spec* describes."""
    if len(spec.additional_roles) > _MOST_ROLES:
        raise InvalidInput("The store cannot be used", why=f"It has more than {_MOST_ROLES} additionalRoles")
    nobody = Identity(spec.region, await aside(_prepared))
    identity = await _first(spec, cluster, nobody, taking, own_identity=own_identity)
    for role in spec.additional_roles:
        identity = await _taken(identity, taking, RoleArn=role)
    return await _taken(identity, taking, **_role(spec)) if spec.role else identity


def _prepared() -> Any:
    sdk.prepare("sts")
    return sdk.session()


async def _first(
    spec: AwsProvider, cluster: Cluster, nobody: Identity, taking: Taking, *, own_identity: bool
) -> Identity:
    jwt = spec.auth.jwt
    if jwt is not None:
        if jwt.service_account_ref is None:
            raise InvalidInput("The store cannot be used", why="auth.jwt has no serviceAccountRef")
        return await _of_account(jwt.service_account_ref, cluster, nobody, taking)
    if spec.auth.secret_ref is not None:
        return await _of_secrets(spec.auth.secret_ref, cluster, nobody)
    if not own_identity:
        raise Forbidden(
            "The store cannot be used",
            why="It says nobody to sign in as, and a SecretStore may not use the AWS identity of this program",
            hint="Set auth.secretRef or auth.jwt, use a ClusterSecretStore, or start with `plumb run --store-identity`.",
        )
    return await _of_this_program(nobody)


async def _of_this_program(nobody: Identity) -> Identity:
    what = "The store cannot sign in to AWS"
    try:
        found = await nobody.session.get_credentials()
    except Exception as error:
        fault = faults.translated(error, what)
        if fault is None:
            raise
        raise fault from None
    if found is None:
        raise Unauthenticated(
            what,
            why="This program runs without an AWS identity, and the store names no other",
            hint="Set spec.provider.aws.auth of the store, or give this program's pod a role.",
        )
    return nobody


async def _of_secrets(ref: AwsSecretRef, cluster: Cluster, nobody: Identity) -> Identity:
    key = await _read(cluster, ref.secret_access_key)
    key_id = (await _read(cluster, ref.access_key_id)).reveal().decode(errors="replace")
    token = await _read(cluster, ref.session_token) if ref.session_token else Plaintext("")
    if not key_id or not key or not key_id.isprintable():
        raise Unauthenticated(
            "The store cannot sign in to AWS", why="The access key that it refers to is empty or garbled"
        )
    return nobody._replace(access_key_id=key_id, secret_access_key=key, session_token=token)


async def _read(cluster: Cluster, ref: SecretKeySelector) -> Plaintext:
    """Without the line end that editors leave behind."""
    return Plaintext((await cluster.secret(Selector(ref.name, ref.key, ref.namespace))).reveal().strip())


async def _of_account(ref: ServiceAccountSelector, cluster: Cluster, nobody: Identity, taking: Taking) -> Identity:
    account = Selector(ref.name, namespace=ref.namespace)
    metadata = (await cluster.account(account))["metadata"]
    annotations = metadata.get("annotations") or {}
    role = annotations.get(ROLE_ANNOTATION, "")
    if not role:
        raise Unresolved(
            f"Service account {ref.name} has no role in AWS",
            why=f"an IAM role must be associated with service account {ref.name}",
            hint=f"Set its annotation {ROLE_ANNOTATION} to the ARN of a role.",
            sought=("", "ServiceAccount", metadata["namespace"], ref.name),
        )
    audiences = (annotations.get(AUDIENCE_ANNOTATION) or _AUDIENCE, *ref.audiences)
    asking = nobody._replace(unsigned=True)

    async def take() -> tuple[Identity, datetime | None]:
        token = (await cluster.token(account, audiences, _TOKEN_S)).reveal().decode()
        said: dict[str, Json] = {"RoleArn": role, "WebIdentityToken": token}
        return await _asked(asking, taking.places, "assume_role_with_web_identity", **said)

    told = encode([nobody.region, metadata["namespace"], ref.name, metadata.get("uid", ""), role, *audiences])
    return await _kept(taking, told, take)


async def _taken(identity: Identity, taking: Taking, **said: Json) -> Identity:
    """The role, with what *identity* shows for it. What this program itself shows is another after a while, by itself."""
    shown = [identity.secret_access_key.reveal(), identity.session_token.reveal()]
    told = encode([identity.region, identity.access_key_id, sorted(said.items())])
    return await _kept(taking, told, lambda: _asked(identity, taking.places, "assume_role", **said), *shown)


async def _kept(
    taking: Taking, told: bytes, take: Callable[[], Awaitable[tuple[Identity, datetime | None]]], *shown: bytes
) -> Identity:
    sessions = taking.sessions
    found: Identity = await sessions.taken(taking.owner, sessions.digest(told, *shown), take)
    return found._replace(drop=lambda: sessions.drop(found))


def _role(spec: AwsProvider) -> dict[str, Json]:
    said: dict[str, Json] = {"RoleArn": spec.role}
    if spec.external_id:
        said["ExternalId"] = spec.external_id
    if spec.session_tags:
        said["Tags"] = [{"Key": tag.key, "Value": tag.value} for tag in spec.session_tags]
        if spec.transitive_tag_keys:
            said["TransitiveTagKeys"] = list(spec.transitive_tag_keys)
    return said


async def _asked(identity: Identity, places: Places, operation: str, **said: Json) -> tuple[Identity, datetime | None]:
    """Whom STS makes of *identity*, and until when."""
    what = f"The role {said['RoleArn']} cannot be taken"
    try:
        async with identity.client("sts", places) as sts:
            answer = await getattr(sts, operation)(RoleSessionName=_SESSION_NAME, **said)
    except PlumblineError:
        raise
    except Exception as error:
        fault = faults.translated(error, what)
        if fault is None:
            raise
        # The request, with a token in it, is in botocore's error.
        raise fault from None
    given = answer.get("Credentials") or {}
    if not given.get("AccessKeyId") or not given.get("SecretAccessKey"):
        raise GarbledReply(what, why="STS's answer holds no credentials", hint="Check what is between here and AWS.")
    made = Identity(
        identity.region,
        identity.session,
        given["AccessKeyId"],
        Plaintext(given["SecretAccessKey"]),
        Plaintext(given.get("SessionToken") or ""),
    )
    ends = given.get("Expiration")
    return made, ends if isinstance(ends, datetime) and ends.tzinfo is not None else None
