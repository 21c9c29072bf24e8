"""Argo CD's marks on what its Applications deliver, by each of its three methods."""

from typing import Final, Literal, NamedTuple

from plumbline.kube.names import Ref
from plumbline.ownership.learn.facts import Facts
from plumbline.ownership.refs import application_ref
from plumbline.ownership.values import Claim, Owner, Source

TRACKING_ID: Final = "argocd.argoproj.io/tracking-id"
INSTALLATION_ID: Final = "argocd.argoproj.io/installation-id"
INSTANCE_LABEL: Final = "app.kubernetes.io/instance"
_PARTS: Final = 3
_PAIR: Final = 2


class Tracking(NamedTuple):
    """How an installation marks its objects, as its settings say."""

    method: Literal["annotation", "label", "annotation+label"] = "annotation"
    label_key: str = INSTANCE_LABEL
    installation_id: str = ""
    namespace: str = "argocd"
    """Where Applications are that are named without a namespace."""


class TrackingId(NamedTuple):
    """`APPLICATION:GROUP/KIND:NAMESPACE/NAME`; an Application elsewhere is NAMESPACE_APPLICATION."""

    application: str
    ref: Ref

    @classmethod
    def parse(cls, text: str) -> "TrackingId | None":
        """None for whatever is not exactly of that form: upstream ignores it, and so nobody was meant."""
        parts = text.split(":", _PARTS - 1)
        if len(parts) != _PARTS:
            return None
        kind, named = parts[1].split("/"), parts[2].split("/")
        if len(kind) != _PAIR or len(named) != _PAIR:
            return None
        return cls(parts[0], Ref(kind[0], kind[1], named[0], named[1]))

    def names(self, ref: Ref) -> bool:
        """Whether it is about *ref*. On another object it is a copy that some controller made along with the rest.

        On objects without namespace it still carries the one that the Application deploys to.
        """
        own = self.ref
        in_place = not ref.namespace or own.namespace == ref.namespace
        return in_place and (own.group, own.kind, own.name) == (ref.group, ref.kind, ref.name)


def tracked(facts: Facts, tracking: Tracking) -> list[Claim]:
    """The Application that says it delivers the object."""
    if tracking.method == "label":
        return _by_label(facts, tracking)
    if facts.annotations.get(INSTALLATION_ID, "") != tracking.installation_id:
        return []
    text = facts.annotations.get(TRACKING_ID, "")
    mark = TrackingId.parse(text)
    if mark is None or not mark.application or not mark.names(facts.object.ref):
        return []
    return [_claim(facts, mark.application, tracking, f"annotation {TRACKING_ID}")]


def _by_label(facts: Facts, tracking: Tracking) -> list[Claim]:
    name = facts.labels.get(tracking.label_key, "")
    # Labels are copied to children together with everything else, so only what is nobody's child counts.
    if not name or facts.owners:
        return []
    return [_claim(facts, name, tracking, f"label {tracking.label_key}")]


def _claim(facts: Facts, instance: str, tracking: Tracking, said: str) -> Claim:
    namespace, separator, name = instance.partition("_")
    ref = application_ref(namespace, name) if separator else application_ref(tracking.namespace, instance)
    source = Source(object=facts.object, said=said)
    return Claim(facts.object, Owner.of("application", ref), source, since=facts.created)
