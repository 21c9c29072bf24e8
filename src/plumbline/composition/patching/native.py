"""Mode Resources: a composition's own `resources`, `patchSets` and `environment`, as Crossplane 1.x composes them.

    function = native(revision.spec)        once for each revision; keep it
    answer = await function.run(call)       once for each composite

It is a Function, with the rules of the mode where they differ from those of functions; whoever calls it has to know:

- `call.observed.resources` are bound to templates by name. Templates without names are bound by their place: bind what
  `resourceRefs` has at a place to `function.names` at the same place, keep that order (and empty places) when writing
  it, and put no resource name annotation on what is composed. `function.anonymous` says so.
- What could not be rendered because a patch failed is in `answer.left_alone` and not in `answer.desired`: it is neither
  applied nor dropped, and the composite is neither synced nor ready. A Warning says why.
- `answer.desired.composite` has what patches wrote, in the spec as well as in the status, and nothing else; a list that
  was written to is there as a whole.
- A Fatal answer that has resources failed late: upstream has applied them by then. Apply them or do not; nothing of
  `answer.desired.composite` counts.
- Ready is True or False, never unspecified.
"""

from typing import Final, NamedTuple

from plumbline.base.errors import EvaluationFailed, FieldNotFound, InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import ENVIRONMENT, Answer, Call, Resource, Result, State
from plumbline.composition.patching.bases import checked_base, environment, identified
from plumbline.composition.patching.connections import Details
from plumbline.composition.patching.patches import ENDS, ENVIRONMENT_ENDS, FAULTS, End, Patch, PatchSets, Target
from plumbline.composition.patching.readiness import Checks
from plumbline.composition.patching.templates import Resources, ResourceTemplate, read
from plumbline.kube.fieldpath import Draft, Segments, merged, value_at
from plumbline.kube.gotext import quoted

_FIELDS: Final = ("patchSets", "environment", "resources")


def native(spec: JsonObject) -> "Native":
    """The function that composes what *spec*, of a composition or of a revision of one, says. Its faults are Fatal results."""
    return Native(spec)


class _Template(NamedTuple):
    name: str
    base: Json
    patches: tuple[Patch, ...]
    details: Details
    checks: Checks

    @classmethod
    def of(cls, name: str, template: ResourceTemplate, patch_sets: PatchSets) -> "_Template":
        return cls(
            name,
            template.base,
            patch_sets.inlined(template.patches or ()),
            Details(template.connection_details or (), native=True),
            Checks(template.readiness_checks or (), native=True),
        )


class Native:
    def __init__(self, spec: JsonObject) -> None:
        self.anonymous = False
        self.names: tuple[str, ...] = ()
        """What templates are called, in their order."""
        self._templates: tuple[_Template, ...] = ()
        self._environment: tuple[Patch, ...] = ()
        self._fault = ""
        try:
            self._read(read({key: spec[key] for key in _FIELDS if key in spec}, Resources))
        except InvalidInput as fault:
            self._fault = f"cannot inline Composition patch sets: {fault}"

    def _read(self, given: Resources) -> None:
        templates = given.resources or ()
        self.anonymous = any(each.name is None for each in templates)
        self.names = tuple(
            f"resource {at}" if each.name is None else each.name for at, each in enumerate(templates, start=1)
        )
        patch_sets = PatchSets(given.patch_sets or (), native=True)
        named = zip(self.names, templates, strict=True)
        self._templates = tuple(_Template.of(name, each, patch_sets) for name, each in named)
        patches = given.environment.patches or () if given.environment else ()
        self._environment = tuple(
            Patch(each, ENVIRONMENT_ENDS[each.kind], native=True) for each in patches if each.kind in ENVIRONMENT_ENDS
        )

    async def run(self, call: Call) -> Answer:
        return self.answer(call)

    def answer(self, call: Call) -> Answer:
        run = _Run(call)
        if self._fault:
            return Answer(desired=call.desired, context=call.context, results=(Result("Fatal", self._fault),))
        try:
            run.patch_environment(self._environment)
            rendered = [(each, run.render(each)) for each in self._templates]
        except EvaluationFailed as fault:
            return Answer(desired=call.desired, context=call.context, results=(*run.results, _fatal(fault)))
        late = None
        try:
            for template, desired in rendered:
                run.observe(template, desired)
        except EvaluationFailed as fault:
            late = _fatal(fault)
        return run.answer(rendered, late)


def _fatal(fault: EvaluationFailed) -> Result:
    return Result("Fatal", str(fault))


