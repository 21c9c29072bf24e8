"""What a service-account token says, and which objects have to exist for it to be true."""

from datetime import datetime
from typing import Final, Protocol

import msgspec

from plumbline.access.identity import (
    CREDENTIAL_ID,
    NODE_NAME,
    NODE_UID,
    POD_NAME,
    POD_UID,
    Identity,
    authenticated,
    service_account_groups,
    service_account_name,
)
from plumbline.base.errors import Unauthenticated
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

LEEWAY_S: Final = 60
"""How far clocks may differ."""

_INVALIDATED: Final = "service account token has been invalidated"


class Lookup(Protocol):
    def __call__(self, kind: str, namespace: str, name: str, /) -> JsonObject | None:
        """The ServiceAccount, Pod, Secret or Node as it is stored now; Nodes have no namespace."""


class Reference(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str = ""
    uid: str = ""


class Private(msgspec.Struct, frozen=True, omit_defaults=True):
    """What Kubernetes adds to the registered claims."""

    namespace: str = ""
    serviceaccount: Reference = Reference()
    pod: Reference | None = None
    secret: Reference | None = None
    node: Reference | None = None
    warnafter: float | None = None


class Claims(msgspec.Struct, frozen=True, omit_defaults=True):
    iss: str = ""
    sub: str = ""
    aud: list[str] | str = msgspec.field(default_factory=list)
    exp: float | None = None
    nbf: float | None = None
    iat: float | None = None
    jti: str = ""
    private: Private = msgspec.field(default=Private(), name="kubernetes.io")

    @property
    def audiences(self) -> tuple[str, ...]:
        return (self.aud,) if isinstance(self.aud, str) else tuple(self.aud)


def read_claims(payload: bytes) -> Claims | None:
    try:
        return msgspec.json.decode(payload, type=Claims)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def identity_from(claims: Claims) -> Identity:
    """Who the bearer is, if the claims hold."""
    private = claims.private
    extra: dict[str, tuple[str, ...]] = {}
    if claims.jti:
        extra[CREDENTIAL_ID] = (f"JTI={claims.jti}",)
    node, pod = private.node or Reference(), private.pod or Reference()
    if node.name:
        extra[NODE_NAME] = (node.name,)
        if node.uid:
            extra[NODE_UID] = (node.uid,)
    if pod.name and pod.uid:
        extra |= {POD_NAME: (pod.name,), POD_UID: (pod.uid,)}
    account = private.serviceaccount
    name = service_account_name(private.namespace, account.name)
    return authenticated(Identity(name, account.uid, service_account_groups(private.namespace), extra))


def check_times(claims: Claims, now: datetime) -> None:
    """Raise Unauthenticated unless the token is valid at *now*, give or take the leeway."""
    moment = now.timestamp()
    if claims.nbf is not None and moment + LEEWAY_S < claims.nbf:
        raise Unauthenticated("service account token is not valid yet")
    if claims.exp is not None and moment - LEEWAY_S > claims.exp:
        raise Unauthenticated("service account token has expired")
    if claims.iat is not None and moment + LEEWAY_S < claims.iat:
        raise Unauthenticated("service account token is issued in the future")


def check_references(claims: Claims, lookup: Lookup, now: datetime) -> None:
    """Raise Unauthenticated unless all that the token is bound to is still there, and is still the same."""
    private = claims.private
    account = private.serviceaccount
    found = _metadata(lookup("ServiceAccount", private.namespace, account.name))
    if found is None:
        raise Unauthenticated(f"serviceaccounts {quoted(account.name)} not found")
    if found.get("uid") != account.uid:
        raise Unauthenticated(f"service account UID ({found.get('uid')}) does not match claim ({account.uid})")
    if _deleted(found, now):
        raise Unauthenticated(f"service account {private.namespace}/{account.name} has been deleted")
    if private.secret is not None:
        _check_bound("Secret", _metadata(lookup("Secret", private.namespace, private.secret.name)), private.secret, now)
    if private.pod is not None:
        _check_bound("Pod", _metadata(lookup("Pod", private.namespace, private.pod.name)), private.pod, now)
    elif private.node is not None:
        # A pod may outlive the record of its node; a token of the node itself may not.
        _check_bound("Node", _metadata(lookup("Node", "", private.node.name)), private.node, now)


def _check_bound(kind: str, found: JsonObject | None, reference: Reference, now: datetime) -> None:
    if found is None:
        raise Unauthenticated(_INVALIDATED)
    if found.get("uid") != reference.uid:
        word = kind.lower()
        raise Unauthenticated(
            f"{word} UID ({found.get('uid')}) does not match service account {word} ref claim ({reference.uid})"
        )
    if _deleted(found, now):
        raise Unauthenticated(_INVALIDATED)


def _metadata(obj: JsonObject | None) -> JsonObject | None:
    metadata = obj.get("metadata") if obj is not None else None
    return metadata if isinstance(metadata, dict) else None


def _deleted(metadata: JsonObject, now: datetime) -> bool:
    """Whether its deletion lies back further than clocks may differ."""
    try:
        since = datetime.fromisoformat(metadata.get("deletionTimestamp", ""))
    except (TypeError, ValueError):
        return False
    return since.tzinfo is not None and (now - since).total_seconds() > LEEWAY_S
