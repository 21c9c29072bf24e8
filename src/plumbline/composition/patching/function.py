"""function-patch-and-transform: input `pt.fn.crossplane.io/v1beta1`, kind Resources.

    answer = await PatchAndTransform().run(call)

What the input says is read, checked and prepared once and kept by what it says, so that each call costs its patches
only. Differences from upstream: whole numbers larger than 2^53 stay exact, and MatchInteger finds whole numbers at all
(upstream sees numbers as floats, and its check finds no integers among them). Transforms do see floats, as upstream's
do: `%d` needs a conversion to int64 first.
"""

from collections import OrderedDict
from typing import Final, NamedTuple

from plumbline.base.errors import EvaluationFailed, FieldNotFound, InvalidInput
from plumbline.base.json import Json, JsonObject, encode
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import ENVIRONMENT, Answer, Call, Resource, Result, State
from plumbline.composition.patching.bases import checked_base, environment, identified
from plumbline.composition.patching.connections import ConnectionSecret, Details
from plumbline.composition.patching.govalues import settled
from plumbline.composition.patching.patches import ENVIRONMENT_ENDS, FAULTS, End, Patch, PatchFault, PatchSets, Target
from plumbline.composition.patching.readiness import Checks
from plumbline.composition.patching.templates import FunctionInput, ResourceTemplate, read_strictly
from plumbline.composition.patching.validation import check_input
from plumbline.kube.gotext import quoted

_MOST_KEPT: Final = 512
_INPUT: Final = (
    "cannot get Function input: cannot get function input *v1beta1.Resources from *v1.RunFunctionRequest: "
    "cannot unmarshal JSON from *structpb.Struct into *v1beta1.Resources"
)


class PatchAndTransform:
    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Program] = OrderedDict()
        self._last: tuple[JsonObject | None, Program] | None = None

    async def run(self, call: Call) -> Answer:
        """What is wrong with the input, or comes of it, is a Fatal result."""
        try:
            program = self._program(call.input)
        except InvalidInput as fault:
            return fatal(call, (), str(fault))
        return program.answer(call)

    def _program(self, given: JsonObject | None) -> "Program":
        last = self._last
        if last is not None and last[0] is given:
            return last[1]
        key = encode(given)
        program = self._known.get(key)
        if program is None:
            program = self._known[key] = prepared(given)
            if len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        self._last = given, program
        return program


def prepared(given: JsonObject | None) -> "Program":
    """What *given* asks for, ready to be done many times. Raises InvalidInput, in upstream's words."""
    try:
        read = read_strictly(settled(given) or {})
    except (EvaluationFailed, InvalidInput) as fault:
        raise InvalidInput(f"{_INPUT}: {fault}") from fault
    try:
        check_input(read)
    except InvalidInput as fault:
        raise InvalidInput(f"invalid Function input: {fault}") from fault
    try:
        return Program(read)
    except InvalidInput as fault:
        raise InvalidInput(f"cannot resolve PatchSets: {fault}") from fault


class _Template(NamedTuple):
    name: str
    base: Json
    patches: tuple[Patch, ...]
    details: Details
    checks: Checks

    @classmethod
    def of(cls, template: ResourceTemplate, patch_sets: PatchSets) -> "_Template":
        return cls(
            template.name or "",
            template.base,
            patch_sets.inlined(template.patches or ()),
            Details(template.connection_details or (), native=False),
            Checks(template.readiness_checks or (), native=False),
        )


class Program:
    """An input that was read and checked."""

    def __init__(self, given: FunctionInput) -> None:
        """Raises InvalidInput."""
        patch_sets = PatchSets(given.patch_sets or (), native=False)
        self.templates = tuple(_Template.of(each, patch_sets) for each in given.resources or ())
        patches = given.environment.patches if given.environment else None
        self.environment = tuple(Patch(each, ENVIRONMENT_ENDS[each.kind], native=False) for each in patches or ())
        self.secret = ConnectionSecret(given.write_connection_secret_to_ref)

    def answer(self, call: Call) -> Answer:
        run = _Run(call)
        try:
            run.patch_environment(self.environment)
            for each in self.templates:
                run.compose(each)
            run.compose_secret(self.secret)
        except EvaluationFailed as fault:
            return fatal(call, tuple(run.results), str(fault))
        return run.answer()


def fatal(call: Call, results: tuple[Result, ...], message: str) -> Answer:
    """Everything stays as earlier steps wanted it."""
    return Answer(desired=call.desired, context=call.context, results=(*results, Result("Fatal", message)))


