"""Who comes in, and what they may do there: accounts, sessions, single sign-on and the policy."""

from typing import Final

from plumbline.access.keeper import Keeper
from plumbline.access.oidc.signon import SignOn
from plumbline.access.policy import Policy, Subject, policy_from
from plumbline.access.projecttokens import projects_of
from plumbline.access.sessions import Sessions
from plumbline.access.sessions import World as AccessWorld
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.delivery.installation import Installation
from plumbline.web.api.rights import Asker as Known
from plumbline.web.api.rights import Rights
from plumbline.web.session import AccountPart, Asker, Askers, Logins, Peers, Record, SessionPart, SignOnPart
from plumbline.wiring.premises import Premises

_MOST_TOLD: Final = 20

log = logger(__name__)


class Entrance:
    def __init__(self, premises: Premises) -> None:
        clock = premises.world.clock
        self.installation = Installation(
            premises.client, premises.namespace, premises.world, premises.trust, local=premises.local
        )
        self._keeper = keeper = Keeper(premises.client, premises.namespace, clock)
        keeper.writes = premises.enforcing
        world = AccessWorld(clock, premises.world.ids)
        signon = SignOn(keeper, clock)
        self.sessions = Sessions(keeper, world, projects_of(premises.client, premises.namespace), signon)
        self.askers = Askers(self.sessions, lambda: keeper.realm, clock, Peers(premises.trusted))
        self.policy = PolicyNow(self.installation)
        self.rights = Rights(self.askers.asker, self.policy, _subject)
        record = Record(premises.journal, clock, namespace=premises.namespace)
        logins = Logins(premises.world.metrics.registry)
        self.parts = (
            SessionPart(self.askers, record, lambda: keeper.realm.accounts, logins),
            AccountPart(self.askers, keeper, self.rights, record, world),
            SignOnPart(self.askers, keeper, signon, record, logins),
        )

    @property
    def passwords(self) -> bool:
        """Whether somebody can log in with one."""
        return any(account.enabled for account in self._keeper.realm.accounts.values())

    async def run(self) -> None:
        async with task_group() as group:
            group.create_task(self._keeper.run())
            group.create_task(self.installation.run())

    async def ready(self) -> None:
        await self._keeper.ready()
        await self.installation.synced()


class PolicyNow:
    """The policy that counts, read anew when something of it changed. One that cannot be read leaves the last that could."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self._policy: Policy | None = None
        self._stale = True
        installation.subscribe(self._changed)

    def __call__(self) -> Policy:
        if self._policy is None or self._stale:
            projects = self._installation.project_objects.values()
            found = policy_from(self._installation.config_map("argocd-rbac-cm"), projects)
            if found.faults:
                log.warning("policy cannot be read", faults=[str(each) for each in found.faults[:_MOST_TOLD]])
            self._policy = found if self._policy is None else self._policy.succeeded_by(found)
            self._stale = False
        return self._policy

    def _changed(self) -> None:
        self._stale = True


def _subject(asker: Known) -> Subject:
    """With what an identity provider has said, where a policy may ask for it."""
    claims = asker.session.claims if isinstance(asker, Asker) and asker.session is not None else {}
    return Subject(asker.name, asker.groups, claims)
