"""The room, put together: sources, Terraform objects, what people have agreed to, and where runs are carried out."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.errors import InvalidInput, UnknownKind
from plumbline.base.json import JsonObject
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.gate.gate import Gate
from plumbline.gate.hands import Hands
from plumbline.gate.webhooks import Reached
from plumbline.journal.parties import Actor
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.collections import Collections
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kinds.kind import Kind
from plumbline.kinds.read import read
from plumbline.kinds.terraform import PLAN_APPROVAL, TERRAFORM_POLICY, Approvers, PlanApprovalSpec, TerraformPolicySpec
from plumbline.kube.client import Client
from plumbline.terraform.approvals.checks import Checks
from plumbline.terraform.around import Around
from plumbline.terraform.checks import WebhookPoster, Wire
from plumbline.terraform.inputs import Terms
from plumbline.terraform.policies import Given, Policy, anonymous, combined
from plumbline.terraform.policies.policy import concerns
from plumbline.terraform.reading import ClientReader
from plumbline.terraform.reconciler import TerraformReconciler
from plumbline.terraform.routing import Routes, terraforms_cache
from plumbline.terraform.runs.jobs import JobRuns
from plumbline.terraform.runs.local import LocalRuns
from plumbline.terraform.sources.room import GitRepositories
from plumbline.terraform.state import Copies, Locks

ACTOR: Final = Actor("controller", "terraform")
_WORKERS: Final = 4

_UNREADABLE: Final = TerraformPolicySpec(
    approvers=Approvers(users=("nobody, while a TerraformPolicy cannot be read",)),
    drift="Report",
    providers=("none, while a TerraformPolicy cannot be read",),
    external_data="Deny",
    provisioners="Deny",
)

log = logger(__name__)


class Parts(NamedTuple):
    """What the room is given."""

    client: Client
    world: World
    gate: Gate
    records: Callable[[str], Records]
    collections: Collections
    """Kept running by whoever made them."""
    repositories: GitRepositories
    runs: LocalRuns | JobRuns
    locks: Locks
    copies: Copies
    terms: Terms
    namespace: str
    """The installation's own: policies in it hold everywhere."""
    wire: Wire
    aside: Aside = in_a_thread
    own_kubeconfig: bool = True
    reached: Reached | None = None
    """How the API server gets to where approvals are checked; None where it does not."""


class Terraforms:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._policies: Informer | None = None
        self._approvals: Informer | None = None
        self._terraforms: Informer | None = None
        hands = Hands(parts.gate, parts.client, ACTOR)
        self._checks = Checks(parts.client, hands, parts.world.clock, parts.reached)

    async def run(self) -> None:
        parts, follow = self._parts, self._parts.collections.follow
        self._policies, _ = await follow(TERRAFORM_POLICY.resource)
        self._approvals, _ = await follow(PLAN_APPROVAL.resource)
        for informer in (self._policies, self._approvals):
            await informer.synced()
        await self._checks.look()
        self._terraforms, _ = await follow(TERRAFORM.resource, cache=terraforms_cache())
        reconciler = TerraformReconciler(self._around(), parts.gate)
        self.controller = controller = Controller(
            reconciler, self._terraforms, parts.records("tf-controller"), parts.world, party=_namespace
        )
        parts.runs.woken = controller.wake
        self._checks.changed = controller.wake_all
        routes = Routes(self._terraforms, controller)
        routes.follow_sources(GIT_REPOSITORY.kind, parts.repositories.informer)
        routes.follow_approvals(self._approvals)
        routes.follow_policies(self._policies)
        async with task_group() as group:
            group.create_task(self._checks.run())
            group.create_task(parts.runs.run())
            group.create_task(parts.repositories.run())
            group.create_task(controller.run(_WORKERS))

    def _around(self) -> Around:
        parts = self._parts
        return Around(
            client=parts.client,
            world=parts.world,
            hands=Hands(parts.gate, parts.client, ACTOR, "published"),
            sources=parts.repositories.sources,
            reader=ClientReader(parts.client),
            terms=parts.terms,
            runs=parts.runs,
            locks=parts.locks,
            copies=parts.copies,
            policy=self.policy,
            approvals=self.approvals,
            terraform=self.terraform,
            wire=parts.wire,
            aside=parts.aside,
            poster=WebhookPoster(parts.wire),
            own_kubeconfig=parts.own_kubeconfig,
        )

    def policy(self, key: Key) -> Policy:
        namespace, name = key
        found = [
            spec
            for entry in _entries(self._policies)
            if entry.meta.namespace in {namespace, self._parts.namespace} and concerns(spec := policy_in(entry), name)
        ]
        return combined(found)

    async def approvals(self, key: Key) -> Given:
        """What was said. Who said it is known only of what was checked when it was made."""
        namespace, name = key
        about: list[tuple[Cached, PlanApprovalSpec]] = []
        for entry in _entries(self._approvals):
            spec = _spec(PLAN_APPROVAL, entry) if entry.meta.namespace == namespace else None
            if spec is not None and spec.terraform == name:
                about.append((entry, spec))
        if about:
            await self._checks.verify()
        doubts = [self._checks.doubt(entry.object()) for entry, _ in about]
        said = (anonymous(spec) if doubt else spec for (_, spec), doubt in zip(about, doubts, strict=True))
        return Given(tuple(said), doubt=next(filter(None, doubts), ""))

    def terraform(self, key: Key) -> JsonObject | None:
        entry = self._terraforms.cache.get(key) if self._terraforms is not None else None
        return entry.object() if entry is not None else None


def _namespace(key: Key) -> str:
    """Whose an object is: that of whoever may write in its namespace."""
    return key[0]


def _entries(informer: Informer | None) -> list[Cached]:
    return list(informer.cache) if informer is not None else []


def policy_in(entry: Cached) -> TerraformPolicySpec:
    """What a policy says. One that cannot be read may have meant to forbid anything, and so forbids what there is."""
    spec = _spec(TERRAFORM_POLICY, entry)
    return spec if isinstance(spec, TerraformPolicySpec) else _UNREADABLE


def _spec(kind: Kind[Any, Any], entry: Cached) -> Any:
    """What an object says; None where it cannot be read."""
    try:
        return read(kind, entry.object()).spec
    except (InvalidInput, UnknownKind) as error:
        log.warning("object not read", object=repr(entry), error=str(error))
        return None
