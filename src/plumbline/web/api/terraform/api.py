"""The part of the web port that answers for Terraform objects."""

import re
from contextlib import aclosing
from functools import partial
from typing import Annotated, Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput, NotFound, UnknownKind
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.redaction import redact_text
from plumbline.gate.gate import Gate
from plumbline.journal import Actor, Journal, LiveObject, Query, printable
from plumbline.kernel.cache import Relevance, cached
from plumbline.kernel.metrics import Metrics
from plumbline.kinds.flux.common import RECONCILE_REQUEST
from plumbline.kinds.flux.terraform import TERRAFORM as KIND
from plumbline.kube.client import Target
from plumbline.kube.names import GroupKind, Ref
from plumbline.terraform.approvals.validating import Approvals
from plumbline.terraform.objects.logs import PODS, newest_pod, told
from plumbline.terraform.objects.phases import check_active
from plumbline.terraform.objects.plans import full_text, shown
from plumbline.terraform.objects.saying import DECIDED, Word
from plumbline.terraform.objects.states import outputs_of, place_of, state_of
from plumbline.terraform.objects.store import Terraforms
from plumbline.terraform.state import Locks
from plumbline.terraform.state.holders import Holder
from plumbline.terraform.state.writing import Writer
from plumbline.web.api.answers import Captured, Serve, answered, asked
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint, Endpoints
from plumbline.web.api.ours.lists import PARAMETERS, Asked, Columns, paged
from plumbline.web.api.ours.news import ShelfNews
from plumbline.web.api.ours.rights import GET, TERRAFORM, OurRights, Thing
from plumbline.web.api.ours.shelves import Shelf, Shelves
from plumbline.web.api.parameters import number
from plumbline.web.api.rights import Asker
from plumbline.web.api.terraform import plans, rows, shapes
from plumbline.web.api.terraform.rows import Row
from plumbline.web.api.terraform.saying import PlanWord, Sayings
from plumbline.web.api.writing import CLUSTER, Errand
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Route

_ALL: Final = "/api/v1/terraforms"
_ONE: Final = f"{_ALL}/{{namespace}}/{{name}}"
_HISTORY: Final = 50
_LINES: Final = 500
_MOST_LINES: Final = 5000
_LOG_BYTES: Final = 1 << 20
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_COLUMNS: Final[Columns[Row]] = Columns(
    shown={
        "name": lambda row: row.ref.name,
        "namespace": lambda row: row.ref.namespace,
        "state": lambda row: row.state,
        "reason": lambda row: row.reason,
        "approval": lambda row: row.approval,
        "source": lambda row: row.source,
        "workspace": lambda row: row.workspace,
        "revision": lambda row: row.revision,
    },
    counted=("state", "namespace", "source"),
    shaped=rows.shaped,
    order={"created": lambda row: row.created, "planned": lambda row: row.planned_at, "since": lambda row: row.since},
)


class Unlock(msgspec.Struct):
    lock: Annotated[str, msgspec.Meta(max_length=200)] = ""
    """The id under which it is held."""


class Found(NamedTuple):
    asker: Asker
    thing: Thing
    obj: JsonObject
    project: str

    @property
    def name(self) -> str:
        return self.thing.ref.name


