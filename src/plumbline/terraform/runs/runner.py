"""What a runner does in its pod: take one order, carry it out, and leave a report. Nobody needs to be there meanwhile."""

import asyncio
import base64
import shlex
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.clock import Clock
from plumbline.base.errors import (
    Conflict,
    Corrupted,
    Interrupted,
    InvalidInput,
    LimitExceeded,
    NotFound,
    PlanStale,
    PlumblineError,
    Transient,
)
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.log import logger
from plumbline.base.plaintext import Plaintext
from plumbline.base.process.masking import Mask
from plumbline.base.tasks import task_group
from plumbline.base.tree import Tree
from plumbline.kinds.flux.common import Artifact
from plumbline.kinds.values import converted
from plumbline.kube.client import Client, Connection, Selection, Target, Writing
from plumbline.terraform.plans.storage import PlanPlace, marks_on, opened, selector
from plumbline.terraform.runs.carrying import Progress, Workshop, carried_out
from plumbline.terraform.runs.manifests import CLAIMED, SECRETS, content_of, report_secrets, run_of
from plumbline.terraform.runs.values import Failure, Order, Report
from plumbline.terraform.runs.wire import read_order, written_report
from plumbline.terraform.sources.revisions import commit_in
from plumbline.terraform.tool.commands import worth_masking
from plumbline.terraform.work import Step

_T = TypeVar("_T")

_WRITING: Final = Writing(field_manager="plumbline-runner")
_FORCED: Final = Writing(field_manager="plumbline-runner", force=True)
_PATIENCE_S: Final = 120.0
"""For files that the controller has, which may be on its way from one node to another."""
_FIRST_S: Final = 1.0
_LONGEST_S: Final = 15.0

log = logger(__name__)

Fetch = Callable[[Artifact], Awaitable[Tree]]


class Bench(NamedTuple):
    """What one runner works with."""

    client: Client
    clock: Clock
    shop: Workshop
    fetch: Fetch
    """The files of an artifact, checked against its digest."""
    name: str
    """Of this very process, and no other that ever was."""
    say: Callable[[str], None]
    """To whoever reads the log. Nothing is said that is not masked."""
    guards: Callable[[Tree, str], frozenset[str]]
    """Blocks that the module at a path of a source guards. May block."""
    aside: Aside = in_a_thread


async def performed(target: Target, bench: Bench, stopping: asyncio.Event) -> Report:
    """Carry out the order at *target* and write down what came of it; when *stopping* is set, as much as there is.

    Raises what kept it from taking the order, or from leaving a report.
    """
    secret = await _claimed(target, bench)
    order = read_order(content_of(secret))
    teller = _Teller(order, bench.say)
    teller.say(f"$ {reproduction(order)}")
    teller.say(f"run {order.id}: {order.operation} of {'/'.join(order.key)} at {order.revision}")
    progress = Progress(teller.step)
    async with task_group() as group:
        carrying = group.create_task(_carried(order, bench, progress))
        watching = group.create_task(_cancel_when(stopping, carrying))
        await asyncio.wait([carrying])
        watching.cancel()
    report = _interrupted(order, progress) if carrying.cancelled() else carrying.result()
    await _leave(report, secret, bench)
    teller.end(report)
    return report


def reproduction(order: Order) -> str:
    """What somebody types at home to see the same. Without variables, which may be secret."""
    place = order.workplace
    commit = commit_in(order.revision)
    path = place.path.strip("./")
    getting = [f"git checkout {commit}"] if commit else [f"curl -fsSL {shlex.quote(_url(order))} | tar xz"]
    if path:
        getting.append(f"cd {shlex.quote(path)}")
    above = "../" * len(Path(path).parts)
    options = [f"-var-file={shlex.quote(above + each)}" for each in place.var_files]
    options += [f"-target={shlex.quote(each)}" for each in order.planning.targets]
    options += ["-destroy"] if order.planning.destroy else []
    choosing = [f"terraform workspace select {shlex.quote(place.workspace)}"] if place.workspace != "default" else []
    return " && ".join((*getting, "terraform init", *choosing, " ".join(("terraform plan -lock=false", *options))))


