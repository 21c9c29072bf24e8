"""What Git asks for: sources resolved, rendered and prepared, each only if it must be."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from plumbline.base.clock import Clock
from plumbline.base.documents import load_json
from plumbline.base.errors import InvalidInput, Refused, Transient
from plumbline.base.json import JsonObject
from plumbline.base.limits import MANIFESTS
from plumbline.delivery.compare.preparing import COMPARISON_ERROR, Prepared, Scope, Subject, Surroundings, prepared
from plumbline.delivery.facts import generate_paths, project_of, sources_of
from plumbline.delivery.integrity import Integrity, unproven
from plumbline.delivery.named import Named
from plumbline.delivery.plainsecrets import WARNING, plain_secrets
from plumbline.delivery.settings.values import Settings
from plumbline.delivery.status import REFRESH, Condition, Summary
from plumbline.delivery.steps.asked import about, begins, syncs
from plumbline.delivery.steps.handed import handed_over, refuse_unsigned, wants_signatures
from plumbline.delivery.steps.pins import held
from plumbline.delivery.steps.state import At, Target
from plumbline.delivery.sync.bodies import images
from plumbline.delivery.targets import Sourced, Targets, Wanted, renders
from plumbline.delivery.values import Desired
from plumbline.delivery.valuesfrom import VALUES_FROM, Terms, ValueSources
from plumbline.kernel.cache import Key
from plumbline.kernel.reconciler import Run, reports
from plumbline.kinds.application import (
    APPLICATION,
    ApplicationSource,
    ApplicationSpec,
    ApplicationStatus,
    OperationState,
    RevisionHistory,
)
from plumbline.kube.names import GroupKind, GroupVersionKind
from plumbline.kube.object import Object
from plumbline.render import requests
from plumbline.render.detection import PATH_MISSING
from plumbline.render.requests import App, Rendered

_CRD: Final = "CustomResourceDefinition"
_UNUSED: Final = Condition(
    "ValuesFromWarning",
    f"The annotation {VALUES_FROM} has no effect: plain manifests take no values, only charts, kustomizations and Jsonnet do",
)

Look = Run[ApplicationSpec, ApplicationStatus]


class Asking(NamedTuple):
    """How a target is asked for."""

    fresh: bool = False
    """Repositories are asked now, whatever was heard from them before."""
    anew: bool = False
    """It is rendered whatever was rendered before: what tools fetched, or a plugin made up, is in no key."""
    shown: bool = False
    """It comes, with the objection to it, also where it is not signed as it has to be: to be looked at."""


_AS_USUAL: Final = Asking()


class _Prepared(NamedTuple):
    """The last target of an application, and what it was prepared for."""

    circumstances: tuple[Any, ...]
    target: Target


class Targeting:
    def __init__(
        self, targets: Targets, integrity: Integrity, named: Named, clock: Clock, *, values: ValueSources
    ) -> None:
        self._targets = targets
        self._named = named
        self._integrity = integrity
        self._clock = clock
        self._values = values
        self._last: dict[Key, _Prepared] = {}
        self._handed: dict[Key, _Prepared] = {}
        self._doubted: set[Key] = set()

    def doubt(self, key: Key) -> None:
        """Whatever was rendered for it before, the next look renders anew, as where somebody asks for a hard refresh."""
        self._doubted.add(key)

    def forget(self, key: Key) -> None:
        self._doubted.discard(key)
        self._last.pop(key, None)
        self._handed.pop(key, None)
        self._values.forget(key)
        self._named.replace(key, frozenset())

    @reports("ComparisonError")
    async def sought(self, run: Look, at: At) -> At:
        """`targeted`, or why not: that ends the look, once it is known how what is live fares."""
        try:
            return await self.targeted(run, at)
        except (Refused, Transient) as broken:
            return replace(at, broken=broken)

    async def targeted(self, run: Look, at: At) -> At:
        annotations = Object(run.object).annotations
        pin, key = held(annotations, self._clock.now()), (at.facts.namespace, at.facts.name)
        anew = annotations.get(REFRESH) == "hard" or key in self._doubted
        self._doubted.discard(key)  # once, also where it fails: what is wrong is not tried with every look
        fresh = anew or REFRESH in annotations or begins(run) or self._unseen(run)
        try:
            asking = Asking(fresh, anew, shown=not (syncs(run) or any(about(run)[1])))
            target = await self.target(run, at, sources_of(run.spec), pin.revisions, asking)
        except Refused as broken:
            target = await self._begun(run, at, _awaited(broken, run.spec))
        handed = handed_over(run)
        if handed is not None and not wants_signatures(at.project, target.sources):
            target = await self.local(run, at, target, handed.manifests)
            target = target._replace(conditions=(*target.conditions, handed.condition))
        again_s = min(filter(None, (pin.ends_in_s, at.again_in_s)), default=None)
        conditions = (*at.conditions, *pin.conditions, *target.conditions, *target.repositories)
        return replace(at, target=target, conditions=conditions, again_in_s=again_s)

    @reports("ComparisonError")
    async def proven(self, run: Look, at: At) -> At:
        """Nothing that is not signed as the project demands gets past here. What it would change has been seen by now."""
        del run
        assert at.target is not None  # noqa: S101 - the step before has found it
        if at.target.objection:
            raise unproven(at.target.objection)
        return at

    async def _begun(self, run: Look, at: At, broken: Refused) -> Target:
        """What the sync that runs was begun with, or what one that is asked for names.

        It comes to its end, or is ended, whatever is wrong with what is newer.
        """
        sources, revisions = about(run)
        if not any(revisions) or sources != sources_of(run.spec):
            raise broken
        target = await self.target(run, at, sources_of(run.spec), revisions)
        return target._replace(conditions=(*target.conditions, Condition(COMPARISON_ERROR, str(broken))))

    async def target(
        self,
        run: Look,
        at: At,
        sources: tuple[ApplicationSource, ...],
        revisions: tuple[str, ...],
        asking: Asking = _AS_USUAL,
    ) -> Target:
        """What *sources* ask for at *revisions*, or at the newest where none is given."""
        with run.waiting():
            sourced = await self._targets.sourced(await self._wanted(run, at, sources, revisions, fresh=asking.fresh))
            objection = await self._integrity.objection(at.project, sourced.located)
        if objection and (not asking.shown or sourced.values is not None):
            # Values from the cluster are for nobody whom the project does not trust, not even to be looked at.
            raise unproven(objection)
        key = (at.facts.namespace, at.facts.name)
        circumstances = (sourced.keys, sources, _place(run, at), sourced.values_unused, objection)
        if asking.anew:
            self._targets.forget(sourced)
        last = self._last.get(key) if not asking.anew else None
        if last is not None and last.circumstances == circumstances:
            return last.target._replace(
                revisions=sourced.revisions, repositories=self._stale(sources), values=sourced.values
            )
        try:
            target = await self._made(run, at, sources, sourced)
        except Refused as broken:
            if objection:
                raise unproven(objection) from broken
            raise
        target = target._replace(repositories=self._stale(sources), objection=objection)
        self._last[key] = _Prepared(circumstances, target)
        if not objection:
            server = at.destination.cluster.server
            self._named.replace(key, frozenset((server, each.ref) for each in target.desired if each.ref.name))
        return target

    async def tried(self, run: Look, at: At) -> None:
        """Read and render what its sources hold now, and keep nothing of it. Whether it may be used is not asked."""
        wanted = await self._wanted(run, at, sources_of(run.spec), (), fresh=True)
        sourced = await self._targets.sourced(wanted)
        if wanted.values is None or not await self._integrity.objection(at.project, sourced.located):
            await self._targets.rendered(sourced)

    async def local(self, run: Look, at: At, target: Target, manifests: tuple[str, ...]) -> Target:
        """What a person has at hand, instead of *target*, which is in Git. What has to be signed cannot come that way."""
        refuse_unsigned(at.project, target.sources)
        key = (at.facts.namespace, at.facts.name)
        last, circumstances = self._handed.get(key), (manifests, _place(run, at), target.sources)
        if last is None or last.circumstances != circumstances:
            last = self._handed[key] = _Prepared(circumstances, await self._read(run, at, target, manifests))
        made = last.target
        return target._replace(desired=made.desired, summary=made.summary, conditions=made.conditions, keys=made.keys)

    async def _read(self, run: Look, at: At, target: Target, manifests: tuple[str, ...]) -> Target:
        documents = [load_json(text, limits=MANIFESTS, source="a local manifest") for text in manifests]
        objects = [each.value for each in documents if isinstance(each.value, dict)]
        scope = await self._scope(at, objects)
        ready = prepared([objects], subject_of(run, at), Surroundings(at.settings.tracking, scope, _excluded(at)))
        found, server = tuple(_conditions(ready)), at.destination.cluster.server
        named = frozenset((server, each.ref) for each in ready.desired if each.ref.name)
        self._named.replace((at.facts.namespace, at.facts.name), named)
        summary = _summary(ready.desired)
        return target._replace(desired=ready.desired, summary=summary, conditions=found, keys=("local", *manifests))

    async def changed_since(self, run: Look, at: At, last: OperationState) -> bool:
        """Whether what Git asks for now differs from what it asked for when it was last synced."""
        result = last.sync_result
        if result is None or at.target is None or not (result.revisions or result.revision):
            return True
        then = result.sources or ((result.source,) if result.source is not None else ())
        revisions = result.revisions or (result.revision,)
        if then != at.target.sources:
            return True
        sourced = await self._targets.sourced(await self._wanted(run, at, then, revisions, fresh=False))
        return sourced.keys != at.target.keys

    async def asks_otherwise_than(self, run: Look, at: At, entry: RevisionHistory) -> bool:
        """Whether Git asks for other objects now than at a sync of the past; not, where that can no longer be found out."""
        assert at.target is not None  # noqa: S101 - the step before has found it
        then = entry.sources or ((entry.source,) if entry.source is not None else ())
        revisions = entry.revisions or (entry.revision,)
        try:
            sourced = await self._targets.sourced(await self._wanted(run, at, then, revisions, fresh=False))
            if sourced.keys == at.target.keys:
                return False
            before = await self._made(run, at, then, sourced)
        except Refused:
            return False
        return {(each.ref, each.digest) for each in before.desired} != {
            (each.ref, each.digest) for each in at.target.desired
        }

    def _unseen(self, run: Look) -> bool:
        """Whether nobody has looked at these sources yet: whatever was pushed before they were written down is meant.

        A repository that cannot be reached is not waited for: what is known of it is better than nothing. Nor is one that
        has answered just now, since a thousand applications come in one rush: what it got since is followed up soon.
        """
        compared, sources = run.read.status.sync.compared_to, sources_of(run.spec)
        known = compared.sources or ((compared.source,) if compared.source is not None else ()) if compared else ()
        if known == sources or any(self._targets.trouble(each.repo_url) for each in sources):
            return False
        return not self._targets.lately(sources)

    def _stale(self, sources: tuple[ApplicationSource, ...]) -> tuple[Condition, ...]:
        """Repositories that cannot be asked just now: what is known of them is what counts, and how old it is."""
        found = (self._targets.trouble(each.repo_url) for each in sources)
        return tuple(Condition("RepositoryWarning", each) for each in dict.fromkeys(found) if each)

    async def _wanted(
        self, run: Look, at: At, sources: tuple[ApplicationSource, ...], revisions: tuple[str, ...], *, fresh: bool
    ) -> Wanted:
        capabilities = await at.destination.capabilities()
        values = await self._values.values(
            (at.facts.namespace, at.facts.name), Object(run.object).annotations, _terms(run, at)
        )
        return Wanted(sources, revisions, app_of(run, at), capabilities, render_settings(at.settings), fresh, values)

    async def _made(self, run: Look, at: At, sources: tuple[ApplicationSource, ...], sourced: Sourced) -> Target:
        with run.waiting():
            rendered = await self._targets.rendered(sourced)
        objects = [[manifest.object() for manifest in each.manifests] for each in rendered]
        scope = await self._scope(at, [obj for each in objects for obj in each])
        ready = prepared(objects, subject_of(run, at), Surroundings(at.settings.tracking, scope, _excluded(at)))
        conditions = (*_conditions(ready), *_warnings(rendered), *((_UNUSED,) if sourced.values_unused else ()))
        types = _types(sourced, rendered)
        summary = _summary(ready.desired)
        return Target(
            sources, sourced.revisions, sourced.keys, types, ready.desired, summary, conditions, values=sourced.values
        )

    async def _scope(self, at: At, objects: Iterable[JsonObject]) -> Scope:
        """Where kinds live: as the cluster says, else as a definition among the objects themselves says."""
        known: dict[GroupVersionKind, bool | None] = {}
        defined = _defined(objects)
        for gvk in {GroupVersionKind.of(obj) for obj in objects}:
            resource = await at.destination.live.kinds.resource(gvk)
            known[gvk] = resource.namespaced if resource is not None else defined.get(gvk.group_kind)
        return known.get


def _place(run: Look, at: At) -> tuple[object, ...]:
    """Where objects go, and what they are given for it."""
    server, settings = at.destination.cluster.server, at.settings
    return server, run.spec.destination.namespace, settings.tracking, settings.filter


def _awaited(error: Refused, spec: ApplicationSpec) -> Refused:
    """What is said where manifests are written to one branch, and nobody has moved them to the one that is synced yet."""
    hydrator = spec.source_hydrator
    if hydrator is None or hydrator.hydrate_to is None or error.why != PATH_MISSING:
        return error
    synced, written = hydrator.sync_source.target_branch, hydrator.hydrate_to.target_branch
    return InvalidInput(
        error.what, why=f"{error.why} - waiting for an external process to update {synced} from {written}"
    )


def app_of(run: Look, at: At) -> App:
    """The application as manifests can depend on it."""
    return App(
        name=at.facts.name,
        instance_name=at.facts.instance,
        namespace=run.spec.destination.namespace,
        project=project_of(run.spec),
        generate_paths=generate_paths(Object(run.object).annotations),
    )


def _terms(run: Look, at: At) -> Terms:
    """On which an application is given values."""
    destination = run.spec.destination.namespace
    return Terms(at.project, at.facts.control_namespace, destination, at.destination.cluster.local)


def subject_of(run: Look, at: At) -> Subject:
    policy = run.spec.sync_policy
    return Subject(
        name=at.facts.name,
        namespace=at.facts.namespace,
        instance=at.facts.instance,
        destination=run.spec.destination.namespace,
        sync_options=policy.sync_options if policy is not None else (),
        managed_namespace=policy.managed_namespace_metadata if policy is not None else None,
    )


def _defined(objects: Iterable[JsonObject]) -> Mapping[GroupKind, bool]:
    """Kinds that the objects define themselves, and whether they live in namespaces."""
    found: dict[GroupKind, bool] = {}
    for obj in objects:
        spec = obj.get("spec") if obj.get("kind") == _CRD else None
        names = spec.get("names") if isinstance(spec, dict) else None
        if isinstance(spec, dict) and isinstance(names, dict):
            found[GroupKind(str(spec.get("group")), str(names.get("kind")))] = spec.get("scope") == "Namespaced"
    return found


def _conditions(ready: Prepared) -> Iterable[Condition]:
    return (Condition(each.type, each.message) for each in ready.conditions)


def _warnings(rendered: Sequence[Rendered]) -> Iterable[Condition]:
    yield from (Condition("RenderWarning", warning) for each in rendered for warning in each.warnings)
    yield from (Condition(WARNING, sentence) for sentence in plain_secrets(rendered))


def _types(sourced: Sourced, rendered: Sequence[Rendered]) -> tuple[str, ...]:
    """By what each source was rendered: as many as there are sources, with nothing for those that others only refer to."""
    found = iter(rendered)
    return tuple(next(found).source_type if renders(each.source) else "" for each in sourced.located)


def _summary(desired: Iterable[Desired]) -> Summary:
    found = {image for each in desired for image in images(each.body)}
    children = any(each.gvk.group_kind == APPLICATION.group_kind for each in desired)
    return Summary(tuple(sorted(found)), (), children)


def _excluded(at: At) -> Any:
    server = at.destination.cluster.server
    return lambda kind: at.settings.filter.excludes(kind.group, kind.kind, server)


def render_settings(settings: Settings) -> requests.Settings:
    """What the installation says about rendering."""
    said = settings.rendering
    disabled = [(said.helm.enabled, "Helm"), (said.kustomize.enabled, "Kustomize"), (said.jsonnet, "Directory")]
    return requests.Settings(
        disabled=frozenset(name for enabled, name in disabled if not enabled),  # type: ignore[misc]  # names of types
        kustomize_build_options=said.kustomize.build_options,
        kustomize_build_options_by_version={name: each.build_options for name, each in said.kustomize.versions.items()},
        kustomize_programs={name: each.path for name, each in said.kustomize.versions.items()},
        kustomize_remote=said.kustomize.remote,
        helm_value_file_schemes=said.helm.value_file_schemes,
        directory_bytes=said.directory_bytes,
    )
