"""Carrying an order out: prepare, lock, plan or apply, and say how far it came."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import Final, NamedTuple, Protocol

import msgspec

from plumbline.base.errors import ApplyFailed, Corrupted, Interrupted, InvalidInput, PlanStale, PlumblineError
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kube.client import Client
from plumbline.kube.names import Ref
from plumbline.terraform.plans import digest
from plumbline.terraform.policies import Policy
from plumbline.terraform.runs.values import Failure, Order, Report, Stage
from plumbline.terraform.state import Lock, Locks, Mark, RunInfo, read
from plumbline.terraform.tool import Facts, Session, Toolroom
from plumbline.terraform.work import Applying, Placed, Step, Workplace

KUBECONFIG: Final = ".plumbline/kubeconfig"
"""Below the home of a run."""


class Kubeconfigs(Protocol):
    """How the tool gets to its state as the account of a run."""

    async def kubeconfig(self, namespace: str, account: str, for_s: float) -> Plaintext: ...


class Workshop(NamedTuple):
    """What runs share."""

    room: Toolroom
    client: Client
    locks: Locks
    identities: Kubeconfigs
    equip: Callable[[Workplace], Workplace] = lambda workplace: workplace
    """Adds what is known only where the run is."""


class Progress:
    """How far a run has come, for whoever has to say so when it ends early."""

    def __init__(self, heard: Callable[[Step], None] = lambda _: None) -> None:
        """*heard* is told of each step as it begins and ends. It must not wait."""
        self.stage: Stage = "init"
        self.steps: list[Step] = []
        self._heard = heard

    def hear(self, step: Step) -> None:
        self.steps.append(step)
        self._heard(step)


async def carried_out(order: Order, shop: Workshop, progress: Progress | None = None) -> Report:
    """The report of a run; it fails by saying so. Cancelled, the tool is ended in good order first."""
    progress = progress or Progress()
    try:
        workplace = await _equipped(order, shop)
        async with shop.room.opened(
            order.tree,
            workplace,
            key="/".join(order.key),
            permitted=order.policy.permits,
            judge=partial(_check_programs, order.policy),
            deadline_s=order.deadline_s,
        ) as session:
            _check_programs(order.policy, session.facts)
            if order.operation == "apply":
                return await _applied(order, shop, session, progress)
            return await _planned(order, shop, session, progress)
    except PlumblineError as error:
        return Report(order, steps=tuple(progress.steps), failure=Failure(progress.stage, error))


def _check_programs(policy: Policy, facts: Facts) -> None:
    policy.check_programs(external_data=facts.has_external_data, provisioners=facts.has_provisioners)


async def _equipped(order: Order, shop: Workshop) -> Workplace:
    workplace = shop.equip(order.workplace)
    if order.place is None or not order.account:
        return workplace
    config = await shop.identities.kubeconfig(order.key[0], order.account, order.deadline_s)
    return msgspec.structs.replace(workplace, files=(*workplace.files, Placed("home", KUBECONFIG, config)))


async def _planned(order: Order, shop: Workshop, session: Session, progress: Progress) -> Report:
    """Nothing is locked for it: a plan that is made beside somebody's apply is void by its serial."""
    progress.stage = "lock"
    await _unlocked(order, shop, session)
    await _recover_state(order, session)
    mark = await _mark(order, shop)
    progress.stage = "plan"
    planned = await session.plan(order.planning)
    if planned.changes:
        return Report(order, planned, mark)
    progress.stage = "output"
    outputs = await session.outputs() if order.outputs else None
    return Report(order, planned, mark, outputs)


async def _applied(order: Order, shop: Workshop, session: Session, progress: Progress) -> Report:
    if order.plan is None:
        raise InvalidInput("There is no plan to apply")
    progress.stage = "lock"
    await _unlocked(order, shop, session)
    async with _locked(order, shop):
        await _check_unmoved(order, shop)
        await _check_approved(order, order.plan, session)
        progress.stage = "apply"
        asked = Applying(
            plan=order.plan, parallelism=order.parallelism, refresh=order.refresh, lock=order.place is None
        )
        await _recorded(session, asked, progress)
        progress.stage = "output"
        outputs = await session.outputs()
        state = await session.state()
        mark = await _mark(order, shop)
    return Report(order, None, mark, outputs, tuple(progress.steps), state)


async def _recorded(session: Session, asked: Applying, progress: Progress) -> None:
    """Apply, and where the tool could not save what it has done, save that: it is all that is known of what exists."""
    try:
        await session.apply(asked, progress.hear)
    except (ApplyFailed, Interrupted) as error:
        if error.state is not None:
            await session.push(error.state)
        raise


async def _unlocked(order: Order, shop: Workshop, session: Session) -> None:
    """Open the lock that the object says may be opened, and else stop where somebody else works."""
    if order.place is not None:
        if order.unlock:
            await shop.locks.force(order.place, order.unlock, _behalf(order))
        await shop.locks.check_free(order.place)
    elif order.unlock:
        await session.unlock(order.unlock)


def _locked(order: Order, shop: Workshop) -> AbstractAsyncContextManager[Lock | None]:
    if order.place is None:
        return nullcontext()
    said = f"{'/'.join(order.key)} applies plan {order.digest[:12]}"
    return shop.locks.held(order.place, RunInfo(order.id, "OperationTypeApply", said, _behalf(order)))


def _behalf(order: Order) -> Ref:
    return Ref(TERRAFORM.group, TERRAFORM.kind, *order.key)


async def _check_unmoved(order: Order, shop: Workshop) -> None:
    """Under the lock, where it stays true: the state is the one that the plan was made for."""
    if order.expected is None:
        return
    now = await _mark(order, shop)
    if now is not None and (now.serial, now.lineage) != (order.expected.serial, order.expected.lineage):
        why = f"the state is at serial {now.serial}, the plan was made for {order.expected.serial}"
        raise PlanStale("The plan is not applied", why=why, hint="A new plan is made; approve that one.")


async def _check_approved(order: Order, plan: Plaintext, session: Session) -> None:
    """The bytes say what was approved: whoever can write Secrets must not be able to put others in their place."""
    expected = order.expected or Mark(0, "")
    json, _ = await session.shown(plan)
    found = digest(plan, serial=expected.serial, lineage=expected.lineage, revision=order.revision, json=json)
    if found.content != order.digest:
        raise Corrupted(
            "The plan is not applied",
            why="the stored bytes are not those of the plan that was approved",
            hint="A new plan is made; find out who can write Secrets in this namespace.",
        )


async def _recover_state(order: Order, session: Session) -> None:
    """An earlier run could not save what it had done: nothing is planned before that is known."""
    if session.leftover is not None and order.place is not None:
        await session.push(session.leftover)


async def _mark(order: Order, shop: Workshop) -> Mark | None:
    if order.place is None:
        return None
    state = await read(shop.client, order.place)
    return state.mark if state is not None else None
