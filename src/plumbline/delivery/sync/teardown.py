"""What goes next when an application is deleted together with what it delivers. Pure.

Each finalizer on the Application stands for a stage; a stage ends with its finalizer being taken off, so whoever is
killed in between finds the stage again. Without any of them only the Application itself goes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from plumbline.delivery.sync import hooks
from plumbline.delivery.sync.board import hook_phase
from plumbline.delivery.sync.bodies import named_body
from plumbline.delivery.sync.hooks import Departing
from plumbline.delivery.sync.operation import Propagation
from plumbline.delivery.sync.options import NONE, Options, annotated, chosen
from plumbline.delivery.sync.tasks import is_crd
from plumbline.delivery.sync.waves import wave
from plumbline.delivery.values import Desired, Observed
from plumbline.kernel.cache import Cached
from plumbline.kinds.timestamp import Time
from plumbline.kube.health import Status, worst
from plumbline.kube.names import GroupVersionKind, Ref

RESOURCES: Final = "resources-finalizer.argocd.argoproj.io"
FOREGROUND: Final = f"{RESOURCES}/foreground"
BACKGROUND: Final = f"{RESOURCES}/background"
PRE_DELETE: Final = "pre-delete-finalizer.argocd.argoproj.io"
POST_DELETE: Final = "post-delete-finalizer.argocd.argoproj.io"
_CLEANUP: Final = "/cleanup"
_CASCADING: Final = frozenset({RESOURCES, FOREGROUND, BACKGROUND})
_RESOURCE_POLICY: Final = "helm.sh/resource-policy"


class Leaving(msgspec.Struct, frozen=True, kw_only=True):
    """The application that is to go."""

    ref: Ref
    finalizers: tuple[str, ...]
    deleted_at: str
    """When somebody asked for it: its deletionTimestamp."""
    approved: bool = False
    """A person has agreed since then to what waits for a confirmation."""
    options: Options = NONE
    destination: bool = True
    """Whether there is such a cluster at all."""


class Rights(msgspec.Struct, frozen=True):
    """What the project permits."""

    permitted: Callable[[Ref], bool]
    """Whether a live object may be touched; what may not stays."""
    refused: Callable[[GroupVersionKind, Ref, bool], str]
    """Why a hook must not be created; empty if it may."""


class Doomed(NamedTuple):
    """An object to delete: only with this uid, or it is another one."""

    ref: Ref
    live: Cached


class Create(NamedTuple):
    """Create these, then ask again."""

    hooks: tuple[Desired, ...]


class Delete(NamedTuple):
    """Delete these at once, then ask again. *failure*, if there is one, is the application's DeletionError."""

    objects: tuple[Doomed, ...]
    propagation: Propagation = "Foreground"
    failure: str = ""


class Strip(NamedTuple):
    """Take the hook finalizer off these, then ask again."""

    objects: tuple[Doomed, ...]


class Hold(NamedTuple):
    """Nothing to do until something changes."""

    message: str
    failure: bool = False
    """The message is a DeletionError: it stays until a person does something."""
    trying: bool = False
    """For hooks to complete: what became of those before them is told until then."""


class Release(NamedTuple):
    """Take these finalizers off the Application, then ask again."""

    finalizers: tuple[str, ...]


Parting: TypeAlias = Create | Delete | Strip | Hold | Release | None


def teardown(app: Leaving, live: Mapping[Ref, Observed], desired: Sequence[Desired], rights: Rights) -> Parting:
    """The next thing to do, or None when nothing of it is left to us. *desired* is asked for its hooks of deletion only."""
    held = set(app.finalizers)
    if not app.destination:
        ours = tuple(
            name for name in app.finalizers if name in _CASCADING or name.startswith((PRE_DELETE, POST_DELETE))
        )
        return Release(ours) if ours else None
    mine = {ref: there for ref, there in live.items() if rights.permitted(ref)}
    if PRE_DELETE in held:
        return _hooks(app, "PreDelete", mine, desired, rights) or Release((PRE_DELETE,))
    if held & _CASCADING:
        return _cascade(app, mine) or Release(tuple(name for name in app.finalizers if name in _CASCADING))
    if POST_DELETE in held:
        return _hooks(app, "PostDelete", mine, desired, rights) or Release((POST_DELETE,))
    if PRE_DELETE + _CLEANUP in held:
        return _cleared("PreDelete", mine) or Release((PRE_DELETE + _CLEANUP,))
    if POST_DELETE + _CLEANUP in held:
        return _cleared("PostDelete", mine) or Release((POST_DELETE + _CLEANUP,))
    return None


def finalizers(desired: Sequence[Desired]) -> tuple[str, ...]:
    """What an Application has to carry so that its hooks of deletion are run and cleared away."""
    before = any(hooks.departs(each.annotations, "PreDelete") for each in desired)
    after = any(hooks.departs(each.annotations, "PostDelete") for each in desired)
    pre = (PRE_DELETE, PRE_DELETE + _CLEANUP) if before else ()
    return (*pre, POST_DELETE, POST_DELETE + _CLEANUP) if after else pre


