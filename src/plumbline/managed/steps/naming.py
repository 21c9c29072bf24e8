"""What it is called outside, and whether a creation may have been lost."""

import msgspec

from plumbline.kernel.reconciler import reports
from plumbline.kube.object import Object
from plumbline.managed import conditions as told
from plumbline.managed.conditions import Halted
from plumbline.managed.creation import INCOMPLETE, incomplete
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.spec import EXTERNAL_NAME
from plumbline.managed.state import At, Look


class Naming:
    def __init__(self, kind: ManagedKind) -> None:
        self._kind = kind

    @reports("CannotInitializeManagedResource")
    async def named(self, run: Look, at: At) -> At | Halted:
        """A creation that was begun and never settled is looked for, where the provider can; else a person has to look.

        The name itself is written down together with whatever is written first.
        """
        annotations = Object(run.object).annotations
        name = annotations.get(EXTERNAL_NAME, "")
        if not name and self._kind.external_name == "chosen":
            name = run.read.ref.name
        if incomplete(annotations) and not self._kind.found_again:
            conditions = (told.CREATING, told.error(INCOMPLETE))
            return Halted("ReconcileError", INCOMPLETE, conditions, "CannotInitializeManagedResource")
        return msgspec.structs.replace(at, name=name)
