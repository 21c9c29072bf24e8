"""A tree from a claim to the cloud, as a page draws it: every node says how it is, and why it has no parts. Pure."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.parts import below, condition
from plumbline.composition.tracing.branches import FINE, WAITING, Node, state_of
from plumbline.composition.tracing.causes import cause_of, nodes, sentence, told, turn_of
from plumbline.web.api.infrastructure.consoles import console
from plumbline.web.api.infrastructure.rows import provider
from plumbline.web.api.infrastructure.simulations import Simulations, said_by

MOST: Final = 2000
"""Nodes of one answer."""
_LEVELS: Final = {FINE: "well", WAITING: "waiting"}

Presence: TypeAlias = Literal["present", "missing", "forbidden", "unreadable"]
Parts: TypeAlias = Literal["present", "loading", "empty", "forbidden", "none"]


class Drawing(NamedTuple):
    simulations: Simulations = Simulations()
    """What is only simulated has no console that shows it."""

    def tree(self, root: Node) -> JsonObject:
        """All nodes one after the other, each with the place of its parent; what is wrong comes before all."""
        drawn = [self._node(node, place, parent) for place, (node, parent) in enumerate(_walked(root))]
        found: JsonObject = {"sentence": sentence(root), "nodes": drawn[:MOST]}
        if len(drawn) > MOST:
            found["more"] = len(drawn) - MOST
        cause = cause_of(root)
        if cause is None:
            return found
        turn = turn_of(cause)
        found["cause"] = {
            "said": told(cause),
            "reason": cause.state.reason,
            "message": cause.state.message,
            "since": cause.state.since,
            "path": [_named(each) for each in cause.path],
            "turn": turn.whose,
            "next": turn.what,
            "commands": list(turn.release),
        }
        return found

    def _node(self, node: Node, place: int, parent: int) -> JsonObject:
        state = state_of(node)
        managed = "forProvider" in below(node.obj, "spec")
        drift = condition(node.obj, "UpToDate")
        simulated = said_by(node.metadata) or self.simulations.of(node.obj)
        known: JsonObject = {
            **_named(node),
            "version": node.gvk.version,
            "role": role(node, root=parent < 0),
            "presence": presence(node),
            "why": node.error,
            "state": _LEVELS.get(state.level, "wrong"),
            "synced": state.synced,
            "ready": state.ready,
            "reason": state.reason,
            "message": state.message,
            "since": state.since,
            "createdAt": _text(node.metadata.get("creationTimestamp")),
            "deletedAt": _text(node.metadata.get("deletionTimestamp")),
            "resourceName": _text(below(node.metadata, "annotations").get(marks.RESOURCE_NAME)),
            "externalName": node.external,
            "provider": provider(node.gvk),
            "providerConfig": _text(below(node.obj, "spec", "providerConfigRef").get("name")) if managed else "",
            "console": "" if simulated else console(node.gvk, node.external, node.obj),
            "simulated": simulated,
            "drift": _text(drift.get("message")) if drift.get("status") == "False" else "",
            "changedAt": _changed(node) if managed else "",
            "paused": below(node.metadata, "annotations").get(marks.PAUSED) == "true",
        }
        shown = {name: value for name, value in known.items() if value not in ("", False)}
        above: JsonObject = {"parent": parent} if parent >= 0 else {}
        return {"id": place, **above, "parts": parts(node), **shown}


def presence(node: Node) -> Presence:
    if not node.error:
        return "present"
    if node.missing:
        return "missing"
    return "forbidden" if node.forbidden else "unreadable"


def parts(node: Node) -> Parts:
    """Why a node has no parts below it: it never has any, has none yet, has none at all, or they are not for us to see."""
    if node.children:
        hidden = all(child.forbidden for child in node.children)
        return "forbidden" if hidden else "present"
    if node.unlisted:
        return "forbidden"
    if node.error or not _composes(node):
        return "none"
    return "empty" if condition(node.obj, "Ready").get("status") == "True" else "loading"


def role(node: Node, *, root: bool) -> str:
    spec = below(node.obj, "spec")
    if "forProvider" in spec:
        return "managed"
    if _composes(node):
        return "claim" if root and node.namespace and "resourceRef" in spec else "composite"
    return "claim" if root else "object"


def _composes(node: Node) -> bool:
    spec = below(node.obj, "spec")
    keys = ("resourceRef", "resourceRefs", "crossplane", "compositionRef", "compositionSelector", "claimRef")
    return any(key in spec for key in keys)


def _changed(node: Node) -> str:
    """When the provider last said something else than before; it looks far more often than it writes."""
    listed = below(node.obj, "status").get("conditions")
    times = [str(each.get("lastTransitionTime") or "") for each in listed or () if isinstance(each, dict)]
    return max(times, default="")


def _named(node: Node) -> JsonObject:
    return {"group": node.gvk.group, "kind": node.gvk.kind, "namespace": node.namespace, "name": node.name}


def _walked(root: Node) -> Iterator[tuple[Node, int]]:
    """Each node with the place of its parent, -1 for none; parents before their parts."""
    places = {id(node): place for place, node in enumerate(nodes(root))}
    above = {id(child): places[id(node)] for node in nodes(root) for child in node.children}
    return ((node, above.get(id(node), -1)) for node in nodes(root))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