class _Run:
    """One call. Methods raise EvaluationFailed for what is fatal."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.results: list[Result] = []
        self._xr = call.observed.composite.resource
        wanted = {key: self._xr.get(key, "") for key in ("apiVersion", "kind")}
        self._targets: dict[End, Target] = {
            "composite": Target({**call.desired.composite.resource, **wanted}),
            "environment": environment(call),
        }
        self._untouched = True
        self._connection: dict[str, Plaintext] = dict(call.desired.composite.connection)
        self._resources: dict[str, Resource] = dict(call.desired.resources)
        self._skipped = False

    def patch_environment(self, patches: tuple[Patch, ...]) -> None:
        for at, each in enumerate(patches):
            try:
                self._apply(each, None)
            except FAULTS as fault:
                if isinstance(fault, FieldNotFound) and not each.required:
                    continue
                what = f"cannot apply the {quoted(each.kind)} environment patch at index {at}"
                raise EvaluationFailed(f"{what}: {fault}") from fault

    def compose(self, template: _Template) -> None:
        desired = self._begun(template)
        observed = self._call.observed.resources.get(template.name)
        ready = False
        if observed is not None:
            desired = identified(desired, observed.resource)
            ready = self._look(template, observed)
        target = self._targets["composed"] = Target(desired)
        for at, each in enumerate(template.patches):
            if observed is None and each.target != "composed":
                continue
            try:
                self._apply(each, observed)
            except FAULTS as fault:
                if not self._tolerated(template, at, fault, exists=observed is not None):
                    self._skipped = True
                    return
        self._resources[template.name] = Resource(target.object, ready="True" if ready else "Unspecified")

    def _begun(self, template: _Template) -> JsonObject:
        name = quoted(template.name)
        if template.base is None:
            earlier = self._resources.get(template.name)
            if earlier is None:
                raise EvaluationFailed(
                    f"composed resource {name} has no base template, and was not produced by a previous Function in the pipeline"
                )
            return earlier.resource
        try:
            return checked_base(template.base)
        except EvaluationFailed as fault:
            raise EvaluationFailed(f"cannot parse base template of composed resource {name}: {fault}") from fault

    def _look(self, template: _Template, observed: Resource) -> bool:
        name = quoted(template.name)
        try:
            self._connection.update(template.details.of(observed))
        except EvaluationFailed as fault:
            self._warn(f"cannot extract composite resource connection details from composed resource {name}: {fault}")
        try:
            return template.checks.passed(observed.resource)
        except EvaluationFailed as fault:
            self._warn(f"cannot check readiness of composed resource {name}: {fault}")
        return False

    def _apply(self, patch: Patch, observed: Resource | None) -> None:
        source, floats = self._xr, True
        if patch.source == "environment":
            source, floats = self._targets["environment"].object, self._untouched
        elif patch.source == "composed":
            source = observed.resource if observed is not None else {}
        patch.write(patch.value(source, floats=floats), self._targets[patch.target])
        if patch.target == "environment":
            # Upstream reads it anew after it was written, and whole numbers are no floats then.
            self._untouched = False

    def _tolerated(self, template: _Template, at: int, fault: PatchFault, *, exists: bool) -> bool:
        """Whether the resource is wanted all the same."""
        patch, name = template.patches[at], quoted(template.name)
        where = f"{name} {quoted(patch.kind)} patch at index {at}"
        if not isinstance(fault, FieldNotFound):
            raise EvaluationFailed(f"cannot render composed resource {where}: {fault}") from fault
        if not patch.required:
            return True
        if patch.target == "composed" and not exists:
            self._warn(
                f"not adding new composed resource {name} to desired state because {quoted(patch.kind)} patch at "
                f"index {at} has 'policy.fromFieldPath: Required': {fault}"
            )
            return False
        why = "ignoring 'policy.fromFieldPath: Required' because 'to' resource already exists"
        self._warn(f"cannot render composed resource {where}: {why}: {fault}")
        return True

    def compose_secret(self, secret: ConnectionSecret) -> None:
        spec = self._xr.get("spec")
        modern = isinstance(spec, dict) and "crossplane" in spec
        if not modern or not self._connection:
            return
        try:
            resource = secret.composed(self._xr, self._connection)
        except EvaluationFailed as fault:
            raise EvaluationFailed(f"cannot compose connection secret: {fault}") from fault
        metadata = self._xr.get("metadata") or {}
        self._resources[f"{metadata.get('name', '')}-connection-secret"] = resource

    def answer(self) -> Answer:
        ready = "False" if self._skipped else self._call.desired.composite.ready
        composite = Resource(self._targets["composite"].object, self._connection, ready)
        return Answer(
            desired=State(composite, self._resources),
            context={**self._call.context, ENVIRONMENT: self._targets["environment"].object},
            results=tuple(self.results),
        )

    def _warn(self, message: str) -> None:
        self.results.append(Result("Warning", message))
