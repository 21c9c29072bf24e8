"""function-extra-resources: puts objects of the cluster, or parts of them, into the context or the environment."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import BadFieldPath, FieldNotFound, InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.composition.functions.answers import answer_to, copied, merged_maps, read_input, refusing
from plumbline.composition.functions.gotemplating.extras import EXTRA_RESOURCES
from plumbline.composition.functions.selecting import Choice, Named, Policy, in_order, literal, source_path, text_at
from plumbline.composition.functions.values import ENVIRONMENT, Answer, Call, Requirements, Resource, Selector
from plumbline.kube.fieldpath import get_path, set_path
from plumbline.kube.gotext import quoted

_MARKED: Final = {"apiVersion": "internal.crossplane.io/v1alpha1", "kind": "Environment"}


class _Source(msgspec.Struct, frozen=True, rename="camel"):
    type: str = "Reference"
    ref: Named = Named()
    selector: Choice = Choice()
    kind: str = ""
    api_version: str = ""
    namespace: str = ""
    into: str = ""
    """How older versions spell `toFieldPath`."""
    to_field_path: str = ""
    from_field_path: str | None = None

    @property
    def target(self) -> str:
        return self.to_field_path or self.into


class _Into(msgspec.Struct, frozen=True, rename="camel"):
    type: str = "Context"
    context_key: str = EXTRA_RESOURCES


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    extra_resources: tuple[_Source, ...] = ()
    into: _Into = _Into()
    policy: Policy = Policy()


class _Input(msgspec.Struct, frozen=True):
    spec: _Spec = _Spec()


class _Fetched(NamedTuple):
    source: _Source
    values: list[Json]


class ExtraResources:
    async def run(self, call: Call) -> Answer:
        try:
            return _answer(call)
        except InvalidInput as fault:
            return refusing(call, str(fault))


def _answer(call: Call) -> Answer:
    spec = read_input(call, _Input).spec
    answer = msgspec.structs.replace(answer_to(call), requirements=_requirements(spec, call))
    if not call.required:
        return answer
    try:
        fetched = list(_fetched(spec, call.required))
    except InvalidInput as fault:
        raise InvalidInput("verifying and sorting extra resources", why=str(fault)) from fault
    if spec.into.type == "Context":
        added = {spec.into.context_key: _for_context(fetched)}
    elif spec.into.type == "Environment":
        added = {ENVIRONMENT: _for_environment(fetched, call.context.get(ENVIRONMENT))}
    else:
        raise InvalidInput(f"unknown into type: {quoted(spec.into.type)}")
    return msgspec.structs.replace(answer, context={**call.context, **added})


def _name(index: int) -> str:
    return f"resources-{index}"


def _requirements(spec: _Spec, call: Call) -> Requirements:
    wanted: dict[str, Selector] = {}
    for index, source in enumerate(spec.extra_resources):
        if source.type == "Selector":
            try:
                labels = _labels(source, call.observed.composite.resource)
            except InvalidInput as fault:
                raise InvalidInput("could not build extra resource requirements", why=str(fault)) from fault
            if labels:
                wanted[_name(index)] = _selector(source, "", labels)
        elif source.type in {"", "Reference"}:
            wanted[_name(index)] = _selector(source, source.ref.name, None)
    return Requirements(resources=wanted)


def _selector(source: _Source, name: str, labels: dict[str, str] | None) -> Selector:
    return Selector(
        api_version=source.api_version, kind=source.kind, name=name, labels=labels, namespace=source.namespace
    )


def _labels(source: _Source, composite: Json) -> dict[str, str]:
    labels: dict[str, str] = {}
    for each in source.selector.match_labels:
        if each.type == "Value":
            labels[each.key] = literal(each)
            continue
        path = source_path(each)
        try:
            labels[each.key] = text_at(composite, path, "")
        except InvalidInput:
            if each.from_field_path_policy != "Optional":
                raise
    return labels


def _fetched(spec: _Spec, found: Mapping[str, tuple[Resource, ...]]) -> Iterator[_Fetched]:
    for index, source in enumerate(spec.extra_resources):
        name = _name(index)
        if name not in found:
            raise InvalidInput(f"cannot find expected extra resource {quoted(name)}")
        items = found[name]
        if source.type == "Selector":
            objects = _chosen(source.selector, name, items)
        elif not items and spec.policy.resolution == "Optional":
            continue
        elif len(items) != 1:
            many = f"expected exactly one extra resource {quoted(name)}, got {len(items)}"
            raise InvalidInput(many if items else f"Required extra resource {quoted(name)} not found")
        else:
            objects = [copied(items[0].resource)]
        yield _Fetched(source, [_part(each, source.from_field_path) for each in objects])


def _chosen(choice: Choice, name: str, found: tuple[Resource, ...]) -> list[JsonObject]:
    if choice.min_match is not None and len(found) < choice.min_match:
        raise InvalidInput(f"expected at least {choice.min_match} extra resources {quoted(name)}, got {len(found)}")
    return in_order(found, choice.sort_by_field_path or "metadata.name")[: choice.max_match]


def _part(obj: JsonObject, path: str | None) -> Json:
    if path is None:
        return obj
    if not path:
        raise InvalidInput("fromFieldPath cannot be empty, omit the field to get the whole object")
    try:
        return get_path(obj, path)
    except (FieldNotFound, BadFieldPath) as fault:
        raise InvalidInput(str(fault)) from fault


def _for_context(fetched: list[_Fetched]) -> JsonObject:
    out: JsonObject = {}
    for each in fetched:
        if not each.source.target:
            raise InvalidInput("must set toFieldPath for type Context")
        out = _set(out, each.source.target, each.values)
    return out


def _for_environment(fetched: list[_Fetched], given: Json) -> JsonObject:
    merged: JsonObject = {}
    for each in fetched:
        for value in each.values:
            if each.source.target:
                merged = merged_maps(merged, _set({}, each.source.target, value))
            elif isinstance(value, dict):
                merged = merged_maps(merged, value)
            else:
                raise InvalidInput("must set toFieldPath when extracted value is not an object")
    merged = merged_maps(given if isinstance(given, dict) else {}, merged)
    return merged if merged.get("apiVersion") or merged.get("kind") else {**merged, **_MARKED}


def _set(root: JsonObject, path: str, value: Json) -> JsonObject:
    try:
        return set_path(root, path, value)
    except InvalidInput as fault:
        raise InvalidInput(f"cannot set nested field path {quoted(path)}", why=str(fault)) from fault
