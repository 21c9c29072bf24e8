"""Everything that must be there before the tool is run: the source, what it depends on, and what goes in."""

from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError, Unresolved
from plumbline.base.json import JsonObject
from plumbline.base.tree import Tree, joined, read_text
from plumbline.gate.hands import Behalf
from plumbline.gotemplate import Surroundings
from plumbline.kernel.installing import AS_US
from plumbline.kernel.outcomes import Stop, Stuck, Wait
from plumbline.kinds.flux.terraform import TERRAFORM, TerraformSpec, TerraformStatus
from plumbline.kinds.read import Read, read
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.terraform.around import Around
from plumbline.terraform.checks import Dependency, cycle, cycle_message, dependencies, unmet
from plumbline.terraform.inputs import RENDERED_FILE, TEMPLATE_FILE, Gathered, Ungathered, gathered, rendered_main
from plumbline.terraform.looking import At, Look, failed, retry_s
from plumbline.terraform.state import Place
from plumbline.terraform.work import Placed

DEPENDANT: Final = "tf.dependency.of."
"""Begins the finalizer that keeps an object for the one that depends on it."""


class Preparing:
    def __init__(self, around: Around) -> None:
        self._around = around
        self._surroundings = Surroundings(around.world.clock.now, around.world.ids)

    async def sourced(self, run: Look, at: At) -> At | Stop:
        ref, own = run.spec.source_ref, run.object["metadata"]["namespace"]
        namespace = ref.namespace or own
        if namespace != own and not self._around.across_namespaces:
            return Stuck("AccessDenied", f"{ref.kind} {namespace}/{ref.name} is in another namespace")
        try:
            with run.waiting():
                found = await self._around.sources.tree(ref, namespace)
        except NotFound as missing:
            return Stuck("ArtifactFailed", str(missing))
        except Unresolved as unready:
            return Wait("ArtifactFailed", str(unready), retry_s(run))
        except PlumblineError as error:
            return failed(run, "ArtifactFailed", error)
        return at._replace(sourced=found)

    async def depended(self, run: Look, at: At) -> At | Stop:
        """What it depends on is there, and stays while this is."""
        assert at.sourced is not None  # noqa: S101 - the step before this one
        own = Ref.of(run.object)
        if not run.spec.depends_on:
            return at
        if way := cycle(own, self._depends_on):
            return Stuck("DependencyNotReady", cycle_message(way))
        known = {ref: await self._dependency(run, ref) for ref in self._within_reach(own, run.spec)}
        missing = unmet(run.read, at.sourced.revision, known, cross_namespace=self._around.across_namespaces)
        if missing:
            return Wait(missing[0].reason, "; ".join(each.message for each in missing), retry_s(run))
        return at

    def _within_reach(self, own: Ref, spec: TerraformSpec) -> tuple[Ref, ...]:
        """What *own* depends on, without what is none of its business: nobody else's object is held, or let go, for it."""
        everywhere = self._around.across_namespaces
        return tuple(each for each in dependencies(own, spec) if everywhere or each.namespace == own.namespace)

    def _depends_on(self, ref: Ref) -> tuple[Ref, ...]:
        found = self._subject(ref)
        return self._within_reach(ref, found.spec) if found is not None else ()

    def _subject(self, ref: Ref) -> Read[TerraformSpec, TerraformStatus] | None:
        obj = self._around.terraform((ref.namespace, ref.name))
        try:
            return read(TERRAFORM, obj) if obj is not None else None
        except InvalidInput:
            return None

    async def _dependency(self, run: Look, ref: Ref) -> Dependency:
        subject = self._subject(ref)
        if subject is None:
            return Dependency(None)
        await self._hold(run, subject.raw)
        wanted = subject.spec.write_outputs_to_secret
        there = wanted is None or await self._around.reader.secret(ref.namespace, wanted.name) is not None
        return Dependency(subject, there)

    async def gathered(self, run: Look, at: At) -> At | Stop:
        assert at.sourced is not None  # noqa: S101 - a step before this one
        try:
            found = await gathered(Ref.of(run.object), run.spec, self._around.reader, self._around.terms)
            if isinstance(found, Ungathered):
                return failed(run, found.reason, found.error)
            tree = at.sourced.tree
            templated = await self._around.aside(lambda: _templated(found, tree, self._surroundings))
        except PlumblineError as error:
            return failed(run, "TemplateGenerationFailed", error)
        return at._replace(gathered=templated, place=_place(templated))

    async def _hold(self, run: Look, obj: JsonObject) -> None:
        finalizers = list(obj["metadata"].get("finalizers") or ())
        mark = f"{DEPENDANT}{run.object['metadata']['name']}"
        if mark in finalizers or obj["metadata"].get("deletionTimestamp"):
            return
        await self._patch(run, obj, [*finalizers, mark])

    async def let_go(self, run: Look) -> None:
        """Nothing that this depended on is kept for it any longer."""
        mark = f"{DEPENDANT}{run.object['metadata']['name']}"
        for each in self._within_reach(Ref.of(run.object), run.spec):
            obj = self._around.terraform((each.namespace, each.name))
            finalizers = list(obj["metadata"].get("finalizers") or ()) if obj is not None else []
            if obj is not None and mark in finalizers:
                await self._patch(run, obj, [kept for kept in finalizers if kept != mark])

    def needed_by(self, run: Look) -> list[str]:
        """Names of those that depend on it. A mark of one that is gone, or that depends on it no more, keeps nothing."""
        own = Ref.of(run.object)
        finalizers = run.object["metadata"].get("finalizers") or ()
        marked = (each.removeprefix(DEPENDANT) for each in finalizers if each.startswith(DEPENDANT))
        return [each for each in marked if self._depends(own._replace(name=each), own)]

    def _depends(self, dependant: Ref, own: Ref) -> bool:
        if self._around.across_namespaces:
            return True  # a mark does not say in which namespace the one is whose it is
        there = self._around.terraform((dependant.namespace, dependant.name))
        return there is not None and (self._subject(dependant) is None or own in self._depends_on(dependant))

    async def unmarked(self, run: Look) -> bool:
        """Take off the marks of those that do not need it; whether there were any."""
        finalizers = list(run.object["metadata"].get("finalizers") or ())
        kept = [each for each in finalizers if not each.startswith(DEPENDANT)]
        if kept == finalizers:
            return False
        await self._patch(run, run.object, kept)
        return True

    async def _patch(self, run: Look, obj: JsonObject, finalizers: list[str]) -> None:
        metadata = obj["metadata"]
        target = Target(TERRAFORM.resource, metadata["namespace"], metadata["name"])
        change: JsonObject = {"metadata": {"finalizers": finalizers}}
        await self._around.hands.patch(target, obj, change, AS_US, Behalf.of("terraform", run.object))


def _place(found: Gathered) -> Place | None:
    kept = found.kept
    return None if kept is None else Place(kept.namespace, found.workplace.workspace, kept.suffix)


def _templated(found: Gathered, tree: Tree, surroundings: Surroundings) -> Gathered:
    """With main.tf made of its template, where the module brings one."""
    path = joined(found.workplace.path, TEMPLATE_FILE)
    if tree.entry(path) is None:
        return found
    rendered = rendered_main(read_text(tree, path).decode(errors="replace"), found.variables, surroundings)
    files = (*found.workplace.files, Placed("module", RENDERED_FILE, rendered))
    return found._replace(workplace=msgspec.structs.replace(found.workplace, files=files))