class TerraformApi:
    """A part of the web port."""

    def __init__(self, desk: Desk, gate: Gate, journal: Journal, metrics: Metrics) -> None:
        self._desk, self._gate, self._journal = desk, gate, journal
        self._rights = OurRights(desk)
        self._shelves = Shelves(desk.client, metrics)
        self._sayings = Sayings(gate, desk.client)
        self._approvals = Approvals(desk.client, desk.namespace)
        self.feed = ShelfNews(self._rights, self._opened, self._thing).feed
        self.routes: tuple[Route, ...] = Endpoints((
            _said("GET", _ALL, self._list, "Terraform objects that you may see", *PARAMETERS),
            _said("GET", _ONE, self._get, "One of them, and what happened to it"),
            _said("GET", f"{_ONE}/plan", self._plan, "The plan that waits"),
            _said("POST", f"{_ONE}/approve", partial(self._say, "Approve"), "Agree to that very plan", takes=PlanWord),
            _said("POST", f"{_ONE}/reject", partial(self._say, "Reject"), "Refuse that very plan", takes=PlanWord),
            _said("POST", f"{_ONE}/reconcile", self._reconcile, "Ask for a new look and plan"),
            _said("GET", f"{_ONE}/lock", self._lock, "Who holds the lock on its state"),
            _said("POST", f"{_ONE}/unlock", self._unlock, "Open the lock of that id", takes=Unlock),
            _said("GET", f"{_ONE}/logs", self._logs, "What its latest run printed", Parameter("tailLines", kind=int)),
            _said("GET", f"{_ONE}/state", self._state, "What exists because of it, by address"),
            _said("GET", f"{_ONE}/outputs", self._outputs, "Its outputs, without sensitive values"),
        )).routes  # fmt: skip

    async def run(self) -> None:
        await self._shelves.run()

    async def _list(self, request: Request, _: Captured) -> Response:
        asker, wanted = await self._desk.rights.asker(request), Asked.of(request)
        await self._rights.ready()
        shelf = (await self._opened()).get(KIND.group_kind)
        if shelf is None:
            return answered({**paged([], wanted, _COLUMNS).shaped(rows.shaped), "served": False})
        ordered = sorted(shelf.rows(), key=lambda row: (row.ref.name, row.ref.namespace))
        page = paged(self._rights.visible(asker, ordered, self._thing), wanted, _COLUMNS)
        return answered(page.shaped(rows.shaped, shelf.interrupted))

    async def _opened(self) -> dict[GroupKind, Shelf[Row]]:
        """Nothing where nobody has brought the kind."""
        try:
            await self._desk.client.discovery.resource(KIND.gvk)
        except UnknownKind:
            return {}
        return {KIND.group_kind: await self._shelves.shelf(KIND.resource, rows.row)}

    async def _get(self, request: Request, captured: Captured) -> Response:
        found = await self._found(request, captured)
        terraforms = self._terraforms(found)
        row = rows.row(cached(encode(found.obj), Relevance()))
        subject = LiveObject.at(CLUSTER, found.thing.ref)
        history = await self._journal.page(Query(subject=subject), limit=_HISTORY)
        approvals = await terraforms.approvals(found.name)
        key = found.thing.application
        return answered({
            **rows.shaped(row),
            "message": str(_ready(found.obj)),
            "spec": shapes.spec(found.obj),
            "status": shapes.status(found.obj),
            "conditions": shapes.conditions(found.obj),
            "application": {"namespace": key[0], "name": key[1]} if key is not None else None,
            "history": [shapes.entry(each) for each in history.entries],
            "approvals": [{**(each.get("spec") or {}), "at": each["metadata"].get("creationTimestamp")} for each in approvals],
            "may": {action: self._rights.may(found.asker, found.thing, action) for action in _ACTIONS},
        })  # fmt: skip

    async def _plan(self, request: Request, captured: Captured) -> Response:
        found = await self._found(request, captured)
        terraforms = self._terraforms(found)
        plan = await shown(terraforms, found.name)
        text = await full_text(terraforms, found.obj) if plan.standing.pending else ""
        may = {action: self._rights.may(found.asker, found.thing, action) for action in ("approve", "reject")}
        policy = await self._approvals.policy(found.thing.ref.namespace, found.name)
        return answered({**plans.shaped(plan, text), "approvalsNeeded": plans.needed(plan, policy), "may": may})

    async def _say(self, decision: Word, request: Request, captured: Captured) -> Response:
        found = await self._found(request, captured)
        self._rights.demand(found.asker, found.thing, decision.lower())
        wanted = await asked(request, PlanWord)
        person = await self._sayings.say(found.asker, found.obj, decision, wanted, found.project)
        return answered({"plan": wanted.digest, "decision": decision, "by": person.name, "said": DECIDED[decision]})

    async def _reconcile(self, request: Request, captured: Captured) -> Response:
        found = await self._found(request, captured)
        self._rights.demand(found.asker, found.thing, "reconcile")
        check_active(found.obj)
        at = self._desk.clock.now().isoformat()
        change = {"metadata": {"uid": found.obj["metadata"]["uid"], "annotations": {RECONCILE_REQUEST: at}}}
        errand = Errand(
            asker=found.asker,
            ref=found.thing.ref,
            why=f"Look at {found.thing.name} again",
            project=found.project,
        )
        await self._desk.pen.patch(_target(found.thing.ref), change, errand)
        return answered({"requestedAt": at})

    async def _lock(self, request: Request, captured: Captured) -> Response:
        found = await self._found(request, captured)
        locks, place = self._locks(found.asker), await place_of(self._terraforms(found), found.obj)
        holder = await locks.holder(place)
        command = f"plumb tf unlock {found.name} -n {found.thing.ref.namespace}"
        return answered({"held": holder is not None, **(_holder(holder, command) if holder else {})})

    async def _unlock(self, request: Request, captured: Captured) -> Response:
        found = await self._found(request, captured)
        self._rights.demand(found.asker, found.thing, "unlock")
        wanted = await asked(request, Unlock)
        if not wanted.lock:
            raise InvalidInput("no lock is named", hint="Send the id of the lock that was looked at.")
        place = await place_of(self._terraforms(found), found.obj)
        holder = await self._locks(found.asker).force(place, wanted.lock, found.thing.ref)
        return answered(
            {"opened": holder is not None, "said": holder.sentence if holder else "Nobody holds it any more"}
        )

    async def _logs(self, request: Request, captured: Captured) -> Response:
        found = await self._found(request, captured)
        if not self._sees_logs(found):
            self._rights.demand(found.asker, found.thing, "logs")
        tail = number(request, "tailLines", _LINES, _MOST_LINES)
        terraforms = self._terraforms(found)
        pod = await newest_pod(terraforms, found.name)
        if pod is None:
            lines = (await told(terraforms, found.obj))[-tail:] if tail else []
            return answered({"source": "events", "lines": [_plain(each) for each in lines]})
        name = str(pod["metadata"]["name"])
        text = await self._printed(Target(PODS, found.thing.ref.namespace, name), tail)
        return answered({"source": "pod", "pod": name, "lines": [_plain(each) for each in text.splitlines()[-tail:]]})

    async def _state(self, request: Request, captured: Captured) -> Response:
        found = await self._found(request, captured)
        return answered(shapes.inventory(await state_of(self._terraforms(found), found.name)))

    async def _outputs(self, request: Request, captured: Captured) -> Response:
        found = await self._found(request, captured)
        return answered({"items": shapes.outputs(await outputs_of(self._terraforms(found), found.name))})

    async def _found(self, request: Request, captured: Captured) -> Found:
        """The object, which whoever asks may see. There is a look at the cluster in any case, so that time tells nothing."""
        asker = await self._desk.rights.asker(request)
        await self._rights.ready()
        ref = Ref(KIND.group, KIND.kind, captured["namespace"], captured["name"])
        thing = Thing(TERRAFORM, f"{ref.namespace}/{ref.name}", ref)
        try:
            obj: JsonObject = decode(await self._desk.client.get(_target(ref)))
        except (NotFound, UnknownKind, InvalidInput):
            raise self._rights.absent(asker, thing) from None
        marks = cached(encode(obj), Relevance()).meta
        thing = thing._replace(application=self._rights.application_of(marks, ref))
        if not self._rights.may(asker, thing, GET):
            raise self._rights.absent(asker, thing)
        return Found(asker, thing, obj, self._rights.project_of(thing.application))

    async def _printed(self, pod: Target, tail: int) -> str:
        kept = bytearray()
        async with aclosing(self._desk.client.logs(pod, {"tailLines": str(tail)})) as pieces:
            async for piece in pieces:
                kept += piece
                if len(kept) > _LOG_BYTES:
                    del kept[: len(kept) - _LOG_BYTES]
        return kept.decode(errors="replace")

    def _sees_logs(self, found: Found) -> bool:
        """Whoever may read the logs of an application may read those of what it delivers."""
        key = found.thing.application
        if key is None or not self._rights.sees_application(found.asker, key):
            return False
        called = self._desk.sight.named(found.project, *key)
        return self._desk.rights.may(found.asker, "logs", GET, called)

    def _locks(self, asker: Asker) -> Locks:
        client = self._desk.client
        writer = Writer(self._gate, client, Actor("person", printable(asker.name) or "anonymous"))
        return Locks(client, writer, self._desk.clock, host="web")

    def _terraforms(self, found: Found) -> Terraforms:
        return Terraforms(self._desk.client, found.thing.ref.namespace)

    def _thing(self, row: Row) -> Thing:
        application = self._rights.application_of(row.marks, row.ref)
        return Thing(TERRAFORM, f"{row.ref.namespace}/{row.ref.name}", row.ref, application)


_ACTIONS: Final = ("approve", "reject", "reconcile", "unlock", "logs")


def _target(ref: Ref) -> Target:
    return Target(KIND.resource, ref.namespace, ref.name)


def _ready(obj: JsonObject) -> str:
    return next((str(each["message"]) for each in shapes.conditions(obj) if each["type"] == "Ready"), "")


def _holder(holder: Holder, command: str) -> JsonObject:
    return {
        "lock": holder.id,
        "said": holder.sentence,
        "ours": holder.ours,
        "dead": holder.death.how if holder.death is not None else "",
        "command": f"{command} --lock {holder.id}",
    }


def _plain(line: str) -> str:
    return redact_text(_CONTROL.sub("?", line))


def _said(
    method: str, path: str, serve: Serve, summary: str, *parameters: Parameter, takes: type | None = None
) -> Endpoint:
    said = Operation(method=method, path=path, summary=summary, tag="terraform", parameters=parameters, takes=takes)
    return Endpoint(said, serve)
