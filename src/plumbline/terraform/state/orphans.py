"""What a run that died in the middle of an apply may have left behind. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from plumbline.base.plaintext import Plaintext
from plumbline.terraform.state.document import Instance
from plumbline.terraform.state.reading import State
from plumbline.terraform.work import Step

Stage: TypeAlias = Literal["not started", "started", "completed", "failed", "unknown"]
_FURTHEST: Final = ("started", "failed", "completed")


class Change(Protocol):
    """As a plan has it."""

    @property
    def address(self) -> str: ...

    @property
    def actions(self) -> Sequence[str]:
        """In their order: a replacement says whether it creates or deletes first."""

    @property
    def deposed(self) -> str:
        """The key of the object that is meant, where it is one that has been replaced."""


class Suspect(NamedTuple):
    address: str
    what: Literal["unrecorded", "vanished"]
    """Exists perhaps and is not in the state; or is in the state and perhaps no longer exists."""
    sentence: str
    id: str = ""
    """As the tool told it."""


def orphaned(changes: Iterable[Change], after: State | None, steps: Sequence[Step]) -> tuple[Suspect, ...]:
    """Suspects in the order of *changes*. *after* is the state as it is now; no *steps* means that nobody heard any.

    The tool writes a remote state every few seconds, not with each resource: what it said to be done may be missing too.
    """
    story = _Story(after.instances if after else (), steps)
    found: list[Suspect] = []
    for change in changes:
        if "create" in change.actions:
            found += story.unrecorded(change)
        if "delete" in change.actions:
            found += story.vanished(change)
    return tuple(found)


class _Story:
    def __init__(self, after: tuple[Instance, ...], steps: Sequence[Step]) -> None:
        self._current = {each.address: each for each in after if not each.deposed}
        self._deposed = {(each.address, each.deposed) for each in after if each.deposed}
        self._replaced = {address for address, _ in self._deposed}
        self._heard = bool(steps)
        self._steps: dict[tuple[str, str], Step] = {}
        for step in steps:
            known = self._steps.get((step.address, step.action))
            if known is None or _FURTHEST.index(step.stage) >= _FURTHEST.index(known.stage):
                self._steps[step.address, step.action] = step

    def stage(self, address: str, action: str) -> Stage:
        if not self._heard:
            return "unknown"
        step = self._steps.get((address, action))
        return step.stage if step else "not started"

    def unrecorded(self, change: Change) -> Iterable[Suspect]:
        address = change.address
        stage = self.stage(address, "create")
        # What failed was told by the provider, which has put into the state what there is of it.
        if stage in {"not started", "failed"} or self._new(change):
            return
        step = self._steps.get((address, "create"))
        told = f" as {step.id_key or 'id'} {step.id_value}" if step and step.id_value else ""
        sentence = {
            "completed": f"{address} was created{told}, and the state does not know it",
            "started": f"{address} was being created: it may exist, and the state does not know it",
        }.get(stage, f"{address} was to be created: nobody knows whether it exists, and the state does not know it")
        yield Suspect(address, "unrecorded", sentence, step.id_value if step else "")

    def vanished(self, change: Change) -> Iterable[Suspect]:
        address, deposed = change.address, change.deposed
        stage = self.stage(address, "delete")
        if stage in {"not started", "failed"} or not self._remains(change):
            return
        name = f"{address} (replaced object {deposed})" if deposed else address
        sentence = {
            "completed": f"{name} was deleted, and the state still has it",
            "started": f"{name} was being deleted: it may be gone, and the state still has it",
        }.get(stage, f"{name} was to be deleted: nobody knows whether it is gone, and the state still has it")
        yield Suspect(address, "vanished", sentence)

    def _new(self, change: Change) -> bool:
        """Whether the object in the state is certainly the one that was to be created."""
        present = self._current.get(change.address)
        if present is None or "delete" not in change.actions:
            return present is not None
        stage = self.stage(change.address, "create")
        if stage == "completed":
            told = self._steps[change.address, "create"].id_value
            return not told or present.id is None or Plaintext(told) == present.id
        # While it is being created, the one it replaces stays recorded.
        return stage == "unknown" and change.address in self._replaced

    def _remains(self, change: Change) -> bool:
        """Whether the state still has the object that was to go."""
        address = change.address
        if change.deposed:
            return (address, change.deposed) in self._deposed
        if "create" not in change.actions:
            return address in self._current
        return address in self._replaced or (address in self._current and not self._new(change))
