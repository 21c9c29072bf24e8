"""A cloud in memory: what is made takes time, shows late, is refused, throttled or answered into the void.

Four kinds: a Store has a name of your choosing and holds data; a Network gets its id from the cloud and is found again by its
tag; a Key too, but is not found again; a Database takes a while, needs a password and refers to a network.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from plumbline.base.errors import InvalidInput, NotFound, Throttled, Unauthenticated, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.kernel.faults.weather import Dice
from plumbline.kube.names import GroupKind
from plumbline.managed.external import ABSENT, Created, Difference, Observed, SecretKey, Updated
from plumbline.managed.kinds import (
    Catalogue,
    Generated,
    ManagedKind,
    ProviderKind,
    Reference,
    Schema,
    with_namespaced_twin,
)

GROUP = "cloud.example.org"
TEXT, NUMBER, TRUTH = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
SECRET_REF = {
    "type": "object",
    "required": ["key", "name", "namespace"],
    "properties": {"key": TEXT, "name": TEXT, "namespace": TEXT},
}
FIELDS = {
    "region": TEXT, "size": NUMBER, "engine": TEXT, "colour": TEXT, "networkId": TEXT, "networkIds": {"type": "array", "items": TEXT},
    "protected": TRUTH, "autoGeneratePassword": TRUTH, "passwordSecretRef": SECRET_REF,
}  # fmt: skip
MENDED = ("size", "engine", "colour", "networkId")


def _config_schema():
    credentials = {"type": "object", "properties": {"source": TEXT, "secretRef": SECRET_REF}}
    return {"type": "object", "required": ["credentials"], "properties": {"credentials": credentials}}


def _schema():
    wanted = {"type": "object", "properties": dict(FIELDS)}
    found = {"type": "object", "properties": {**FIELDS, "id": TEXT, "arn": TEXT, "state": TEXT, "madeAt": TEXT}}
    return Schema(wanted, found, required=("region",))


PROVIDER = ProviderKind(
    name="cloud", group=GROUP, version="v1beta1", schema=_config_schema, packages=("provider-cloud",)
)


@dataclass
class Thing:
    id: str
    sort: str
    name: str
    tag: str
    fields: dict
    shows_s: float
    ready_s: float
    gone_s: float | None = None
    password: Plaintext | None = None
    changed_s: float = 0.0
    """Until when a change is under way."""
    emptied_s: float = 0.0
    """Until when there is something in it, which goes by itself."""
    changes: dict = field(default_factory=dict)

    def protected(self, now_s):
        if now_s < self.emptied_s:
            return "there is something in it"
        return "deletion protection is on" if self.fields.get("protected") else ""

    def settle(self, now_s):
        """Whether a change is under way; what was asked for shows when it is over."""
        if now_s < self.changed_s:
            return False
        self.fields.update(self.changes)
        self.changes = {}
        return True


@dataclass
class Cloud:
    """One account. All that may go wrong is set from outside and may change at any time."""

    clock: object
    shows_after_s: float = 0.0
    """How long a new thing, or a change, stays invisible."""
    takes_s: float = 0.0
    """How long a Database is being made, and being deleted."""
    changes_s: float = 0.0
    """How long a change takes, in which the thing is as it was."""
    dice: Dice | None = None
    chances: dict = field(default_factory=dict)
    """By what: throttled, lost_request, lost_reply."""
    things: dict = field(default_factory=dict)
    calls: Counter = field(default_factory=Counter)
    made: Counter = field(default_factory=Counter)
    """How often a thing was made for which object."""
    refuses: dict = field(default_factory=dict)
    """By call: errors that the next ones raise, before anything is done."""
    loses: dict = field(default_factory=dict)
    """By call: how many of the next ones are done and answered into the void."""
    when: object = None
    """Called with the number of each call that changes something, before and after it."""
    hangs_in: set = field(default_factory=set)
    """Namespaces whose provider never answers."""
    _changes: int = 0
    seen_passwords: list = field(default_factory=list)

    def live(self, sort=None):
        return [each for each in self.things.values() if self._exists(each) and sort in {None, each.sort}]

    def change_outside(self, name, **fields):
        """Somebody with a console."""
        for each in self.live():
            if each.name == name:
                each.fields.update(fields)

    def vanish(self, name):
        self.things = {key: each for key, each in self.things.items() if each.name != name}

    def _exists(self, thing):
        return thing.gone_s is None or self.clock.monotonic() < thing.gone_s

    def found(self, sort, name, tag):
        now_s = self.clock.monotonic()
        for each in self.things.values():
            mine = each.sort == sort and (each.name == name if name else each.tag == tag)
            if mine and self._exists(each) and now_s >= each.shows_s:
                return each
        return None

    async def changing(self, call, work):
        """A call that changes something, with whatever goes wrong."""
        self._changes += 1
        number = self._changes
        await self._wrong(call)
        if self.when is not None:
            await self.when(number, "before")
        answer = work()
        if self.when is not None:
            await self.when(number, "after")
        if self.loses.get(call, 0) > 0:
            self.loses[call] -= 1
            raise Unreachable("The cloud did not answer")
        self._chance("lost_reply")
        return answer

    async def _wrong(self, call):
        self.calls[call] += 1
        await asyncio.sleep(0.01)
        if self.refuses.get(call):
            raise self.refuses[call].pop(0)
        if self.dice and self.dice.happens(self.chances.get("throttled", 0)):
            raise Throttled("Rate exceeded", after_s=2.0)
        self._chance("lost_request", sent=False)

    def _chance(self, what, *, sent=True):
        if self.dice and self.dice.happens(self.chances.get(what, 0)):
            raise Unreachable("The cloud is out of reach", sent=sent)

    async def looking(self, call):
        await self._wrong(call)


class CloudExternal:
    def __init__(self, cloud, sort, chosen):
        self.cloud, self.sort, self.chosen = cloud, sort, chosen

    async def observe(self, managed):
        await self.cloud.looking("observe")
        found = self.cloud.found(self.sort, managed.external_name, _tag(managed))
        if found is None:
            return ABSENT
        now_s = self.cloud.clock.monotonic()
        state = "Deleting" if found.gone_s is not None else "Creating" if now_s < found.ready_s else "Available"
        settled = found.settle(now_s)
        connection = {}
        if self.sort == "Database" and state == "Available":
            connection = {"endpoint": Plaintext(f"{found.name}.db.example.org"), "port": Plaintext("5432")}
            if found.password is not None:
                connection["password"] = found.password
        differences = tuple(
            Difference(name, value, found.fields.get(name), replaces=name == "engine")
            for name, value in managed.wanted.items()
            if name in MENDED and found.fields.get(name) != value
        )
        shown = {name: value for name, value in found.fields.items() if value is not None}
        return Observed(
            exists=True,
            external_name=found.name,
            at_provider={**shown, "id": found.id, "arn": f"arn:cloud:{found.id}", "state": state.lower()},
            differences=differences,
            late={"colour": found.fields["colour"]},
            connection=connection,
            state=state,
            changing=not settled,
            after_s=5.0 if not settled else 1.0 if now_s < found.emptied_s else None,
            holds=f"{found.fields.get('size') or 1} GB" if self.sort in {"Store", "Database"} else "",
            protected=found.protected(now_s),
        )

    async def create(self, managed):
        said = managed.at_creation
        if said.get("size", 1) > 1000:
            raise InvalidInput("size is too large", why="at most 1000")
        password = None
        if ref := said.get("passwordSecretRef"):
            password = await managed.secrets.read(SecretKey(ref["name"], ref["key"], ref.get("namespace", "")))
            self.cloud.seen_passwords.append(password)
        made = await self.cloud.changing("create", lambda: self._made(managed, said, password))
        first = {"initial": Plaintext("once")} if self.sort == "Key" else {}
        return Created("" if self.chosen else made.name, first, {"madeAt": "then"})

    def _made(self, managed, said, password):
        cloud, now_s = self.cloud, self.cloud.clock.monotonic()
        if self.chosen:
            known = [each for each in cloud.live(self.sort) if each.name == managed.external_name]
            if known:
                return known[0]
        id_ = f"{self.sort.lower()}-{sum(cloud.made.values()) + 1:04}"
        name = managed.external_name if self.chosen else id_
        fields = {"size": 1, "engine": "a", "colour": "grey", **{key: said.get(key) for key in FIELDS if key in said}}
        takes_s = cloud.takes_s if self.sort == "Database" else 0.0
        thing = Thing(id_, self.sort, name, _tag(managed), fields, now_s + cloud.shows_after_s, now_s + takes_s, password=password)  # fmt: skip
        cloud.things[id_] = thing
        cloud.made[self.sort, managed.ref.name] += 1
        return thing

    async def update(self, managed, observed):
        def change():
            found = self.cloud.found(self.sort, managed.external_name, _tag(managed))
            found.changes = {each.path: each.wanted for each in observed.differences}
            found.changed_s = self.cloud.clock.monotonic() + self.cloud.changes_s
            found.settle(self.cloud.clock.monotonic())

        await self.cloud.changing("update", change)
        return Updated()

    async def delete(self, managed, observed):
        def remove():
            found = self.cloud.found(self.sort, managed.external_name, _tag(managed))
            if found is not None and found.gone_s is None:
                found.gone_s = self.cloud.clock.monotonic() + (self.cloud.takes_s if self.sort == "Database" else 0.0)

        await self.cloud.changing("delete", remove)


def _tag(managed):
    """Derived from what the object is called, never from its uid: a rebuilt control plane finds the same."""
    return f"{managed.ref.kind}/{managed.ref.namespace}/{managed.ref.name}"


class CloudConnector:
    def __init__(self, cloud, sort, *, chosen):
        self.cloud, self.sort, self.chosen = cloud, sort, chosen

    async def connect(self, managed, config):
        self.cloud.calls["connect"] += 1
        if managed.ref.namespace in self.cloud.hangs_in:
            await asyncio.sleep(3600)
        ref = config.spec.get("credentials", {}).get("secretRef")
        if ref:
            token = await config.secrets.read(SecretKey(ref["name"], ref["key"], ref.get("namespace", "")))
            if token.reveal() != b"right":
                raise Unauthenticated("The cloud does not know these credentials")
        if config.spec.get("credentials", {}).get("source") == "Nowhere":
            raise NotFound("There are no credentials")
        return CloudExternal(self.cloud, self.sort, self.chosen)


NETWORK = GroupKind(f"net.{GROUP}", "Network")


def kinds(cloud):
    """All of them, cluster-scoped and namespaced."""
    to_network = Reference("networkId", NETWORK)
    to_networks = Reference("networkIds", NETWORK, many=True)
    store = _kind(cloud, "Store", "stores", "data", chosen=True, holds="a store", references=(to_network, to_networks), versions=("v1beta2", "v1beta1"))  # fmt: skip
    network = _kind(cloud, "Network", "networks", "net", chosen=False)
    key = _kind(cloud, "Key", "keys", "net", chosen=False, found_again=False)
    database = _kind(
        cloud, "Database", "databases", "data", chosen=True, holds="a database",
        references=(to_network,), generates=(Generated("autoGeneratePassword", "passwordSecretRef"),),
    )  # fmt: skip
    return [each for kind in (store, network, key, database) for each in with_namespaced_twin(kind)]


def catalogue(cloud):
    return Catalogue(kinds(cloud))


def _kind(cloud, kind, plural, service, *, chosen, versions=("v1beta1",), **more):
    return ManagedKind(
        provider=PROVIDER,
        group=f"{service}.{GROUP}",
        kind=kind,
        plural=plural,
        versions=versions,
        schemas=_schema,
        connector=CloudConnector(cloud, kind, chosen=chosen),
        external_name="chosen" if chosen else "assigned",
        **more,
    )
