"""Who a webhook really comes from, where there is a secret to tell it by. Every comparison takes the same time."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final, NoReturn

from plumbline.base.errors import Unauthenticated
from plumbline.base.http.credentials import basic
from plumbline.base.plaintext import Plaintext
from plumbline.forge.webhooks.push import Delivery

_NONE: Final = Plaintext(b"")
_PREFIX: Final = "sha256="


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """What each kind of sender has to know, as `argocd-secret` names it; empty for those that need to know nothing."""

    github: Plaintext = _NONE
    gitlab: Plaintext = _NONE
    bitbucket_uuid: Plaintext = _NONE
    bitbucket_server: Plaintext = _NONE
    gogs: Plaintext = _NONE
    """Of Gitea and Forgejo as well."""
    azure_username: str = ""
    azure_password: Plaintext = _NONE
    harbor: Plaintext = _NONE
    """The whole Authorization header. Without it Harbor is not listened to at all."""
    generic: Plaintext = _NONE
    """A bearer token, or the key of an `X-Hub-Signature-256`."""

    @property
    def demanding(self) -> bool:
        """Whether somebody has to prove who they are. Harbor's says whether it is listened to, and nothing of others."""
        forges = (self.github, self.gitlab, self.bitbucket_uuid, self.bitbucket_server, self.gogs, self.azure_password)
        return any((*forges, self.azure_username, self.generic))


def check_hex(delivery: Delivery, secret: Plaintext, *headers: str) -> None:
    """HMAC with SHA-256 over the body, in hex, in the first of *headers* that is there. SHA-1 is not accepted."""
    if not secret:
        return
    given = next((delivery.header(name) for name in headers if delivery.header(name)), "")
    if not given:
        refuse(f"it carries no {headers[0]} header")
    expected = hmac.new(secret.reveal(), delivery.body, hashlib.sha256).hexdigest()
    if not _equal(given.removeprefix(_PREFIX), expected):
        refuse("its signature was not made with the secret that is configured here")


def check_token(given: str, secret: Plaintext, header: str) -> None:
    """A header that holds the secret itself."""
    if secret and Plaintext(given) != secret:
        refuse(f"its {header} is not the one that is configured here" if given else f"it carries no {header} header")


def check_basic(delivery: Delivery, secrets: Secrets) -> None:
    """User and password, of Azure DevOps."""
    if not secrets.azure_username and not secrets.azure_password:
        return
    given = basic(delivery.header("authorization"))
    # Both are compared, whatever the first says.
    known = given is not None and all(
        [_equal(given.username, secrets.azure_username), given.password == secrets.azure_password]
    )
    if not known:
        refuse("user and password are not those that are configured here")


def refuse(why: str) -> NoReturn:
    raise Unauthenticated(
        "Webhook processing failed",
        why=why,
        hint="Configure the same secret at the forge and in `argocd-secret`.",
    )


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