class OwnAccount:
    """The account that we are, as a kubeconfig for the tool: its environment does not tell it that it is in a pod."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def kubeconfig(self, namespace: str, account: str, for_s: float) -> Plaintext:
        del for_s  # kubelet sees to that
        connection = self._connection
        cluster: JsonObject = {"server": connection.server}
        if connection.trust.authorities:
            cluster["certificate-authority-data"] = base64.b64encode(connection.trust.authorities).decode()
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "here", "cluster": cluster}],
            "users": [{"name": account, "user": self._user()}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": account, "namespace": namespace}}],
            "current-context": "here",
        }
        return Plaintext(encode(config))

    def _user(self) -> JsonObject:
        """By the file where there is one: kubelet puts a new token there before the old one ends."""
        user = self._connection.user
        if user.token_file is not None:
            return {"tokenFile": str(user.token_file)}
        if user.token is None:
            why = "it is known to the cluster by something else than a token"
            raise InvalidInput("The tool cannot be given this account", why=why)
        return {"token": user.token.reveal().decode()}


class _Teller:
    def __init__(self, order: Order, say: Callable[[str], None]) -> None:
        self._mask = Mask(worth_masking(order.workplace))
        self._say = say

    def say(self, text: str) -> None:
        self._say(self._mask.apply(text.encode()).decode(errors="replace"))

    def step(self, step: Step) -> None:
        known = f" [{step.id_key or 'id'}={step.id_value}]" if step.id_value else ""
        self.say(f"{step.address}: {step.action} {step.stage}{known}")

    def end(self, report: Report) -> None:
        if report.failure is None:
            self.say("done; the report is left for the controller")
            return
        error = report.failure.error
        self.say(f"failed at {report.failure.stage}: {error}. {error.hint}".rstrip())


async def _claimed(target: Target, bench: Bench) -> JsonObject:
    """The order, which is ours alone from now on: a Job may start a pod twice."""
    secret = decode(await bench.client.get(target))
    metadata = secret["metadata"]
    if (metadata.get("annotations") or {}).get(CLAIMED):
        raise Conflict(f"{target} is not carried out", why="another runner has it, or had it")
    pins = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
    change = {"metadata": {**pins, "annotations": {CLAIMED: bench.name}}}
    return decode(await bench.client.patch(target, encode(change), "merge", _WRITING))


async def _carried(order: Order, bench: Bench, progress: Progress) -> Report:
    try:
        tree = await _patiently(lambda: _fetched(order, bench), bench.clock)
        plan = await _plan(order, bench.client) if order.operation == "apply" else None
    except PlumblineError as error:
        return Report(order, failure=Failure("init", error))
    try:
        report = await carried_out(order._replace(tree=tree, plan=plan), bench.shop, progress)
        return report._replace(guards=await bench.aside(lambda: bench.guards(tree, order.workplace.path)))
    except Exception:  # what breaks in a new way is reported too, or nobody would know how far it came
        log.exception("run crashed", run=order.id)
        unforeseen = Transient("The run ended in an unforeseen way", why="the log of its pod has the details")
        return Report(order, steps=tuple(progress.steps), failure=Failure(progress.stage, unforeseen))


async def _cancel_when(stopping: asyncio.Event, task: asyncio.Task[Report]) -> None:
    await stopping.wait()
    task.cancel()


def _interrupted(order: Order, progress: Progress) -> Report:
    error = Interrupted(
        f"The {order.operation} was interrupted",
        why="its runner was told to end",
        hint="The tool has finished what it was at; the next run plans from the state as it is.",
    )
    return Report(order, steps=tuple(progress.steps), failure=Failure(progress.stage, error))


async def _fetched(order: Order, bench: Bench) -> Tree:
    if order.artifact is None:
        raise Corrupted("The order cannot be carried out", why="it does not say where the files of its source are")
    try:
        artifact = converted(order.artifact, Artifact)
    except msgspec.ValidationError as wrong:
        raise Corrupted("The order cannot be carried out", why=f"its artifact is none: {wrong}") from wrong
    return await bench.fetch(artifact)


async def _patiently(work: Callable[[], Awaitable[_T]], clock: Clock) -> _T:
    until_s, pause_s = clock.monotonic() + _PATIENCE_S, _FIRST_S
    while True:
        try:
            return await work()
        except (Transient, NotFound):
            if clock.monotonic() + pause_s > until_s:
                raise
        await clock.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_S)


async def _plan(order: Order, client: Client) -> Plaintext:
    """The very bytes that were approved, from the Secrets that hold them."""
    namespace, name = order.key
    place = PlanPlace(namespace=namespace, name=name, uid="", workspace=order.workplace.workspace)
    labels = ",".join(f"{key}={value}" for key, value in selector(place).items())
    page = await client.list(Target(SECRETS, namespace), Selection(labels=labels))
    stored = [decode(bytes(each)) for each in page.items]
    plan = opened(stored)
    if marks_on(stored).digest != order.digest:
        raise PlanStale("The plan is not applied", why="another plan is stored than the one that was to be applied")
    return plan


async def _leave(report: Report, order: JsonObject, bench: Bench) -> None:
    """The report, in pieces whose first is written last."""
    owners = order["metadata"].get("ownerReferences") or []
    try:
        written = written_report(report)
    except LimitExceeded as error:
        written = written_report(Report(report.order, steps=report.steps, failure=Failure("output", error)))
    for each in report_secrets(run_of(report.order), written, owners):
        metadata = each["metadata"]
        target = Target(SECRETS, metadata["namespace"], metadata["name"])
        await _patiently(partial(bench.client.apply, target, encode(each), _FORCED), bench.clock)


def _url(order: Order) -> str:
    return str((order.artifact or {}).get("url", ""))
