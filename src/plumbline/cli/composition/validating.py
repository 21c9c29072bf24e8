"""`plumb validate`: what an API server would say about manifests, without one."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.apiserver.crds.definition import Served
from plumbline.apiserver.crds.pruning import pruned, unknown_fields
from plumbline.apiserver.crds.validation import schema_errors
from plumbline.apiserver.decoding.bodies import JSON, Wanted, decoded
from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.apiserver.decoding.types import body_type
from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import JsonObject, encode
from plumbline.cli.composition.schemas import Schemas
from plumbline.composition import marks
from plumbline.composition.parts import below
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind

Type: TypeAlias = Literal["schema", "unknownField", "cel"]
Status: TypeAlias = Literal["valid", "invalid", "missingSchema"]
_WORDS: Final = {"cel": "CEL", "schema": "schema", "unknownField": "schema"}


class Fault(NamedTuple):
    type: Type
    field: str
    message: str


class Judged(NamedTuple):
    gvk: GroupVersionKind
    name: str
    namespace: str
    status: Status
    faults: tuple[Fault, ...] = ()

    @property
    def kind(self) -> str:
        return f"{self.gvk.api_version}, Kind={self.gvk.kind}"

    def lines(self, *, successes: bool) -> Iterator[str]:
        if self.status == "missingSchema":
            yield f"[!] could not find CRD/XRD for: {self.kind}"
        elif self.status == "valid" and successes:
            yield f"[✓] {self.kind}, {self.name} validated successfully"
        for fault in self.faults:
            yield f"[x] {_WORDS[fault.type]} validation error {self.kind}, {self.name} : {fault.message}"

    def item(self) -> JsonObject:
        made: JsonObject = {"apiVersion": self.gvk.api_version, "kind": self.gvk.kind, "name": self.name}
        made |= {"namespace": self.namespace} if self.namespace else {}
        made["status"] = self.status
        if self.faults:
            made["errors"] = [
                {"type": each.type, **({"field": each.field} if each.field else {}), "message": each.message}
                for each in self.faults
            ]
        return made


def judged(objects: Iterable[JsonObject], schemas: Schemas) -> list[Judged]:
    return [_judged(each, schemas) for each in objects]


def summary(found: list[Judged]) -> JsonObject:
    count = {
        status: sum(1 for each in found if each.status == status) for status in ("valid", "invalid", "missingSchema")
    }
    return {
        "total": len(found),
        "valid": count["valid"],
        "invalid": count["invalid"],
        "missingSchemas": count["missingSchema"],
    }


def summary_line(found: list[Judged]) -> str:
    total = summary(found)
    return (
        f"Total {total['total']} resources: {total['missingSchemas']} missing schemas, "
        f"{total['valid']} success cases, {total['invalid']} failure cases"
    )


def _judged(obj: JsonObject, schemas: Schemas) -> Judged:
    gvk = GroupVersionKind.of(obj)
    metadata = below(obj, "metadata")
    name = str(metadata.get("name") or below(metadata, "annotations").get(marks.RESOURCE_NAME) or "")
    namespace = str(metadata.get("namespace") or "")
    served = schemas.served(gvk)
    if served is not None:
        faults = tuple(_faults(obj, served))
    else:
        structure = body_type(gvk)
        if structure is None:
            return Judged(gvk, name, namespace, "missingSchema")
        faults = tuple(_decoding_faults(obj, Wanted(gvk, structure)))
    return Judged(gvk, name, namespace, "invalid" if faults else "valid", faults)


def _faults(obj: JsonObject, served: Served) -> Iterator[Fault]:
    """In upstream's order: what the schema says, what it does not know, and what its rules say of the rest."""
    root, full = served.root, served.default(obj)
    yield from _told("schema", schema_errors(full, root))
    unknown = [] if served.definition.preserves_unknown_fields else unknown_fields(full, root)
    for path in unknown:
        field = path.rpartition(".")[2]
        yield from _told("unknownField", [invalid(path, field, f"unknown field: {quoted(field)}")])
    if served.rules is not None:
        from plumbline.apiserver.crds.rule_checking import Watch, rule_errors  # noqa: PLC0415 - only where there are rules

        kept = pruned(full, root) if unknown else full
        yield from _told("cel", rule_errors(served.rules, kept, watch=Watch([], guarded=True)))


def _told(type_: Type, errors: Iterable[FieldError]) -> Iterator[Fault]:
    for each in errors:
        yield Fault(type_, each.field, str(each))


def _decoding_faults(obj: JsonObject, wanted: Wanted) -> Iterator[Fault]:
    """Of a kind that is built into Kubernetes: what strict decoding says."""
    try:
        body = decoded(encode(obj), JSON, wanted)
    except (Refusal, SchemaViolation) as refused:
        yield Fault("schema", "", str(refused))
        return
    for each in body.complaints:
        yield Fault("unknownField", "", each)