class _Run:
    """One call. Methods raise EvaluationFailed for what is fatal."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._xr = call.observed.composite.resource
        self.results: list[Result] = []
        self._targets: dict[End, Target] = {"composite": Target(self._xr), "environment": environment(call)}
        self._connection: dict[str, Plaintext] = dict(call.desired.composite.connection)
        self._ready: dict[str, bool] = {}
        self._written: list[Segments] = []

    def patch_environment(self, patches: tuple[Patch, ...]) -> None:
        for at, each in enumerate(patches):
            try:
                self._apply(each, {})
            except FAULTS as fault:
                what = f"cannot apply the {quoted(each.kind)} environment patch at index {at}"
                raise EvaluationFailed(f"{what}: {fault}") from fault

    def render(self, template: _Template) -> JsonObject | None:
        """None where a patch failed."""
        observed = self._call.observed.resources.get(template.name)
        self._targets["composed"] = target = Target(_begun(template, observed))
        try:
            self._patch(template, "composed", {})
        except EvaluationFailed as fault:
            what = f"cannot render FromComposite patches for composed resource {quoted(template.name)}"
            self.results.append(Result("Warning", f"{what}: {fault}"))
            return None
        return _kept(template, target.object, observed.resource) if observed is not None else target.object

    def observe(self, template: _Template, desired: JsonObject | None) -> None:
        observed = self._call.observed.resources.get(template.name)
        if observed is None or desired is None:
            return
        name = quoted(template.name)
        what = f"cannot render ToComposite patches for composed resource {name}"
        try:
            self._patch(template, "composite", observed.resource)
            self._patch(template, "environment", observed.resource)
            what = f"cannot extract composite resource connection details from composed resource {name}"
            self._connection.update(template.details.of(observed))
            what = f"cannot check whether composed resource {name} is ready"
            self._ready[template.name] = template.checks.passed(observed.resource)
        except EvaluationFailed as fault:
            raise EvaluationFailed(f"{what}: {fault}") from fault

    def _patch(self, template: _Template, target: End, observed: JsonObject) -> None:
        for at, each in enumerate(template.patches):
            if each.target != target or each.kind not in ENDS:
                continue
            try:
                self._apply(each, observed)
            except FAULTS as fault:
                what = f"cannot apply the {quoted(each.kind)} patch at index {at}"
                raise EvaluationFailed(f"{what}: {fault}") from fault

    def _apply(self, patch: Patch, observed: JsonObject) -> None:
        source = observed
        if patch.source != "composed":
            source = self._xr if patch.source == "composite" else self._targets["environment"].object
        try:
            value = patch.value(source, floats=False)
        except FieldNotFound:
            if patch.required:
                raise
            return
        patch.write(value, self._targets[patch.target])
        if patch.target == "composite":
            self._written.append(patch.to.segments)

    def answer(self, rendered: list[tuple[_Template, JsonObject | None]], late: Result | None) -> Answer:
        resources: dict[str, Resource] = dict(self._call.desired.resources)
        for template, desired in rendered:
            if desired is not None:
                ready = self._ready.get(template.name, False)
                resources[template.name] = Resource(desired, ready="True" if ready else "False")
        composite = Resource(self._changes(), self._connection, self._call.desired.composite.ready)
        return Answer(
            desired=State(composite, resources),
            context={**self._call.context, ENVIRONMENT: self._targets["environment"].object},
            results=(*self.results, late) if late else tuple(self.results),
            left_alone=frozenset(template.name for template, desired in rendered if desired is None),
        )

    def _changes(self) -> JsonObject:
        """What patches wrote to the composite. Lists are whole: whoever applies one applies all of it."""
        xr = self._targets["composite"].object
        wanted: JsonObject = {key: xr[key] for key in ("apiVersion", "kind") if key in xr}
        draft = Draft({**self._call.desired.composite.resource, **wanted})
        for segments in self._written:
            names = [at for at, each in enumerate(segments) if isinstance(each, int) or each == "*"]
            path = segments[: names[0]] if names else segments
            draft.put(path, value_at(xr, path))
        return draft.object


def _begun(template: _Template, observed: Resource | None) -> JsonObject:
    """The base, with the name of what is there: that of the template never counts."""
    like = observed.resource if observed is not None else {}
    what = f"cannot parse base template of composed resource {quoted(template.name)}"
    try:
        base = checked_base(template.base)
    except EvaluationFailed as fault:
        raise EvaluationFailed(f"{what}: cannot unmarshal JSON data: {fault}") from fault
    if observed is not None and like.get("kind") != base["kind"]:
        raise EvaluationFailed(
            f"{what}: cannot change the kind of a composed resource from {_kind(like)} to {_kind(base)} "
            "(possible composed resource template mismatch)"
        )
    return identified(base, like)


def _kind(of: JsonObject) -> str:
    group, slash, version = str(of.get("apiVersion", "")).rpartition("/")
    return f"{group if slash else ''}/{version}, Kind={of.get('kind', '')}"


def _kept(template: _Template, desired: JsonObject, live: JsonObject) -> JsonObject:
    """*desired* with what is there merged in where a patch says how: upstream does that again when it applies."""
    draft = Draft(desired)
    for each in template.patches:
        if each.options is None or each.target != "composed" or each.to.wild:
            continue
        try:
            wanted, existing = (value_at(of, each.to.segments) for of in (draft.object, live))
        except FAULTS:
            continue
        if wanted is not None:
            draft.put(each.to.segments, merged(existing, wanted, each.options))
    return draft.object
