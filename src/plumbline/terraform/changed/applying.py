"""Applying what was reviewed: the stored bytes and no others, or nothing and the reason why.

Everything that can be known is checked for all plans before the first of them is applied.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from plumbline.base.errors import ApplyFailed, Corrupted, PlanStale, PlumblineError, Refused
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import Tree
from plumbline.terraform.changed.affected import Affected
from plumbline.terraform.changed.inputs import inputs_digest
from plumbline.terraform.changed.kept import Kept
from plumbline.terraform.changed.marks import Mark, mark_of_plan, mark_of_state
from plumbline.terraform.changed.planning import Wanted, lasting, workplace
from plumbline.terraform.changed.rooms import Session, Tool
from plumbline.terraform.changed.roots import RootModule, RootModules
from plumbline.terraform.changed.sealing import Header, Key
from plumbline.terraform.work import Applying, Step


class Reviewed(NamedTuple):
    """A plan that was opened and fits what is here."""

    root: RootModule
    header: Header
    plan: Plaintext


class Outcome(NamedTuple):
    root: RootModule
    header: Header
    applied: bool = False
    error: PlumblineError | None = None
    skipped: str = ""


def by_digest(
    digests: Sequence[str], kept: Kept, key: Key, tree: Tree, tool: Tool
) -> tuple[RootModules, list[Reviewed]]:
    """The plans of that name. What was planned is a root module here, even where it does not look like one."""
    sealed = [kept.find(digest) for digest in digests]
    headers = [key.opened(each)[0] for each in sealed]
    roots = RootModules.of(tree, [RootModule(header.folder, header.workspace) for header in headers])
    return roots, _ordered(_reviewed(each, key, roots, tool) for each in sealed)


def by_change(affected: Iterable[Affected], kept: Kept, key: Key, roots: RootModules, tool: Tool) -> list[Reviewed]:
    """The plan of every root module that a change concerns. Raises PlanStale where one of them has none."""
    headers = sorted(kept.headers(), key=lambda header: header.created)
    chosen = [_newest(each.root, headers, roots) for each in affected if each.change != "gone"]
    return _ordered(_reviewed(kept.find(header.digest), key, roots, tool) for header in chosen)


def _newest(root: RootModule, headers: Sequence[Header], roots: RootModules) -> Header:
    of_root = [each for each in headers if (each.folder, each.workspace) == (root.folder, root.workspace)]
    if not of_root:
        raise PlanStale(f"{root.label} is not applied", why="there is no plan of it that was reviewed")
    fitting = [each for each in of_root if each.inputs == inputs_digest(roots, root, each.var_files)]
    return (fitting or of_root)[-1]


def _reviewed(sealed: bytes, key: Key, roots: RootModules, tool: Tool) -> Reviewed:
    header, plan = key.opened(sealed)
    root = _root(header, roots)
    if inputs_digest(roots, root, header.var_files) != header.inputs:
        raise PlanStale(
            f"{root.label} is not applied",
            why=f"its files are no longer those that plan {header.digest:.12} was made of"
            + (f", at commit {header.commit:.12}" if header.commit else ""),
        )
    if (header.tool, header.version) != (tool.name, tool.version):
        raise PlanStale(
            f"{root.label} is not applied",
            why=f"it was planned by {header.tool} {header.version}, and here is {tool.name} {tool.version}",
            hint="Use the same version in both jobs, or plan again.",
        )
    if header.changes and not lasting(roots, root):
        raise Refused(
            f"{root.label} is not applied",
            why="it names no backend that outlives this job: its state would be lost",
            hint='Give it a backend, such as `backend "s3" {}`.',
        )
    return Reviewed(root, header, plan)


def _root(header: Header, roots: RootModules) -> RootModule:
    for root in roots.roots:
        if (root.folder, root.workspace) == (header.folder, header.workspace):
            return root
    why = "it is no root module any more"
    raise PlanStale(f"{header.folder or '.'} is not applied", why=why)


def _ordered(reviewed: Iterable[Reviewed]) -> list[Reviewed]:
    found = {each.header.digest: each for each in reviewed}
    return sorted(found.values(), key=lambda each: (each.root.order, each.root.folder, each.root.workspace))


class Applier:
    """*unsaved* keeps a state that the tool could not save: it is all that is known of what was made."""

    def __init__(self, tool: Tool, tree: Tree, wanted: Wanted, unsaved: Callable[[Header, Plaintext], None]) -> None:
        self._tool, self._tree, self._wanted, self._unsaved = tool, tree, wanted, unsaved

    async def applied(
        self, reviewed: Sequence[Reviewed], begun: Callable[[Reviewed], None], step: Callable[[Step], None]
    ) -> list[Outcome]:
        """One after the other. Where one fails, those of the same order go on, and those of a later order do not."""
        outcomes: list[Outcome] = []
        failed_order: int | None = None
        for each in reviewed:
            if not each.header.changes:
                outcomes.append(Outcome(each.root, each.header, skipped="nothing changes"))
            elif failed_order is not None and each.root.order > failed_order:
                outcomes.append(Outcome(each.root, each.header, skipped="an earlier one failed"))
            else:
                begun(each)
                outcomes.append(await self._outcome(each, step))
                if outcomes[-1].error is not None and failed_order is None:
                    failed_order = each.root.order
        return outcomes

    async def _outcome(self, reviewed: Reviewed, step: Callable[[Step], None]) -> Outcome:
        root, header, plan = reviewed
        try:
            async with self._tool.opened(self._tree, workplace(root, header.var_files, self._wanted)) as session:
                await _refuse_moved(session, root, header, plan)
                await session.apply(Applying(plan=plan, lock=True), step)
        except ApplyFailed as failed:
            if isinstance(failed.state, Plaintext):
                self._unsaved(header, failed.state)
            return Outcome(root, header, error=failed)
        except PlumblineError as error:
            return Outcome(root, header, error=error)
        return Outcome(root, header, applied=True)


async def _refuse_moved(session: Session, root: RootModule, header: Header, plan: Plaintext) -> None:
    """Said before the tool would say it, and in one case that it lets pass: a first plan that was applied already."""
    planned_for = mark_of_plan(plan)
    if planned_for is None:
        return
    if planned_for != Mark(header.lineage, header.serial):
        raise Corrupted(f"{root.label} is not applied", why="the plan is not the one that its header describes")
    now = mark_of_state(await session.state())
    if now is not None and now != planned_for:
        raise PlanStale(
            f"{root.label} is not applied",
            why=f"it was planned for {planned_for}, and there is {now} now: somebody applied in between",
        )


def failures(outcomes: Iterable[Outcome]) -> Iterator[PlumblineError]:
    return (each.error for each in outcomes if each.error is not None)
