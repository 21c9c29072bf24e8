"""Azure DevOps, which names no event in a header and no files at all."""

from typing import Final
from urllib.parse import urlsplit

from plumbline.forge.webhooks.decoding import Part, decoded
from plumbline.forge.webhooks.push import LONGEST_REF, Delivery, Ignored, Push, addresses, revision
from plumbline.forge.webhooks.signatures import Secrets, check_basic

ACTIVITY: Final = "x-vss-activityid"
_MOST_UPDATES: Final = 100
_CLOUD: Final = "dev.azure.com"


class _Update(Part, rename="camel"):
    name: str | None = None
    old_object_id: str | None = None
    new_object_id: str | None = None


class _Repository(Part, rename="camel"):
    remote_url: str | None = None
    default_branch: str | None = None


class _Resource(Part, rename="camel"):
    ref_updates: list[_Update | None] | None = None
    repository: _Repository | None = None


class _Event(Part, rename="camel"):
    event_type: str | None = None
    resource: _Resource | None = None


def read_azure(delivery: Delivery, secrets: Secrets) -> tuple[Push, ...] | Ignored:
    check_basic(delivery, secrets)
    said = decoded(delivery, _Event)
    if said.event_type != "git.push":
        return Ignored(f"nothing depends on {(said.event_type or '')[:100]!r} events of Azure DevOps")
    resource = said.resource or _Resource()
    repository = resource.repository or _Repository()
    urls = addresses([repository.remote_url, _ssh_form(repository.remote_url or "")])
    if not urls:
        return Ignored("it names no repository")
    default = revision(repository.default_branch) if repository.default_branch else None
    updates = [update for update in resource.ref_updates or () if update][:_MOST_UPDATES]
    pushes = {
        update.name: Push(
            urls, update.name, update.old_object_id or "", update.new_object_id or "", default_branch=default
        )
        for update in updates
        if update.name and len(update.name) <= LONGEST_REF
    }
    return tuple(pushes.values()) or Ignored("it names no ref")


def _ssh_form(url: str) -> str | None:
    """The same repository over ssh, where its path is written in another way."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    match parts.path.strip("/").split("/"):
        case [organisation, project, "_git", name] if parts.hostname == _CLOUD:
            return f"ssh://git@ssh.{_CLOUD}/v3/{organisation}/{project}/{name}"
        case _:
            return None
