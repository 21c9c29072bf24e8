"""May this installation touch it at all? Pure."""

from plumbline.gate.intents import OUR_GROUP, Intent
from plumbline.journal.parties import LiveObject, Subject
from plumbline.kinds.mandate import Grant, MandateSpec


def authorised(mandate: MandateSpec, intent: Intent) -> bool:
    """Whether *intent* may become a write. Our own kinds always may: they are our records."""
    subject = intent.subject
    if isinstance(subject, LiveObject) and subject.group == OUR_GROUP:
        return True
    if any(covers(grant, intent) for grant in mandate.released):
        return False
    return mandate.mode == "Enforce" or any(covers(grant, intent) for grant in mandate.adopted)


def covers(grant: Grant, intent: Intent) -> bool:
    """Whether *grant* means the subject of *intent*, or what it is done for."""
    return _means(grant, intent, intent.subject) or (intent.behalf is not None and _means(grant, intent, intent.behalf))


def _means(grant: Grant, intent: Intent, subject: Subject) -> bool:
    """External resources are covered by what they are made for."""
    if not isinstance(subject, LiveObject):
        return bool(grant.project) and grant.project == intent.project
    wanted = ((grant.kind, subject.kind), (grant.namespace, subject.namespace), (grant.name, subject.name), (grant.project, intent.project))  # fmt: skip
    return grant.group in {None, subject.group} and all(not asked or asked == actual for asked, actual in wanted)


def adopted(mandate: MandateSpec, grant: Grant) -> MandateSpec:
    """*mandate* with *grant* handed over."""
    kept = tuple(each for each in mandate.released if each != grant)
    taken = mandate.adopted if grant in mandate.adopted else (*mandate.adopted, grant)
    return MandateSpec(mode=mandate.mode, adopted=taken, released=kept)


def released(mandate: MandateSpec, grant: Grant) -> MandateSpec:
    """*mandate* with *grant* handed back. Under Enforce that has to be remembered; under Observe it is the rule."""
    kept = tuple(each for each in mandate.adopted if each != grant)
    back = mandate.released if grant in mandate.released else (*mandate.released, grant)
    return MandateSpec(mode=mandate.mode, adopted=kept, released=back if mandate.mode == "Enforce" or kept else ())
