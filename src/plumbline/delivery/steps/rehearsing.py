"""What the server would not take of what is to be applied, found out before anything is done.

Upstream rehearses every apply, so that no migration has run by the time that its program is refused. Here objects are held
against the schemas that we have, which costs no request; these may be older than the server, or newer, so that it has the
last word about those that seem wrong.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from plumbline.base.errors import NotFound, PlumblineError, SchemaViolation
from plumbline.delivery.compare.rules import MANAGER
from plumbline.delivery.steps.acting import client_of
from plumbline.delivery.steps.state import At, Comparison
from plumbline.delivery.sync.bodies import defined
from plumbline.delivery.sync.hooks import role
from plumbline.delivery.sync.tasks import is_crd
from plumbline.delivery.values import Desired
from plumbline.kube.apply.validate import check_declared
from plumbline.kube.client import Writing
from plumbline.kube.names import Ref
from plumbline.kube.schema.shape import Shape

_DRY: Final = Writing(field_manager=MANAGER, force=True, dry_run=True)


async def refusals(at: At, namespace: str, desired: Iterable[Desired], comparison: Comparison) -> Mapping[Ref, str]:
    """The server's words about each object that it cannot read; *namespace* is the destination's."""
    changed = [each for each in desired if not comparison.in_sync(each.ref)]
    definitions = [defined(each) for each in changed if is_crd(each.ref)]
    made = {each.group_kind for each in definitions if each is not None}  # what they will be like nobody knows yet
    found: dict[Ref, str] = {}
    for each in changed:
        if not each.ref.name or role(each.annotations) != "resource" or each.gvk.group_kind in made:
            continue
        if not _fits(each, await at.destination.live.kinds.shape(each.gvk)):
            said = await _answer(at, namespace, each)
            if said:
                found[each.ref] = said
    return found


def _fits(desired: Desired, shape: Shape) -> bool:
    try:
        check_declared(desired.object(), shape)
    except SchemaViolation:
        return False
    return True


async def _answer(at: At, namespace: str, desired: Desired) -> str:
    """Why the server cannot read an object; empty if it can, whatever else it may have against it."""
    try:
        resource = await at.destination.live.kinds.resource(desired.gvk)
        if resource is None:
            raise NotFound(f"{desired.gvk} is not served")
        async with at.destination.questions:
            target = resource.target(desired.ref.namespace, desired.ref.name)
            await client_of(at, namespace).apply(target, desired.body, _DRY)
    except SchemaViolation as refused:
        return refused.why or refused.what
    except PlumblineError:
        return ""  # applying it will tell, and knows what to do about it
    return ""
