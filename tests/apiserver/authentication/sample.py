"""A small cluster to authenticate against: objects, keys, and a clock that a test moves."""

from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric import ec, rsa

from plumbline.apiserver.authentication.authenticator import Authenticator
from plumbline.apiserver.authentication.keys import SigningKey
from plumbline.apiserver.authentication.tokenrequests import TokenIssuer
from plumbline.apiserver.authentication.tokens import ServiceAccountTokens
from plumbline.base.clock import VirtualClock
from plumbline.base.errors import RequestRefused
from plumbline.base.ids import Ids

ISSUER = "https://kubernetes.default.svc"
START = datetime(2026, 1, 1, tzinfo=UTC)
RSA_KEY = SigningKey(rsa.generate_private_key(public_exponent=65537, key_size=2048))
EC_KEY = SigningKey(ec.generate_private_key(ec.SECP256R1()))


def obj(name, uid, **more):
    return {"metadata": {"name": name, "uid": uid}} | more


class Cluster:
    def __init__(self, key=EC_KEY):
        self.clock = VirtualClock(START)
        self.key = key
        self.lookups = 0
        self.objects = {
            ("ServiceAccount", "home", "robot"): obj("robot", "u-robot"),
            ("Pod", "home", "web"): obj("web", "u-web", spec={"serviceAccountName": "robot", "nodeName": "n1"}),
            ("Pod", "home", "lost"): obj("lost", "u-lost", spec={"serviceAccountName": "robot", "nodeName": "gone"}),
            ("Pod", "home", "new"): obj("new", "u-new", spec={"serviceAccountName": "robot"}),
            ("Pod", "home", "foreign"): obj("foreign", "u-foreign", spec={"serviceAccountName": "other"}),
            ("Secret", "home", "sec"): obj("sec", "u-sec"),
            ("Node", "", "n1"): obj("n1", "u-n1"),
        }
        self.issuer = TokenIssuer(key, ISSUER, [ISSUER], lookup=self.lookup, clock=self.clock, ids=Ids(7))
        self.tokens = ServiceAccountTokens([key.public], ISSUER, [ISSUER], self.lookup, self.clock)
        self.authenticator = Authenticator([self.tokens], [ISSUER], self.clock)

    def lookup(self, kind, namespace, name, /):
        self.lookups += 1
        return self.objects.get((kind, namespace, name))

    def token(self, **spec):
        return self.issuer.issue("home", "robot", {"spec": spec})["status"]["token"]

    def fault(self, token, audiences=(ISSUER,)):
        """What a review of it says."""
        spec = {"token": token, "audiences": list(audiences)}
        return self.authenticator.review({"spec": spec})["status"].get("error", "")


def bound(kind, name, **more):
    return {"boundObjectRef": {"apiVersion": "v1", "kind": kind, "name": name} | more}


def refused(question):
    """Code and message of the refusal."""
    try:
        question()
    except RequestRefused as refusal:
        return refusal.status["code"], refusal.status["message"]
    raise AssertionError("not refused")
