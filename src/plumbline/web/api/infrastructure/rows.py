"""Claims and composites as rows of a list, read from their bytes. Pure."""

import re
from typing import Final

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.composition import marks
from plumbline.composition.parts import below, branches, condition
from plumbline.composition.tracing.branches import FINE, WRONG, Node, state_of
from plumbline.kernel.cache import Cached, Key
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.web.api.infrastructure.simulations import said_by
from plumbline.web.api.ours.marks import Marked, tracked

MESSAGE_CHARS: Final = 300
_PASSED_ON: Final = re.compile(
    r"(?:Claim is waiting for composite resource to become Ready: )?"
    r"(?:[^\s:]+: )?Un(?:ready resources: [^—]{1,400}? — |synced resources: [^.]{1,400}\. )(?:[^\s:]{1,253}: )?"
)
_WAITING: Final = re.compile(r"Claim is waiting for composite resource to become Ready: (?=.)")
_STILL: Final = re.compile(r"(?:[^\s:]{1,253}: )?Unready resources: ")
_DEEPEST: Final = 32
_CLOUDS: Final = re.compile(
    r"(?:^|\.)(aws|gcp|azure|azuread|kubernetes|sql|helm|github)(?:\.m)?\.(?:upbound|crossplane)\.io$"
)


class Row(Marked, frozen=True, kw_only=True):
    """Times are texts, as Kubernetes writes them: they sort as they are."""

    version: str = ""
    created: str = ""
    ready: str = "Unknown"
    synced: str = "Unknown"
    state: str = "waiting"
    """well, waiting or wrong."""
    reason: str = ""
    message: str = ""
    """The deepest that is known here."""
    since: str = ""
    composite: str = ""
    """Name of the composite that was made for a claim."""
    claim: Key = ("", "")
    """Of a composite: the claim that it was made for."""
    composition: str = ""
    providers: tuple[str, ...] = ()
    parts: int = 0
    paused: bool = False
    simulated: str = ""
    """What is not real about it."""
    deleting: str = ""


def row(entry: Cached) -> Row:
    obj = entry.object()
    metadata, spec = below(obj, "metadata"), below(obj, "spec")
    node = Node(obj)
    state = state_of(node)
    ready, synced = condition(obj, "Ready"), condition(obj, "Synced")
    settings = below(spec, "crossplane") or spec
    kept = branches(obj)
    claim = below(spec, "claimRef")
    return Row(
        ref=Ref(node.gvk.group, node.gvk.kind, entry.meta.namespace, entry.meta.name),
        version=node.gvk.version,
        created=_text(metadata.get("creationTimestamp")),
        ready=_text(ready.get("status")) or "Unknown",
        synced=_text(synced.get("status")) or "Unknown",
        state=_word(state.level, ready, state.message),
        reason=state.reason,
        message=deepest(state.message)[:MESSAGE_CHARS],
        since=state.since,
        composite=_text(below(spec, "resourceRef").get("name")) if entry.meta.namespace else "",
        claim=(_text(claim.get("namespace")), _text(claim.get("name"))),
        composition=_text(below(settings, "compositionRef").get("name")),
        providers=tuple(sorted({found for each in kept if (found := provider(each.gvk))})),
        parts=len(kept),
        paused=entry.meta.annotations.get(marks.PAUSED) == "true",
        simulated=said_by(metadata),
        deleting=entry.meta.deletion_timestamp,
        marks=tracked(entry.meta),
    )


def provider(gvk: GroupVersionKind) -> str:
    """Whose kind it is: `aws` for `rds.aws.upbound.io`. Empty for kinds that no provider is known to serve."""
    found = _CLOUDS.search(gvk.group)
    return found[1] if found is not None else ""


def deepest(message: str) -> str:
    """What the deepest part says: every composite on the way has only put its own words before it."""
    for _ in range(_DEEPEST):
        found = _PASSED_ON.match(message) or _WAITING.match(message)
        if found is None:
            break
        message = message[found.end() :]
    return message


def merged(claim: Row, composite: Row | None) -> Row:
    """A claim with what its composite knows: of which clouds it is, and what is wrong."""
    if composite is None:
        return claim
    wrong = composite.state == "wrong" and not claim.deleting
    worse = claim.state != "well" and (not claim.message or (wrong and claim.state != "wrong"))
    return msgspec.structs.replace(
        claim,
        composition=claim.composition or composite.composition,
        providers=composite.providers,
        parts=composite.parts,
        state="wrong" if wrong else claim.state,
        message=composite.message if worse else claim.message,
        reason=composite.reason if worse and (wrong or not claim.reason) else claim.reason,
    )


def shaped(each: Row) -> JsonObject:
    said: JsonObject = {
        "group": each.ref.group,
        "version": each.version,
        "kind": each.ref.kind,
        "namespace": each.ref.namespace,
        "name": each.ref.name,
        "state": each.state,
        "ready": each.ready,
        "synced": each.synced,
        "reason": each.reason,
        "message": each.message,
        "since": each.since,
        "createdAt": each.created,
        "deletedAt": each.deleting,
        "paused": each.paused,
        "simulated": each.simulated,
        "composition": each.composition,
        "composite": each.composite,
        "providers": list(each.providers),
        "parts": each.parts,
    }
    return {name: value for name, value in said.items() if value not in ("", None)}


def _word(level: int, ready: JsonObject, message: str) -> str:
    """What is not ready yet is waited for, unless a part of it, however deep, says what it lacks: that does not mend itself."""
    if level == FINE and ready:
        return "well"
    told = deepest(message)
    return "wrong" if level == WRONG or (told != message and not _STILL.match(told)) else "waiting"


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
