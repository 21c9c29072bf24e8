"""The Secret: planned beside the one that is there, written through the gate, and nothing left behind under older names."""

from typing import Final

from plumbline.base.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    NotFound,
    PlumblineError,
    Unresolved,
)
from plumbline.base.json import JsonObject, decode
from plumbline.gate.hands import Behalf
from plumbline.gate.intents import Destruction, Loss
from plumbline.gotemplate import Surroundings
from plumbline.kernel.outcomes import Done, Stop
from plumbline.kube.client import Target, Writing
from plumbline.kube.names import Ref
from plumbline.kube.object import Object
from plumbline.secrets.external.around import Around
from plumbline.secrets.external.due import next_s
from plumbline.secrets.external.failing import UNDELETED, UNFETCHED, UNTIDIED, UNWRITTEN, failed, stuck
from plumbline.secrets.external.looking import SECRETS, At, Look, asked_of, key_of, target_name, target_of
from plumbline.secrets.external.memory import Version
from plumbline.secrets.external.shaping import Desired, Making, Plan, Subject, superseded
from plumbline.secrets.external.shaping import target_of as planned
from plumbline.secrets.external.shaping.markers import CREATED_BY, created_by, field_manager
from plumbline.secrets.external.sources import found, sources_of
from plumbline.secrets.external.status import Told

_CLAIMED: Final = "Owner"
"""The policy under which a Secret is ours alone; under the others somebody else may have it."""


class SecretMaking:
    def __init__(self, around: Around) -> None:
        self._around = around

    async def planned(self, run: Look, at: At) -> At | Stop:
        """What is to be done, decided on the Secret as it is at this moment."""
        assert at.gathered is not None  # noqa: S101 - a step before this one
        world = self._around.world
        try:
            live = await self._found(target_of(run))
            sources = await sources_of(self._around.client, run.spec.target.template, key_of(run)[0])
        except PlumblineError as error:
            return failed(self._around, run, UNWRITTEN, error)
        surroundings = Surroundings(world.clock.now, world.ids)
        making = Making(_subject(run), run.spec, at.gathered, surroundings, sources)
        try:
            plan = await self._around.aside(lambda: planned(making, live))
        except (InvalidInput, Unresolved) as error:
            return failed(self._around, run, f"{UNWRITTEN}: could not apply template", error)
        return at._replace(live=live, plan=plan, gathered=None)

    async def carried_out(self, run: Look, at: At) -> At | Stop:
        plan, what = at.plan, UNWRITTEN
        assert plan is not None  # noqa: S101 - a step before this one
        try:
            if plan.action == "delete" and at.live is not None:
                what = UNDELETED
                if not await self._deleted(run, at.live):
                    return stuck(self._around, run, what, "this installation only observes it")
                run.tell("Deleted", "secret deleted due to DeletionPolicy=Delete")
            elif plan.secret is not None and not await self._written(run, plan.secret, at.live):
                return stuck(self._around, run, what, "this installation only observes it")
            elif plan.secret is None and at.live is not None and plan.ready:
                self._remember(run, at.live)
        except (Conflict, AlreadyExists) as outrun:
            raise Conflict(str(outrun)) from outrun  # somebody else was there first: look again at what is there now
        except PlumblineError as error:
            return failed(self._around, run, what, error)
        return self._said(run, at, plan)

    async def tidied(self, run: Look, at: At) -> At | Stop:
        """Secrets that are ours under a name that the target had before."""
        if run.spec.target.creation_policy != _CLAIMED:
            return at
        namespace, name = key_of(run)
        mark = created_by(namespace, name)
        labelled = [
            entry.meta.name
            for entry in self._around.secrets.cache
            if entry.meta.labels.get(CREATED_BY) == mark and entry.meta.namespace == namespace
        ]
        try:
            for each in labelled:
                if each == target_name(run):
                    continue
                live = await self._found(Target(SECRETS, namespace, each))
                for old in superseded([live] if live is not None else [], _subject(run), target_name(run)):
                    if await self._deleted(run, old):
                        run.tell("Deleted", "secret deleted because it was orphaned")
        except PlumblineError as error:
            return failed(self._around, run, UNTIDIED, error)
        return at

    async def settled(self, run: Look, _: At) -> Stop:
        self._around.memory.forgive(key_of(run))
        return Done(next_s(asked_of(run)))

    async def let_go(self, run: Look, _: object) -> Stop:
        """The object is being deleted: what is ours alone goes with it even where no garbage is collected."""
        if run.spec.target.deletion_policy != "Delete":
            return Done()
        live = await self._found(target_of(run))
        controller = Object(live).controller if live is not None else None
        if live is not None and controller is not None and controller.uid == run.object["metadata"]["uid"]:
            await self._deleted(run, live)
        return Done()

    def _said(self, run: Look, at: At, plan: Plan) -> At | Stop:
        if plan.ready:
            return at._replace(told=Told("True", plan.reason, plan.message), live=None, plan=None)
        if plan.message in {UNFETCHED, UNDELETED}:  # the store may have it again, which only the store can tell
            return failed(self._around, run, plan.message, NotFound(plan.detail))
        return stuck(self._around, run, plan.message, plan.detail)

    async def _written(self, run: Look, secret: Desired, live: JsonObject | None) -> bool:
        """False where this installation only observes."""
        writing = Writing(field_manager=field_manager(key_of(run)[1]))
        behalf, target, body = self._behalf(run), target_of(run), secret.body()
        if live is None:
            why = f"Bring {target.name} from the store"
            reply = await self._around.hands.create(target.collection, body, writing, behalf, why)
        else:
            why = f"Bring {target.name} up to what the store has"
            reply = await self._around.hands.replace(target, body, writing, behalf, why)
        if reply is None:
            return False
        self._remember(run, decode(reply))
        run.tell("Created" if live is None else "Updated", "secret created" if live is None else "secret updated")
        return True

    async def _deleted(self, run: Look, live: JsonObject) -> bool:
        """False where this installation only observes."""
        ref = Ref.of(live)
        lost = Destruction("deletion", (Loss(str(ref)),), requested=True)
        target = Target(SECRETS, ref.namespace, ref.name)
        try:
            reply = await self._around.hands.delete(target, live, self._behalf(run), lost, "Background")
        except NotFound:
            return True
        return reply is not None

    def _behalf(self, run: Look) -> Behalf:
        behalf = Behalf.of("secret", run.object)
        return behalf if run.spec.target.creation_policy == _CLAIMED else behalf._replace(owner=None)

    def _remember(self, run: Look, live: JsonObject) -> None:
        view = Object(live)
        self._around.memory.right[key_of(run)] = Version(view.uid, view.resource_version)

    async def _found(self, target: Target) -> JsonObject | None:
        return await found(self._around.client, target)


def _subject(run: Look) -> Subject:
    view = Object(run.object)
    return Subject(view.api_version, view.namespace, view.name, view.uid, view.labels, view.annotations)
