"""Who makes a request: a certificate speaks first, then a bearer token, and who brings neither is anonymous."""

from collections.abc import Sequence

from plumbline.access.identity import ANONYMOUS, Identity
from plumbline.apiserver.authentication.certificates import certificate_identity
from plumbline.apiserver.authentication.tokens import INVALID, Authenticated, TokenSource
from plumbline.apiserver.statuses import aggregated, bad_request, unauthorized
from plumbline.base.clock import Clock
from plumbline.base.errors import Unauthenticated
from plumbline.base.json import Json, JsonObject


class Authenticator:
    """`audiences` are those of the API itself: what a token has to be meant for, unless a review asks otherwise."""

    def __init__(self, sources: Sequence[TokenSource], audiences: Sequence[str], clock: Clock) -> None:
        self._sources = tuple(sources)
        self._audiences = tuple(audiences)
        self._clock = clock

    def identity(self, *, certificate: bytes = b"", authorization: str = "") -> Identity:
        """From the verified client certificate and the Authorization header; raises RequestRefused with 401.

        What a bad token brought along is never taken for anonymous.
        """
        fault = None
        if certificate:
            try:
                if found := certificate_identity(certificate, self._clock.now()):
                    return found
            except Unauthenticated as refused:
                fault = refused
        try:
            if token := bearer_token(authorization):
                return self.authenticated(token, self._audiences).identity
        except Unauthenticated as refused:
            fault = refused
        if fault is not None:
            raise unauthorized() from fault
        return ANONYMOUS

    def authenticated(self, token: str, audiences: Sequence[str]) -> Authenticated:
        """Raise Unauthenticated, with all that the sources of tokens have against this one."""
        faults = [INVALID]
        for source in self._sources:
            try:
                if found := source.authenticate(token, audiences):
                    return found
            except Unauthenticated as fault:
                faults.append(fault.what)
        raise Unauthenticated(aggregated(faults))

    def review(self, review: JsonObject) -> JsonObject:
        """The answered TokenReview; raises RequestRefused where no token is asked about."""
        spec = review.get("spec")
        token = spec.get("token") if isinstance(spec, dict) else None
        if not isinstance(spec, dict) or not isinstance(token, str) or not token:
            raise bad_request("token is required for TokenReview in authentication")
        asked: Json = spec.get("audiences")
        audiences = [each for each in asked if isinstance(each, str)] if isinstance(asked, list) else []
        return review | {"status": self._reviewed(token, audiences or self._audiences)}

    def _reviewed(self, token: str, audiences: Sequence[str]) -> JsonObject:
        # A header of its own carries the token in a review: what a header cannot carry is not part of it.
        carried = bearer_token(f"Bearer {token}")
        if not carried:
            return {"user": {}}
        try:
            found = self.authenticated(carried, audiences)
        except Unauthenticated as fault:
            return {"user": {}, "error": fault.what}
        return {"authenticated": True, "user": user_info(found.identity), "audiences": list(found.audiences)}


def bearer_token(authorization: str) -> str:
    """The token in an Authorization header, or nothing where it holds another scheme."""
    scheme, _, rest = authorization.strip().partition(" ")
    return rest.partition(" ")[0] if scheme.lower() == "bearer" else ""


def user_info(identity: Identity) -> JsonObject:
    """As reviews show it; what is empty is left out."""
    extra = {key: list(identity.extra[key]) for key in sorted(identity.extra)}
    fields: JsonObject = {
        "username": identity.name,
        "uid": identity.uid,
        "groups": list(identity.groups),
        "extra": extra,
    }
    return {field: value for field, value in fields.items() if value}
