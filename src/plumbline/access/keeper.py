"""The objects that say who may come in, followed live, and changed so that no change of somebody else is lost."""

import asyncio
import base64
from collections.abc import Callable
from contextlib import aclosing
from datetime import timedelta
from typing import Final

from plumbline.access.accounts import Edit, with_password
from plumbline.access.administrator import INITIAL, initial_password
from plumbline.access.notes import EMPTY, KEY, Notes, joined, read_notes, written
from plumbline.access.passwords import hashed
from plumbline.access.realm import CONFIG, POLICY, SECRETS, SIGNING_KEY, Realm, read_realm
from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists, Conflict, NotFound, PlumblineError, Unreachable, WrongState
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.log import logger
from plumbline.base.plaintext import Plaintext, unguessable
from plumbline.base.tasks import task_group
from plumbline.kube.client import Client, Interrupted, Selection, Synced, Target, WatchEvent, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import Object

NOTES: Final = "plumbline-sessions"
_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_PART_OF: Final = {"app.kubernetes.io/part-of": "argocd"}
_AS_US: Final = Writing(field_manager="plumbline")
_TRIES: Final = 20
_AGAIN_S: Final = 5.0

_log = logger("access")


class Keeper:
    """`run` keeps `realm` and `notes` true; both are values, and the same for as long as nothing changes."""

    def __init__(self, client: Client, namespace: str, clock: Clock, aside: Aside = in_a_thread) -> None:
        self.namespace = namespace
        self._client = client
        self._clock = clock
        self._aside = aside
        self._config: dict[str, JsonObject] = {}
        self._secrets: dict[str, JsonObject] = {}
        self._synced = asyncio.Event()
        self._prepared = asyncio.Event()
        self.writes: Callable[[], bool] = lambda: True
        """An installation that observes does not: it makes no key, changes no account, and keeps its notes to itself."""
        self._own: Notes | None = None
        """What is noted here and nowhere else."""
        self._behind: set[str] = set()
        self._realm: Realm | None = None
        self._notes: Notes | None = None
        self._problems: frozenset[tuple[str, str]] = frozenset()

    @property
    def realm(self) -> Realm:
        self._check_synced()
        if self._realm is None:
            self._realm = read_realm(self._config.get(CONFIG), self._config.get(POLICY), self._secrets)
            self._tell(self._realm)
        return self._realm

    @property
    def notes(self) -> Notes:
        """Raises Corrupted."""
        self._check_synced()
        if self._notes is None:
            said = _noted(self._secrets.get(NOTES))
            self._notes = said if self._own is None else joined(self._own, said)
        return self._notes

    @property
    def key(self) -> Plaintext:
        """What tokens are signed with."""
        if self.realm.key is None:
            hint = f"It is made when this starts; look at the log, or at the Secret {SECRETS}."
            raise Unreachable("Nobody can log in", why=f"{SECRETS} has no {SIGNING_KEY}", hint=hint)
        return self.realm.key

    async def synced(self) -> None:
        await self._synced.wait()

    async def ready(self) -> None:
        """Returns once somebody can log in, where that is ours to see to."""
        await self._synced.wait()
        await self._prepared.wait()

    async def run(self) -> None:
        follows = (
            (Target(_CONFIG_MAPS, self.namespace), Selection(fields=f"metadata.name={CONFIG}"), self._config),
            (Target(_CONFIG_MAPS, self.namespace), Selection(fields=f"metadata.name={POLICY}"), self._config),
            (Target(_SECRETS, self.namespace), Selection(labels="app.kubernetes.io/part-of=argocd"), self._secrets),
        )
        self._behind = {selection.fields or selection.labels for _, selection, _ in follows}
        async with task_group() as group:
            for follow in follows:
                group.create_task(self._follow(*follow))
            group.create_task(self._keep_preparing())

    async def change(self, edit: Callable[[Realm], Edit]) -> None:
        """Change keys of argocd-secret, decided on what is there now; *edit* may be asked several times."""
        if not self.writes():
            raise WrongState(
                f"The Secret {SECRETS} is not written",
                why="This installation only observes it",
                hint="Change it where it is looked after, or run with --enforce.",
            )

        def edited(secret: JsonObject) -> Edit:
            # What is followed may be a moment behind; what is decided on is not.
            secrets = {**self._secrets, SECRETS: secret}
            return edit(read_realm(self._config.get(CONFIG), self._config.get(POLICY), secrets))

        await self._edited(SECRETS, edited)

    async def note(self, edit: Callable[[Notes], Notes]) -> None:
        """For all replicas, and past a restart; where nothing is written, for as long as this process runs."""
        if not self.writes():
            self._own, self._notes = edit(self.notes), None
            return
        own = self._own

        def edited(secret: JsonObject) -> Edit:
            before = _noted(secret)
            after = edit(before if own is None else joined(own, before))
            return {} if after == before else {KEY: written(after)}

        await self._edited(NOTES, edited)
        if own is not None:
            self._own = self._notes = None

    async def _keep_preparing(self) -> None:
        while not self._prepared.is_set():
            try:
                if self.writes():
                    await self._prepare()
                self._prepared.set()
            except PlumblineError as error:
                _log.warning("nobody can log in yet", code=error.code, error=str(error), again_in_s=_AGAIN_S)
                await self._clock.sleep(_AGAIN_S)

    async def _prepare(self) -> None:
        """See that there is a key, and that the first password of the administrator opens the door."""
        await initial_password(self._client, self.namespace)
        await self._synced.wait()
        made = Plaintext(base64.b64encode(unguessable().reveal()))
        if self.realm.key is None:
            await self.change(lambda realm: {} if realm.key else {SIGNING_KEY: made.reveal()})
        if self.realm.accounts["admin"].password is not None:
            return
        try:
            initial = decode(await self._client.get(Target(_SECRETS, self.namespace, INITIAL)))
        except NotFound:
            return
        password = Plaintext(base64.b64decode((initial.get("data") or {}).get("password", "")))
        if password:
            kept = await self._aside(lambda: hashed(password))
            # Nobody had a session before it, and the first may begin within the same second.
            at = self._clock.now() - timedelta(seconds=1)
            await self.change(
                lambda realm: {} if realm.accounts["admin"].password else with_password("admin", kept, at)
            )

    async def _edited(self, name: str, edit: Callable[[JsonObject], Edit]) -> None:
        """Change a Secret, once nobody else does at the same time."""
        target = Target(_SECRETS, self.namespace, name)
        for _ in range(_TRIES):
            try:
                secret = decode(await self._client.get(target))
            except NotFound:
                await self._made(name)
                continue
            changes = edit(secret)
            if not changes:
                self._take(name, secret, self._secrets)
                return
            body = {
                "metadata": {"resourceVersion": Object(secret).resource_version},
                "data": {
                    key: None if value is None else base64.b64encode(value).decode() for key, value in changes.items()
                },
            }
            try:
                self._take(name, decode(await self._client.patch(target, encode(body), "merge", _AS_US)), self._secrets)
            except Conflict:
                continue
            return
        raise Conflict(f"The Secret {name} was not changed", why="others keep changing it")

    async def _made(self, name: str) -> None:
        labels = {"app.kubernetes.io/name": name, **_PART_OF}
        body = {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": {"name": name, "labels": labels}}
        try:
            await self._client.create(Target(_SECRETS, self.namespace), encode(body), _AS_US)
        except AlreadyExists:
            return

    async def _follow(self, target: Target, selection: Selection, into: dict[str, JsonObject]) -> None:
        async with aclosing(self._client.follow(target, selection)) as events:
            async for event in events:
                if isinstance(event, Synced):
                    self._behind.discard(selection.fields or selection.labels)
                    if selection.labels:
                        for name in into.keys() - {name for _, name in event.present}:
                            self._forget(name, into)
                    elif not event.present:
                        self._forget(selection.fields.partition("=")[2], into)
                    if not self._behind:
                        self._synced.set()
                elif isinstance(event, Interrupted):
                    _log.warning("settings of access are not followed", error=str(event.error))
                else:
                    self._heard(event, into)

    def _heard(self, event: WatchEvent, into: dict[str, JsonObject]) -> None:
        if event.type == "DELETED":
            self._forget(event.name, into)
        elif event.type in {"ADDED", "MODIFIED"}:
            self._take(event.name, decode(event.raw), into)

    def _take(self, name: str, obj: JsonObject, into: dict[str, JsonObject]) -> None:
        if _older(obj, into.get(name)):
            return
        into[name] = obj
        self._realm = self._notes = None

    def _forget(self, name: str, into: dict[str, JsonObject]) -> None:
        if into.pop(name, None) is not None:
            self._realm = self._notes = None

    def _check_synced(self) -> None:
        if not self._synced.is_set():
            raise Unreachable("Nobody is known yet", why="the settings of access have not been read", sent=False)

    def _tell(self, realm: Realm) -> None:
        problems = frozenset(realm.problems)
        for key, why in sorted(problems - self._problems):
            _log.warning("setting of access cannot be used", key=key, why=why)
        self._problems = problems


def _noted(secret: JsonObject | None) -> Notes:
    value = ((secret or {}).get("data") or {}).get(KEY)
    return read_notes(base64.b64decode(value)) if value else EMPTY


def _older(obj: JsonObject, known: JsonObject | None) -> bool:
    """Of two states of one object; what we wrote ourselves may be known before it is heard of."""
    if known is None or Object(known).uid != Object(obj).uid:
        return False
    before, after = Object(known).resource_version, Object(obj).resource_version
    return before.isdigit() and after.isdigit() and int(after) < int(before)
