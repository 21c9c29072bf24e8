"""Harbor, a registry. It signs nothing: an Authorization header that is agreed upon is all there is."""

from typing import Final
from urllib.parse import urlsplit

from plumbline.base.plaintext import Plaintext
from plumbline.forge.webhooks.decoding import Part, decoded
from plumbline.forge.webhooks.push import LONGEST_REF, Delivery, Ignored, Push, addresses
from plumbline.forge.webhooks.signatures import Secrets

_MOST_RESOURCES: Final = 100


class _Resource(Part):
    tag: str | None = None
    resource_url: str | None = None


class _Repository(Part):
    name: str | None = None
    namespace: str | None = None
    repo_full_name: str | None = None


class _Described(Part):
    resources: list[_Resource | None] | None = None
    repository: _Repository | None = None


class _Event(Part):
    type: str | None = None
    event_data: _Described | None = None


def from_harbor(delivery: Delivery, secrets: Secrets) -> bool:
    """Whether the sender knows what only a Harbor of ours knows."""
    return bool(secrets.harbor) and Plaintext(delivery.header("authorization")) == secrets.harbor


def read_harbor(delivery: Delivery, _: Secrets) -> tuple[Push, ...] | Ignored:
    said = decoded(delivery, _Event)
    if said.type != "PUSH_ARTIFACT":
        return Ignored("only pushed artifacts matter")
    described = said.event_data or _Described()
    repository = described.repository or _Repository()
    name = repository.repo_full_name or ""
    if not name and repository.namespace and repository.name:
        name = f"{repository.namespace}/{repository.name}"
    pushes: dict[str, Push] = {}
    for resource in (described.resources or ())[:_MOST_RESOURCES]:
        host = _host(resource.resource_url or "") if resource else ""
        if resource and resource.tag and len(resource.tag) <= LONGEST_REF and host and name:
            pushes[resource.tag] = Push(urls=addresses([f"oci://{host}/{name}"]), ref=resource.tag)
    return tuple(each for each in pushes.values() if each.urls) or Ignored("it names no tag of an artifact")


def _host(url: str) -> str:
    """Of `HOST[:PORT]/PROJECT/NAME:TAG`, with or without a scheme."""
    try:
        parts = urlsplit(url if "://" in url else f"oci://{url}")
    except ValueError:
        return ""
    return parts.netloc if parts.path.strip("/") else ""
