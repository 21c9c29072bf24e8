"""Whether there is anything to do, and whom to ask."""

from collections.abc import Iterator
from typing import Final

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError, Transient
from plumbline.base.json import decode
from plumbline.base.log import logger
from plumbline.kernel.outcomes import Done, Stop
from plumbline.kube.object import Object
from plumbline.secrets.external.around import Around
from plumbline.secrets.external.asking import Question, items, store_names
from plumbline.secrets.external.due import due
from plumbline.secrets.external.failing import UNFETCHED, failed, stuck
from plumbline.secrets.external.known import KnownStore
from plumbline.secrets.external.looking import FOREIGN, At, Look, asked_of, key_of, target_name, target_of
from plumbline.secrets.external.memory import Version
from plumbline.secrets.external.shaping import intact, problems
from plumbline.secrets.external.status import READY
from plumbline.secrets.generators.finding import unspoken
from plumbline.secrets.generators.making import RUN

_LEFT_ALONE: Final = frozenset({"Orphan", "None"})
"""Policies under which a Secret that was changed or deleted waits for the next refresh."""

_ABSENT: Final = frozenset({"SecretDeleted", "SecretMissing"})
"""What is said while there need not be a Secret."""

_GLANCE_S: Final = 5.0
_OF_CLUSTER: Final = "ClusterGenerator"

log = logger(__name__)


class Preparing:
    def __init__(self, around: Around) -> None:
        self._around = around

    async def unless_foreign(self, run: Look, _: object) -> At | Stop:
        for named in store_names(run.spec):
            try:
                known = self._around.stores.found(named, key_of(run)[0])
            except InvalidInput:
                continue  # said below, to whoever uses it
            if known is not None and not self._around.ours(known.spec.controller):
                return FOREIGN
        return At()

    async def acceptable(self, run: Look, at: At) -> At | Stop:
        found = [*problems(run.spec), *_unspoken(run)]
        return stuck(self._around, run, "the ExternalSecret cannot be used", "; ".join(found)) if found else at

    async def due(self, run: Look, at: At) -> At | Stop:
        """Go on where the values are old, the Secret is not as it was left, or what is said is that something is wrong."""
        now = self._around.world.clock.now()
        found = due(asked_of(run), now)
        said = Object(run.object).condition(READY)
        try:
            if found.now or (said is not None and said.status != "True") or not await self._is_right(run):
                return at._replace(began=now)
        except Transient as error:
            log.info("secret not compared", code=error.code)
            return Done(_GLANCE_S)  # all that is known is well, and stays said
        return Done(found.after_s)

    async def usable(self, run: Look, at: At) -> At | Stop:
        """A store that is not well is said, and not asked."""
        namespace = key_of(run)[0]
        found: dict[str, tuple[KnownStore, list[Question]]] = {}
        try:
            for question in dict.fromkeys(each.question for each in items(run.spec)):
                if question.generator is not None:
                    continue
                store = self._around.stores.usable(question.store, namespace)
                found.setdefault(store.uid, (store, []))[1].append(question)
            for store, _ in found.values():
                store.check_ready()
        except PlumblineError as error:
            return failed(self._around, run, UNFETCHED, error)
        return at._replace(stores=tuple(found.values()))

    async def _is_right(self, run: Look) -> bool:
        """Whether the Secret is as it was left. Its contents are read only where its version is another than then."""
        if run.spec.target.creation_policy in _LEFT_ALONE:
            return True
        key = key_of(run)
        entry = self._around.secrets.cache.get((key[0], target_name(run)))
        if entry is None:
            said = Object(run.object).condition(READY)
            return said is not None and said.status == "True" and said.reason in _ABSENT
        if self._around.memory.right.get(key) == Version.of(entry):
            return True
        try:
            live = decode(await self._around.client.get(target_of(run)))
        except NotFound:
            return False
        if not intact(live, run.spec):
            return False
        view = Object(live)
        self._around.memory.right[key] = Version(view.uid, view.resource_version)
        return True


def _unspoken(run: Look) -> Iterator[str]:
    """What may be asked for, and is not done here."""
    target = run.spec.target
    if target.manifest is not None and (target.manifest.api_version, target.manifest.kind) != ("v1", "Secret"):
        yield f"spec.target.manifest: a {target.manifest.kind} is not made here, Secrets are"
    for index, each in enumerate(run.spec.data_from):
        ref = each.source_ref.generator_ref if each.source_ref is not None else None
        if ref is not None and ref.kind not in {*RUN, _OF_CLUSTER}:
            yield f"spec.dataFrom[{index}]: {unspoken(ref.kind)}"
        if ref is None and each.extract is None and each.find is None:
            yield f"spec.dataFrom[{index}]: a store is named, but neither extract nor find says what to ask it for"
    if not all(each.question.store.name or each.question.generator for each in items(run.spec)):
        yield "spec.secretStoreRef: no store is named"
