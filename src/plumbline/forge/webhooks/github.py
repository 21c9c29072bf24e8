"""GitHub: pushes, pings, and images in its container registry."""

from typing import Final

from plumbline.forge.webhooks import commits
from plumbline.forge.webhooks.decoding import Part, decoded
from plumbline.forge.webhooks.push import LONGEST_REF, Delivery, Ignored, Push, addresses
from plumbline.forge.webhooks.signatures import Secrets, check_hex

EVENT: Final = "x-github-event"
_REGISTRY: Final = "ghcr.io"


class _Repository(Part):
    html_url: str | None = None
    clone_url: str | None = None
    ssh_url: str | None = None
    default_branch: str | None = None


class _Push(commits.Ref):
    repository: _Repository | None = None


class _Name(Part):
    name: str | None = None


class _Metadata(Part):
    tag: _Name | None = None


class _Version(Part):
    container_metadata: _Metadata | None = None


class _Owner(Part):
    login: str | None = None


class _Package(Part):
    name: str | None = None
    package_type: str | None = None
    owner: _Owner | None = None
    package_version: _Version | None = None


class _Published(Part):
    action: str | None = None
    package: _Package | None = None


def read_github(delivery: Delivery, secrets: Secrets) -> tuple[Push, ...] | Ignored:
    check_hex(delivery, secrets.github, "x-hub-signature-256")
    match delivery.header(EVENT):
        case "push":
            return _pushed(decoded(delivery, _Push))
        case "package":
            return _published(decoded(delivery, _Published))
        case "ping":
            return Ignored("a ping")
        case event:
            return Ignored(f"nothing depends on {event[:100]!r} events of GitHub")


def _pushed(said: _Push) -> tuple[Push, ...] | Ignored:
    at = said.repository or _Repository()
    return commits.pushed(said, (at.html_url, at.clone_url, at.ssh_url), at.default_branch)


def _published(said: _Published) -> tuple[Push, ...] | Ignored:
    package = said.package or _Package()
    version = package.package_version or _Version()
    tag = ((version.container_metadata or _Metadata()).tag or _Name()).name or ""
    owner = (package.owner or _Owner()).login or ""
    if said.action != "published" or (package.package_type or "").lower() != "container":
        return Ignored("only published containers matter")
    if not tag or not owner or not package.name or len(tag) > LONGEST_REF:
        return Ignored("it names no tag of a container")
    return (Push(urls=addresses([f"oci://{_REGISTRY}/{owner}/{package.name}"]), ref=tag),)
