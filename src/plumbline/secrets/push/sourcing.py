"""Whether it is time, what is to be pushed, and where to."""

from datetime import timedelta

import msgspec

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError, Unresolved
from plumbline.gotemplate import Surroundings
from plumbline.kernel.outcomes import Done, Stop, Stuck
from plumbline.kinds.externalsecrets.pushsecret import PushStoreRef
from plumbline.kube.client import Target
from plumbline.kube.object import Object
from plumbline.kube.selectors import LabelSelector
from plumbline.secrets.external.asking import StoreName
from plumbline.secrets.external.looking import SECRETS, version_of
from plumbline.secrets.external.shaping import values_of
from plumbline.secrets.external.shaping.templating import rendered
from plumbline.secrets.external.sources import found, sources_of
from plumbline.secrets.external.status import READY
from plumbline.secrets.push.looking import FOREIGN, REASON, Around, At, Look, Versions, failed, key_of
from plumbline.secrets.push.pieces import Source, check_sole

_UNSOURCED = "could not get source secret"
_GENERATED = "___generated-secret"


class Sourcing:
    def __init__(self, around: Around) -> None:
        self._around = around

    async def acceptable(self, run: Look, _: object) -> At | Stop:
        spec = run.spec
        if spec.data_to:
            return Stuck(REASON, "spec.dataTo is not done here: name the values in spec.data, one by one")
        chosen = spec.selector.secret
        if spec.selector.generator_ref is None and (chosen is None or not (chosen.name or chosen.selector)):
            return Stuck(REASON, "no secret selector provided")
        return At(self._around.world.clock.now())

    async def due(self, run: Look, at: At) -> At | Stop:
        """Go on where something is another than when it was pushed, the time has come, or something is wrong."""
        status, interval_s = run.read.status, run.spec.refresh_interval.seconds
        try:
            versions = self._versions(run)
        except InvalidInput as error:
            return failed(self._around, run, _UNSOURCED, error)
        said = Object(run.object).condition(READY)
        refreshed = status.refresh_time
        fresh = status.synced_resource_version == version_of(run.object) and refreshed is not None
        if not fresh or refreshed is None or said is None or said.status != "True":
            return at._replace(versions=versions)
        if interval_s <= 0:
            return Done()
        if run.spec.selector.generator_ref is None and self._around.pushed.get(key_of(run)) != versions:
            return at._replace(versions=versions)
        next_at = refreshed.moment + timedelta(seconds=interval_s)
        if refreshed.moment > at.began or next_at <= at.began:
            return at._replace(versions=versions)
        return Done((next_at - at.began).total_seconds())

    async def sourced(self, run: Look, at: At) -> At | Stop:
        try:
            source = await self._source(run, at.versions)
            return at._replace(source=await self._templated(run, source))
        except PlumblineError as error:
            return failed(self._around, run, _UNSOURCED, error)

    async def reached(self, run: Look, at: At) -> At | Stop:
        """The stores that are ours, each usable from here, and each place in them with nobody else in it."""
        namespace, found_stores = key_of(run)[0], []
        try:
            named = dict.fromkeys(each for ref in run.spec.secret_store_refs for each in self._named(ref, namespace))
            for each in named:
                store = self._around.stores.usable(each, namespace)
                if "deletionTimestamp" not in store.object["metadata"] and self._around.ours(store.spec.controller):
                    store.check_ready()
                    found_stores.append((each, store))
            if not named:
                raise Unresolved("no store fits spec.secretStoreRefs", sought=("", "SecretStore", namespace, ""))
            self._check_sole(run, [each for each, _ in found_stores])
        except PlumblineError as error:
            return failed(self._around, run, "set secret failed", error)
        return at._replace(stores=tuple(found_stores)) if found_stores else FOREIGN

    def _check_sole(self, run: Look, stores: list[StoreName]) -> None:
        cache = self._around.pushes.cache
        me = cache.get(key_of(run))
        for store in stores if me is not None else ():
            for data in run.spec.data:
                check_sole(me, cache, store, data.match.remote_ref)  # type: ignore[arg-type] # mypy forgets the test above

    def _named(self, ref: PushStoreRef, namespace: str) -> list[StoreName]:
        if ref.label_selector is None:
            if not ref.name:
                raise InvalidInput("refStore Name must be provided")
            return [StoreName(ref.kind, ref.name)]
        selector = LabelSelector.from_object(msgspec.to_builtins(ref.label_selector))
        return self._around.stores.selected(ref.kind, selector, namespace)

    def _versions(self, run: Look) -> Versions:
        namespace, chosen = key_of(run)[0], run.spec.selector.secret
        if chosen is None:
            return ()
        cache = self._around.secrets.cache
        if chosen.name:
            entry = cache.get((namespace, chosen.name))
            entries = [entry] if entry is not None else []
        else:
            selector = LabelSelector.from_object(msgspec.to_builtins(chosen.selector))
            entries = [
                each for each in cache if each.meta.namespace == namespace and selector.matches(each.meta.labels)
            ]
        return tuple(sorted((each.meta.name, each.meta.uid, each.meta.resource_version) for each in entries))

    async def _source(self, run: Look, versions: Versions) -> Source:
        namespace, selector = key_of(run)[0], run.spec.selector
        if selector.generator_ref is not None:
            return Source(_GENERATED, await self._around.generators.values(selector.generator_ref, namespace))
        chosen = selector.secret.name if selector.secret is not None else ""
        names = [chosen] if chosen else [name for name, _, _ in versions]
        if len(names) > 1:
            raise InvalidInput(
                f"{len(names)} Secrets fit the selector",
                why=f"{', '.join(names[:5])} would overwrite each other in the store",
                hint="Choose one, by its name or by a label that no other has.",
            )
        live = await found(self._around.client, Target(SECRETS, namespace, names[0])) if names else None
        if live is None:
            sought = ("", "Secret", namespace, chosen)
            raise Unresolved(f"There is no Secret {chosen}".rstrip(), why="nothing fits spec.selector", sought=sought)
        view = Object(live)
        return Source(view.name, values_of(live), str(live.get("type") or ""), view.labels, view.annotations)

    async def _templated(self, run: Look, source: Source) -> Source:
        template, world = run.spec.template, self._around.world
        if template is None:
            return source
        sources = await sources_of(self._around.client, template, key_of(run)[0])
        beside = msgspec.structs.replace(template, merge_policy="Merge")
        surroundings = Surroundings(world.clock.now, world.ids)
        try:
            made = await self._around.aside(lambda: rendered(beside, source.entries, sources, surroundings))
        except (InvalidInput, NotFound) as error:
            raise InvalidInput("could not execute template", why=str(error), hint=error.hint) from error
        return source._replace(
            entries=made.values,
            type=template.type,
            labels={**source.labels, **made.labels},
            annotations={**source.annotations, **made.annotations},
        )
