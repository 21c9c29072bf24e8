"""TokenRequest: a token for a service account, bound to an object if asked for."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from plumbline.access.identity import service_account_name
from plumbline.apiserver.authentication.claims import Lookup
from plumbline.apiserver.authentication.keys import SigningKey
from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.apiserver.statuses import bad_request, conflict, not_found
from plumbline.apiserver.statuses import invalid as invalid_object
from plumbline.base.clock import Clock, rfc3339
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind, GroupVersionKind

_KIND: Final = GroupKind("authentication.k8s.io", "TokenRequest")
_DEFAULT_S: Final = 60 * 60
_SHORTEST_S: Final = 10 * 60
_LONGEST_S: Final = 1 << 32

# Kubelets ask for just this long; clients that never read their token again would stop working after an hour.
_PROJECTED_S: Final = 60 * 60 + 7
_EXTENDED_S: Final = 365 * 24 * 60 * 60

_BINDABLE: Final = {"Node": "nodes", "Pod": "pods", "Secret": "secrets"}


class _Wish(NamedTuple):
    audiences: list[str]
    seconds: int
    ref: JsonObject | None


class TokenIssuer:
    def __init__(
        self,
        key: SigningKey,
        issuer: str,
        audiences: Sequence[str],
        *,
        lookup: Lookup,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._key = key
        self._issuer = issuer
        self._audiences = list(audiences)
        self._lookup = lookup
        self._clock = clock
        self._ids = ids

    def issue(self, namespace: str, name: str, request: JsonObject) -> JsonObject:
        """The answered TokenRequest for the named ServiceAccount, or RequestRefused."""
        metadata = _record(request.get("metadata"))
        _check_place(metadata, namespace, name)
        account = self._lookup("ServiceAccount", namespace, name)
        if account is None:
            raise not_found("", "serviceaccounts", name)
        uid = _uid(account)
        if (given := _text(metadata, "uid")) and given != uid:
            why = f"the UID in the token request ({given}) does not match the UID of the service account ({uid})"
            raise conflict(_KIND.group, _KIND.kind, name, why)
        wish = self._wish(_record(request.get("spec")))
        now = self._clock.now()
        bound = self._bound(namespace, name, wish.ref) if wish.ref is not None else {}
        claims = self._claims(namespace, {"name": name, "uid": uid}, bound, wish, now)
        kept = {field: value for field, value in metadata.items() if field not in {"name", "namespace", "uid"}}
        return {
            "kind": _KIND.kind,
            "apiVersion": f"{_KIND.group}/v1",
            "metadata": {"name": name, "namespace": namespace, "uid": uid, "creationTimestamp": rfc3339(now)}
            | {field: value for field, value in kept.items() if field != "creationTimestamp"},
            "spec": {"audiences": wish.audiences, "expirationSeconds": wish.seconds, "boundObjectRef": wish.ref},
            "status": {
                "token": self._key.token(claims),
                "expirationTimestamp": rfc3339(now + timedelta(seconds=wish.seconds)),
            },
        }

    def _wish(self, spec: JsonObject) -> _Wish:
        audiences = spec.get("audiences")
        named = [each for each in audiences if isinstance(each, str)] if isinstance(audiences, list) else []
        seconds = spec.get("expirationSeconds")
        seconds = _DEFAULT_S if seconds is None else seconds
        if not isinstance(seconds, int) or isinstance(seconds, bool):
            raise bad_request("spec.expirationSeconds of a TokenRequest must be an integer")
        if errors := list(_lifetime_errors(seconds)):
            raise invalid_object(_KIND, "", errors)
        ref = spec.get("boundObjectRef")
        return _Wish(named or self._audiences, seconds, ref if isinstance(ref, dict) else None)

    def _bound(self, namespace: str, account: str, ref: JsonObject) -> JsonObject:
        """The claims about the object that the token is to end with."""
        gvk = GroupVersionKind.parse(_text(ref, "apiVersion"), _text(ref, "kind"))
        if gvk.group or gvk.kind not in _BINDABLE:
            raise bad_request(f"cannot bind token to object of type {gvk}")
        name = _text(ref, "name")
        if not name:
            raise bad_request("Name parameter required.")
        found = self._lookup(gvk.kind, "" if gvk.kind == "Node" else namespace, name)
        if found is None:
            raise not_found("", _BINDABLE[gvk.kind], name)
        claims: JsonObject = {gvk.kind.lower(): {"name": name, "uid": _uid(found)}}
        if gvk.kind == "Pod":
            claims |= self._node_of(found, account)
        if (given := _text(ref, "uid")) and given != _uid(found):
            why = (
                f"the UID in the bound object reference ({given}) does not match the UID in record."
                " The object might have been deleted and then recreated"
            )
            raise conflict("", gvk.kind, name, why)
        return claims

    def _node_of(self, pod: JsonObject, account: str) -> JsonObject:
        spec = _record(pod.get("spec"))
        if _text(spec, "serviceAccountName") != account:
            raise bad_request(
                f"cannot bind token for serviceaccount {quoted(account)}"
                " to pod running with different serviceaccount name."
            )
        name = _text(spec, "nodeName")
        if not name:
            return {}
        node = self._lookup("Node", "", name)
        return {"node": {"name": name, "uid": _uid(node)} if node is not None else {"name": name}}

    def _claims(self, namespace: str, account: JsonObject, bound: JsonObject, wish: _Wish, now: datetime) -> JsonObject:
        issued = int(now.timestamp())
        lifetime = wish.seconds
        private: JsonObject = {"namespace": namespace, "serviceaccount": account} | bound
        if "pod" in bound and wish.seconds == _PROJECTED_S and set(wish.audiences) <= set(self._audiences):
            lifetime = _EXTENDED_S
            private["warnafter"] = issued + wish.seconds
        return {
            "aud": wish.audiences,
            "exp": issued + lifetime,
            "iat": issued,
            "iss": self._issuer,
            "jti": self._ids.uid(),
            "kubernetes.io": private,
            "nbf": issued,
            "sub": service_account_name(namespace, account["name"]),
        }


def _check_place(metadata: JsonObject, namespace: str, name: str) -> None:
    if (given := _text(metadata, "namespace")) and given != namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    if (given := _text(metadata, "name")) and given != name:
        error = invalid("metadata.name", given, "must match the service account name if specified")
        raise invalid_object(_KIND, name, [error])


def _lifetime_errors(seconds: int) -> list[FieldError]:
    field = "spec.expirationSeconds"
    if seconds < _SHORTEST_S:
        return [invalid(field, seconds, "may not specify a duration less than 10 minutes")]
    if seconds > _LONGEST_S:
        return [invalid(field, seconds, "may not specify a duration larger than 2^32 seconds")]
    return []


def _uid(obj: JsonObject) -> str:
    return _text(_record(obj.get("metadata")), "uid")


def _record(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(record: JsonObject, field: str) -> str:
    value = record.get(field)
    return value if isinstance(value, str) else ""
