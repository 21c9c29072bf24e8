"""Gogs, and Gitea and Forgejo, which send its headers and payloads beside their own."""

from typing import Final

from plumbline.forge.webhooks import commits
from plumbline.forge.webhooks.decoding import Part, decoded
from plumbline.forge.webhooks.push import Delivery, Ignored, Push
from plumbline.forge.webhooks.signatures import Secrets, check_hex

EVENTS: Final = ("x-gogs-event", "x-gitea-event", "x-forgejo-event")


class _Repository(Part):
    html_url: str | None = None
    clone_url: str | None = None
    ssh_url: str | None = None
    default_branch: str | None = None


class _Push(commits.Ref):
    repository: _Repository | None = None


def read_gogs(delivery: Delivery, secrets: Secrets) -> tuple[Push, ...] | Ignored:
    check_hex(delivery, secrets.gogs, "x-gogs-signature", "x-gitea-signature", "x-forgejo-signature")
    event = next(delivery.header(name) for name in EVENTS if delivery.header(name))
    if event != "push":
        return Ignored(f"nothing depends on {event[:100]!r} events of Gogs or Gitea")
    said = decoded(delivery, _Push)
    at = said.repository or _Repository()
    return commits.pushed(said, (at.html_url, at.clone_url, at.ssh_url), at.default_branch)
