"""Which entries of the journal somebody may see.

A policy names an entry by what it is about: `changes, get, CLUSTER/NAMESPACE/KIND/NAME`, with `-` for no namespace,
`external/PROVIDER/ID` for what is outside of every cluster, and `KIND/ACTOR` for what is about nothing, such as logins.
What was done for an Application, or to it, is also seen by whoever may get that Application.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from plumbline.journal import Entry, LiveObject, ObjectChange
from plumbline.journal.parties import Subject
from plumbline.kernel.cache import Key
from plumbline.kinds.application import APPLICATION
from plumbline.kube.names import Ref
from plumbline.web.api.ours.rights import CHANGES, OurRights, Thing
from plumbline.web.api.rights import Asker
from plumbline.web.api.writing import CLUSTER

_NOWHERE: Final = "-"
_KIND: Final = APPLICATION.group_kind
FOR: Final = "for"
"""In the effect of an entry: the object on whose behalf it was, as its text."""


class Sight(NamedTuple):
    rights: OurRights

    def seen(self, asker: Asker) -> Callable[[Entry], bool]:
        sees = self.rights.sees(asker)
        return lambda entry: any(sees(thing) for thing in _things(entry))

    def scope(self, entry: Entry) -> str:
        """The same question, for a policy alone to answer."""
        return self.rights.scope(*_things(entry))

    def subject_seen(self, asker: Asker, subject: Subject) -> bool:
        return self.rights.sees(asker)(thing_of(subject))


def _things(entry: Entry) -> Iterable[Thing]:
    """Any of them is enough; an entry has one name, and perhaps several Applications that it was for."""
    named = Thing(CHANGES, f"{entry.kind}/{entry.actor.name.replace('/', '%2F')}", Ref("", "", "", ""))
    if entry.subject is not None:
        named = thing_of(entry.subject)
    yield named
    for key in applications(entry):
        yield named._replace(application=key)


def thing_of(subject: Subject) -> Thing:
    if not isinstance(subject, LiveObject):
        return Thing(CHANGES, str(subject), Ref("", subject.provider, "", subject.id))
    name = f"{subject.cluster}/{subject.namespace or _NOWHERE}/{subject.kind}/{subject.name}"
    return Thing(CHANGES, name, subject.ref, _application(subject))


def applications(entry: Entry) -> list[Key]:
    """Those that it was done for, as the entry itself says."""
    found: list[Key] = []
    if isinstance(entry.cause, ObjectChange) and (key := _application(entry.cause.object)) is not None:
        found.append(key)
    said = entry.effect.get(FOR)
    if isinstance(said, dict) and (said.get("group"), said.get("kind")) == _KIND:
        found.append((str(said.get("namespace") or ""), str(said.get("name") or "")))
    return found


def _application(subject: LiveObject) -> Key | None:
    here = subject.cluster == CLUSTER and (subject.group, subject.kind) == _KIND
    return (subject.namespace, subject.name) if here else None