def kept(app: Leaving, ref: Ref, live: Cached) -> bool:
    """Whether an object stays when its application goes."""
    annotations = live.meta.annotations
    policy = annotations.get(_RESOURCE_POLICY, "")
    return (
        is_crd(ref)
        or ref == app.ref
        or chosen("Delete", annotated(annotations), app.options) == "false"
        or "keep" in (part.strip() for part in policy.split(","))
    )


def _cascade(app: Leaving, live: Mapping[Ref, Observed]) -> Delete | Strip | Hold | None:
    """The highest wave of what is left, once everything above it is gone."""
    hooked = sorted(ref for ref, there in live.items() if hooks.FINALIZER in there.live.meta.finalizers)
    if hooked:  # of a sync that nobody will bring to its end
        return Strip(tuple(Doomed(ref, live[ref].live) for ref in hooked))
    leaving = sorted(ref for ref, there in live.items() if there.live.meta.deletion_timestamp)
    if leaving:
        return Hold(_told("waiting for deletion of", leaving))
    doomed = {ref: there.live for ref, there in live.items() if not kept(app, ref, there.live)}
    if not doomed:
        return None
    unconfirmed = sorted(ref for ref, there in doomed.items() if not app.approved and _asks(app, there))
    if unconfirmed:
        return Hold(_told("waiting for deletion confirmation of", unconfirmed))
    waves = {ref: wave(there.meta.annotations) for ref, there in doomed.items()}
    highest = max(waves.values())
    chosen_now = sorted(ref for ref in doomed if waves[ref] == highest)
    named = next(name for name in app.finalizers if name in _CASCADING)
    propagation: Propagation = "Background" if named == BACKGROUND else "Foreground"
    return Delete(tuple(Doomed(ref, doomed[ref]) for ref in chosen_now), propagation)


def _asks(app: Leaving, live: Cached) -> bool:
    own = annotated(live.meta.annotations)
    return any(chosen(option, own, app.options) == "confirm" for option in ("Delete", "Prune"))


def _hooks(
    app: Leaving, when: Departing, live: Mapping[Ref, Observed], desired: Sequence[Desired], rights: Rights
) -> Parting:
    """Create the hooks that are not there, then wait until all of them have succeeded: None when they have."""
    there = _of(when, live)
    wanted = [_named(app, when, each) for each in desired if hooks.departs(each.annotations, when)]
    missing = [each for each in wanted if each.ref not in there]
    for each in missing:
        reason = rights.refused(each.gvk, each.ref, bool(each.ref.namespace))
        if reason:
            return Hold(f"{when} hook {each.ref} is not permitted: {reason}", failure=True)
    if missing:
        return Create(tuple(missing))
    phases = {ref: hook_phase(each.health, ref.name)[0] for ref, each in there.items()}
    failed = sorted(ref for ref, phase in phases.items() if phase == "Failed")
    if failed:
        named = ", ".join(f"{ref.namespace}/{ref.name}" for ref in failed)
        told = f"{when} hook(s) failed: {named}"
        again = _not_yet_leaving(failed, there)
        return Delete(again, failure=told) if again else Hold(told, failure=True)
    running = sorted(ref for ref, phase in phases.items() if phase == "Running")
    return Hold(_told("waiting for completion of hook", running), trying=True) if running else None


def _named(app: Leaving, when: Departing, desired: Desired) -> Desired:
    """A hook that only asks for a name gets one that is the same until the application is gone."""
    if desired.ref.name:
        return desired
    asked = int(Time.read(app.deleted_at).moment.timestamp())
    return named_body(desired, f"{desired.generate_name}{when.lower()}-{asked}")


def _cleared(when: Departing, live: Mapping[Ref, Observed]) -> Delete | Hold | None:
    """Hooks that are to be deleted after they succeeded or failed; others stay."""
    there = _of(when, live)
    status = worst(each.health.status for each in there.values() if each.health is not None)
    due = {Status.HEALTHY: "HookSucceeded", Status.DEGRADED: "HookFailed"}.get(status)
    doomed = sorted(ref for ref, each in there.items() if due in hooks.policies(each.live.meta.annotations))
    if not doomed:
        return None
    objects = _not_yet_leaving(doomed, there)
    return Delete(objects) if objects else Hold(_told("waiting for deletion of hook", doomed))


def _of(when: Departing, live: Mapping[Ref, Observed]) -> dict[Ref, Observed]:
    return {ref: there for ref, there in live.items() if hooks.departs(there.live.meta.annotations, when)}


def _not_yet_leaving(refs: Sequence[Ref], live: Mapping[Ref, Observed]) -> tuple[Doomed, ...]:
    return tuple(Doomed(ref, live[ref].live) for ref in refs if not live[ref].live.meta.deletion_timestamp)


def _told(what: str, refs: Sequence[Ref]) -> str:
    first, more = refs[0], len(refs) - 1
    told = f"{what} {first.group}/{first.kind}/{first.name}"
    return f"{told} and {more} more" if more else told
