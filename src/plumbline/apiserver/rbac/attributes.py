"""What somebody wants to do, the answer to it, and how a refusal reads."""

from typing import NamedTuple

from plumbline.access.identity import Identity
from plumbline.apiserver.statuses import failure
from plumbline.base.errors import RequestRefused
from plumbline.kube.gotext import quoted

_NOT_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class Attributes(NamedTuple):
    """A path makes it a request for something that is no resource; then only the verb counts besides."""

    identity: Identity
    verb: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str | None = None


class Decision(NamedTuple):
    """`reason` says which binding allowed it, or what kept rules from being read; often there is none."""

    allowed: bool
    reason: str = ""


def forbidden_message(attributes: Attributes, reason: str = "") -> str:
    """The message of the 403, as clients print it."""
    why = _refusal(attributes).translate(_NOT_HTML)
    if reason:
        why = f"{why}: {reason}"
    group, resource = attributes.group, attributes.resource
    if not group and not resource:
        return f"forbidden: {why}"
    full = f"{resource}.{group}" if group else resource
    named = f"{full} {quoted(attributes.name)}" if attributes.name else full
    return f"{named} is forbidden: {why}"


def forbidden(attributes: Attributes, reason: str = "") -> RequestRefused:
    return failure(
        403,
        "Forbidden",
        forbidden_message(attributes, reason),
        name=attributes.name,
        group=attributes.group,
        kind=attributes.resource,
    )


def _refusal(attributes: Attributes) -> str:
    who = f"User {quoted(attributes.identity.name)} cannot {attributes.verb}"
    if attributes.path is not None:
        return f"{who} path {quoted(attributes.path)}"
    resource = f"{attributes.resource}/{attributes.subresource}" if attributes.subresource else attributes.resource
    what = f"{who} resource {quoted(resource)} in API group {quoted(attributes.group)}"
    if attributes.namespace:
        return f"{what} in the namespace {quoted(attributes.namespace)}"
    return f"{what} at the cluster scope"
