"""Who may come in: certificates of our authority, and tokens that we signed."""

from plumbline.apiserver.authentication.authenticator import Authenticator
from plumbline.apiserver.authentication.claims import Lookup
from plumbline.apiserver.authentication.keys import SigningKey
from plumbline.apiserver.authentication.legacy import LegacyTokens, Used
from plumbline.apiserver.authentication.tokenrequests import TokenIssuer
from plumbline.apiserver.authentication.tokens import ServiceAccountTokens
from plumbline.base.clock import Clock
from plumbline.base.ids import Ids

ISSUER = "https://kubernetes.default.svc.cluster.local"


class Security:
    """*used* is told of Secrets whose tokens are used."""

    def __init__(self, key: SigningKey, *, lookup: Lookup, used: Used, clock: Clock, ids: Ids) -> None:
        audiences = (ISSUER,)
        self.issuer = TokenIssuer(key, ISSUER, audiences, lookup=lookup, clock=clock, ids=ids)
        self.keys = (key.public,)
        tokens = ServiceAccountTokens(self.keys, ISSUER, audiences, lookup, clock)
        legacy = LegacyTokens(self.keys, audiences, lookup, clock, used)
        self.authenticator = Authenticator((legacy, tokens), audiences, clock)
