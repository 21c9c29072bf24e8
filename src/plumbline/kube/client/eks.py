"""Logging in to EKS: a question to STS, signed and never asked by us. The cluster asks it, and learns who signed it.

What is signed names the cluster, so that the token is good for clusters of that name only. Nothing is sent to make it, but
where a role has to be assumed first. How it looks is aws-iam-authenticator's format, of which there is one version.
"""

import base64
import hashlib
import hmac
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from urllib.parse import quote, urlencode

from plumbline.base.clock import Clock
from plumbline.base.errors import LoginFailed
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.credentials import Identity, bearer
from plumbline.kube.client.parts import EksLogin
from plumbline.kube.client.renewing import Lasting, Renewed

PREFIX: Final = "k8s-aws-v1."
GOOD_FOR: Final = timedelta(minutes=15)
"""STS answers a signed question for that long, whatever the question itself says."""
EARLIER: Final = timedelta(minutes=1)
"""How long before its end a token is no longer used: requests take time, and clocks differ."""
_SAID_S: Final = 60
"""What the question says instead: old servers take no more."""
_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_NO_BODY: Final = hashlib.sha256(b"").hexdigest()
_CLUSTER: Final = "x-k8s-aws-id"


class Signer(NamedTuple):
    """Who asks, and which STS."""

    host: str
    region: str
    access_key_id: str
    secret_access_key: Plaintext
    session_token: Plaintext | None = None


Find = Callable[[EksLogin, Connection], Awaitable[Signer]]


class FromEks:
    """A token for one cluster, signed anew before it ends or once the server refuses it."""

    def __init__(self, login: EksLogin, connection: Connection, clock: Clock, find: Find) -> None:
        self._login = login
        self._connection = connection
        self._clock = clock
        self._find = find
        self._kept = Renewed(self._signed, clock, self._useless)

    def ready(self) -> Identity | None:
        return self._kept.ready()

    async def renew(self, refused: Identity | None) -> Identity | None:
        return await self._kept.renew(refused)

    async def _signed(self) -> Lasting:
        found = await self._find(self._login, self._connection)
        at = self._clock.now()
        identity = Identity(bearer(token(question(found, self._login.cluster, at))))
        return Lasting(identity, at + GOOD_FOR - EARLIER)

    def _useless(self, why: str) -> LoginFailed:
        return LoginFailed(
            f"{self._connection.source or self._connection.server}: the login to the EKS cluster {self._login.cluster} is of no use",
            why=why,
            hint="Check clusterName, and that the cluster knows the role: by an access entry, or in its ConfigMap aws-auth.",
        )


def token(url: Plaintext) -> Plaintext:
    return Plaintext(PREFIX.encode() + base64.urlsafe_b64encode(url.reveal()).rstrip(b"="))


def question(signer: Signer, cluster: str, at: datetime) -> Plaintext:
    """The address of STS that says who signed it, to be asked with a header that names *cluster*."""
    day, time = f"{at:%Y%m%d}", f"{at:%Y%m%dT%H%M%SZ}"
    scope = f"{day}/{signer.region}/sts/aws4_request"
    asked = {
        "Action": "GetCallerIdentity",
        "Version": "2011-06-15",
        "X-Amz-Algorithm": _ALGORITHM,
        "X-Amz-Credential": f"{signer.access_key_id}/{scope}",
        "X-Amz-Date": time,
        "X-Amz-Expires": str(_SAID_S),
        "X-Amz-SignedHeaders": f"host;{_CLUSTER}",
    }
    if signer.session_token:
        asked["X-Amz-Security-Token"] = signer.session_token.reveal().decode()
    headers = f"host:{signer.host}\n{_CLUSTER}:{cluster}\n"
    request = "\n".join(("GET", "/", _query(sorted(asked.items())), headers, f"host;{_CLUSTER}", _NO_BODY))
    signed = "\n".join((_ALGORITHM, time, scope, hashlib.sha256(request.encode()).hexdigest()))
    key = b"AWS4" + signer.secret_access_key.reveal()
    for part in (day, signer.region, "sts", "aws4_request"):
        key = _hmac(key, part)
    query = _query([*asked.items(), ("X-Amz-Signature", _hmac(key, signed).hex())])
    return Plaintext(f"https://{signer.host}/?{query}")


def _query(pairs: list[tuple[str, str]]) -> str:
    return urlencode(pairs, quote_via=quote, safe="-_.~")


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
