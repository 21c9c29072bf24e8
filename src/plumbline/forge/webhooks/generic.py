"""Whoever else has something to say: `{"url": ..., "ref": ...}`, from a script or a forge that nobody knows."""

from plumbline.base.errors import BadDocument
from plumbline.base.http.credentials import bearer
from plumbline.forge.webhooks.decoding import Part, decoded
from plumbline.forge.webhooks.push import LONGEST_REF, Delivery, Ignored, Push, addresses, revision
from plumbline.forge.webhooks.signatures import Secrets, check_hex, refuse

_JSON = "application/json"


class _Said(Part):
    url: str | None = None
    ref: str | None = None
    before: str | None = None
    after: str | None = None
    files: list[str] | None = None
    default_branch: str | None = None


def read_generic(delivery: Delivery, secrets: Secrets) -> tuple[Push, ...] | Ignored:
    """Without a ref it means that any may have moved, of which the default one is looked at."""
    if secrets.generic:
        _check(delivery, secrets)
    if not delivery.header("content-type").lower().startswith(_JSON):
        # No header of a forge tells it from what a page in somebody's browser can send without asking.
        raise BadDocument("Unknown webhook event", why=f"its content type is not {_JSON}")
    said = decoded(delivery, _Said)
    urls = addresses([said.url])
    if not urls:
        raise BadDocument("Unknown webhook event", why="no header says which forge sent it, and it has no `url`")
    if secrets.demanding and not secrets.generic:
        # Where a forge has to prove who it is, nobody gets around that by being none.
        refuse("other senders have to know a secret here, and there is none for those that are no known forge")
    ref = said.ref or "HEAD"
    if len(ref) > LONGEST_REF:
        return Ignored("it names no ref")
    return (
        Push(
            urls=urls,
            ref=ref,
            before=said.before or "",
            after=said.after or "",
            files=frozenset(said.files) if said.files else None,
            default_branch=revision(said.default_branch) if said.default_branch else None,
        ),
    )


def _check(delivery: Delivery, secrets: Secrets) -> None:
    token = bearer(delivery.header("authorization"))
    if token is None:
        check_hex(delivery, secrets.generic, "x-hub-signature-256")
    elif token != secrets.generic:
        refuse("its token is not the one that is configured here")
