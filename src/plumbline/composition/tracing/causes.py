"""Why something is not ready: the deepest part that is wrong, whose turn it is, and what would release it. Pure."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.composition import marks
from plumbline.composition.parts import APPLICATION, below
from plumbline.composition.tracing.branches import FINE, WAITING, WRONG, Node, State, Unlisted, state_of
from plumbline.gate.consent import CONSENT_ANNOTATION
from plumbline.kinds.timestamp import Time

Whose: TypeAlias = Literal["your", "Plumbline's", "the provider's", "Kubernetes'"]

_CONSENT: Final = re.compile(
    rf"(?:annotate (?:the )?(?P<kind>\w+) (?P<name>\S+) with )?{re.escape(CONSENT_ANNOTATION)}=(?P<token>[0-9a-f]+)"
)
_SECRET: Final = re.compile(r'[Ss]ecret "?(?:(?P<namespace>[a-z0-9-]+)/)?(?P<name>[a-z0-9.-]+)"? (?:was )?not found')
_DENIED: Final = re.compile(
    r"AccessDenied|UnauthorizedOperation|AuthFailure|InvalidClientTokenId|PERMISSION_DENIED|AuthorizationFailed"
    r"|no credentials|cannot get credentials",
    re.IGNORECASE,
)
_PENDING: Final = "crossplane.io/external-create-pending"
_KEPT: Final = {
    "finalizer.managedresource.crossplane.io": "the provider, which deletes what is in the cloud",
    "composite.apiextensions.crossplane.io": "Plumbline, which lets go of what it composed",
    "finalizer.apiextensions.crossplane.io": "Plumbline, which deletes the composite first",
    "resources-finalizer.argocd.argoproj.io": "Plumbline, which deletes what it delivers first",
    "foregroundDeletion": "Kubernetes, which deletes what it owns first",
}
_APPROVED: Final = "argocd.argoproj.io/deletion-approved"
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400
_NAMED: Final = 3
"""How many kinds are named that could not be listed."""


class Cause(NamedTuple):
    path: tuple[Node, ...]
    """From the root to what is wrong."""
    state: State

    @property
    def node(self) -> Node:
        return self.path[-1]


class Turn(NamedTuple):
    whose: Whose
    what: str
    release: tuple[str, ...] = ()
    """Commands."""
    secret: str = ""
    """One that is missing."""


def cause_of(root: Node) -> Cause | None:
    """The worst part, and of those the deepest; None where all is well."""
    return max(_wrong(root, ()), key=lambda each: (each.state.level, len(each.path)), default=None)


def _wrong(node: Node, path: tuple[Node, ...]) -> Iterator[Cause]:
    state, here = state_of(node), (*path, node)
    if state.level != FINE:
        yield Cause(here, state)
    for child in node.children:
        yield from _wrong(child, here)


def sentence(root: Node) -> str:
    """The whole tree in one line: what is wrong at its deepest, or that nothing is, and what could not be seen."""
    cause, unseen = cause_of(root), unlisted(root)
    if cause is None:
        count = sum(1 for _ in nodes(root))
        extent = "all of it that can be seen" if unseen else "all of it"
        said = f"{spoken(root)} is well" + (f", and so is {extent}: {count} objects." if count > 1 else ".")
    else:
        said = f"{told(cause)}."
    return f"{said} {unseen}" if unseen else said


def unlisted(root: Node) -> str:
    """What could not be listed anywhere in the tree, in a sentence; empty where all could be."""
    return passed_over(each for node in nodes(root) for each in node.unlisted)


def passed_over(kinds: Iterable[Unlisted], meaning: str = "There may be more that cannot be seen") -> str:
    """That these kinds could not be listed, what that means and why, in a sentence; empty for none."""
    found = {each.kind: each.why for each in kinds}
    if not found:
        return ""
    names = sorted(found)
    more = len(names) - _NAMED
    rest = [f"{more} more {'kinds' if more > 1 else 'kind'}"] if more > 0 else []
    *others, last = [*names[:_NAMED], *rest]
    told_of = f"{', '.join(others)} and {last}" if others else last
    why = found[names[0]].strip().removesuffix(".")
    return f"{meaning}: {told_of} could not be listed: {why}."


def nodes(root: Node) -> Iterator[Node]:
    yield root
    for child in root.children:
        yield from nodes(child)


def spoken(node: Node) -> str:
    place = f" in {node.namespace}" if node.namespace else ""
    known = f" ({node.external})" if node.external and node.external != node.name else ""
    return f"{node.gvk.kind} {node.name}{known}{place}"


def told(cause: Cause) -> str:
    """What is wrong, without a full stop."""
    node, state = cause.node, cause.state
    message = state.message.strip().removesuffix(".")
    if node.error:
        return f"{spoken(node)} is not there" if node.missing else f"{spoken(node)} cannot be read: {message}"
    if state.reason == "Deleting":
        holders = ", ".join(_KEPT.get(each, each) for each in _finalizers(node))
        return f"{spoken(node)} is being deleted" + (f", and waits for {holders}" if holders else "")
    if state.reason == "ReconcilePaused":
        return f"{spoken(node)} is paused"
    if state.level == WRONG and state.synced == "False" and node.gvk.group_kind != APPLICATION:
        return f"{spoken(node)} cannot be made so: {message or state.reason}"
    if state.level == WAITING:
        return f"{spoken(node)} is not ready yet: {message or state.reason or 'it has not said anything yet'}"
    return f"{spoken(node)} is {state.reason}" + (f": {message}" if message else "")


def turn_of(cause: Cause) -> Turn:
    """Who has to do something now. Where a message asks for something, that goes before everything else."""
    node, state = cause.node, cause.state
    consent = _CONSENT.search(state.message)
    if consent is not None:
        target = f"{consent['kind']}/{consent['name']}" if consent["kind"] else str(node)
        what = "something would be destroyed that nobody asked to destroy; look at what the message names"
        return Turn("your", what, (f"plumb consent {target.lower()} {consent['token']}{_in(node)}",))
    return _asked_of_somebody(node, state) or _expected(node, state)


def _asked_of_somebody(node: Node, state: State) -> Turn | None:
    annotations = below(node.metadata, "annotations")
    if state.reason == "ReconcilePaused" or annotations.get(marks.PAUSED) == "true":
        command = f"kubectl annotate {_typed(node)} {marks.PAUSED}-{_in(node)}"
        return Turn("your", "somebody paused it", (command,) if marks.PAUSED in annotations else ())
    if state.reason == "Deleting":
        return _to_confirm(node) or Turn(_deleter(node), "the deletion goes on by itself")
    missing = _SECRET.search(state.message)
    if missing is not None:
        what = f"create the Secret {missing['name']}, or whatever writes it; all else goes on by itself"
        return Turn("your", what, secret=missing["name"])
    if _DENIED.search(state.message):
        config = below(node.obj, "spec", "providerConfigRef").get("name", "default")
        return Turn("your", f"the cloud refuses the credentials of ProviderConfig {config}, or what they may do")
    pending = annotations.get(_PENDING)
    if pending and state.level == WRONG and "external-create" in state.message:
        what = "look in the cloud whether it was made; if it was, put its id into crossplane.io/external-name"
        return Turn("your", what, (f"kubectl annotate {_typed(node)} {_PENDING}-{_in(node)}",))
    return None


def _to_confirm(node: Node) -> Turn | None:
    """An Application that delivers what goes only if somebody agrees, and nobody has since its deletion was asked for."""
    resources = below(node.obj, "status").get("resources") or ()
    asking = [str(each.get("name")) for each in resources if each.get("requiresDeletionConfirmation")]
    if not asking or _later(below(node.metadata, "annotations").get(_APPROVED), node.metadata.get("deletionTimestamp")):
        return None
    what = f"{', '.join(asking[:_NAMED])} {'go' if len(asking) > 1 else 'goes'} only if you agree to it"
    return Turn("your", what, (f"plumb app confirm-deletion {node.namespace}/{node.name}",))


def _later(said: object, since: object) -> bool:
    try:
        return Time.read(said) >= Time.read(since)
    except ValueError:
        return False


def _expected(node: Node, state: State) -> Turn:
    if node.gvk.group_kind == APPLICATION:
        return _of_delivery(node, state)
    if "forProvider" in below(node.obj, "spec"):
        return _of_provider(state)
    if node.error:
        return _unread(node)
    if state.level == WRONG:
        return Turn("your", "correct what the message names; it is looked at again as soon as anything changes")
    if state.synced != "-":
        return Turn("Plumbline's", "it is looked at again when any of its parts changes")
    return Turn("Kubernetes'", "its controllers are at it")


def _unread(node: Node) -> Turn:
    if node.missing:
        return Turn("Plumbline's", "it is made at the next look")
    return Turn("your", "whoever asks has to be allowed to read it")


def _of_provider(state: State) -> Turn:
    if state.level == WAITING:
        return Turn("the provider's", "the cloud is at it")
    what = "the cloud refuses it as it is; it is tried again by itself, and goes on once the spec or the cloud changes"
    return Turn("your", what)


def _of_delivery(node: Node, state: State) -> Turn:
    if state.reason == "OutOfSync" and not below(node.obj, "spec", "syncPolicy", "automated"):
        return Turn("your", "it is not synced by itself", (f"plumb app sync {node.name}",))
    if state.level == WAITING:
        return Turn("Plumbline's", "it is at it")
    return Turn("your", "correct what the message names, in Git")


def _deleter(node: Node) -> Whose:
    held = _finalizers(node)
    if "finalizer.managedresource.crossplane.io" in held:
        return "the provider's"
    ours = any("crossplane.io" in each or "argocd.argoproj.io" in each for each in held)
    return "Plumbline's" if ours else "Kubernetes'"


def _finalizers(node: Node) -> list[str]:
    listed = node.metadata.get("finalizers")
    return [str(each) for each in listed] if isinstance(listed, list) else []


def _typed(node: Node) -> str:
    group = f".{node.gvk.group}" if node.gvk.group else ""
    return f"{node.gvk.kind.lower()}{group}/{node.name}"


def _in(node: Node) -> str:
    return f" -n {node.namespace}" if node.namespace else ""


def lasting(since: str, now: datetime) -> str:
    """How long ago *since* was, in one unit; empty where nobody knows."""
    try:
        seconds = int((now - datetime.fromisoformat(since)).total_seconds())
    except (ValueError, TypeError):
        return ""
    for unit, length in (("d", _DAY_S), ("h", _HOUR_S), ("m", _MINUTE_S)):
        if seconds >= 2 * length:
            return f"{seconds // length}{unit}"
    return f"{max(seconds, 0)}s"
