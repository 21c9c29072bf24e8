"""function-environment-configs: merges EnvironmentConfigs into the environment that later functions patch from."""

from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.errors import BadFieldPath, InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.composition.functions.answers import answer_to, copied, merged_maps, read_input, refusing
from plumbline.composition.functions.selecting import (
    Choice,
    Matcher,
    Named,
    Policy,
    in_order,
    literal,
    source_path,
    text_at,
)
from plumbline.composition.functions.values import ENVIRONMENT, Answer, Call, Requirements, Resource, Selector
from plumbline.kube.fieldpath import set_path
from plumbline.kube.gotext import quoted

_API: Final = "apiextensions.crossplane.io/v1beta1"
_KIND: Final = "EnvironmentConfig"
_MARKED: Final = {"apiVersion": "internal.crossplane.io/v1alpha1", "kind": "Environment"}


class _Source(msgspec.Struct, frozen=True, rename="camel"):
    type: str = "Reference"
    ref: Named = Named()
    selector: Choice = Choice()
    to_field_path: str = ""


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    default_data: JsonObject | None = None
    environment_configs: tuple[_Source, ...] | None = None
    policy: Policy = Policy()


class _Input(msgspec.Struct, frozen=True):
    spec: _Spec = _Spec()


class EnvironmentConfigs:
    async def run(self, call: Call) -> Answer:
        try:
            return _answer(call)
        except InvalidInput as fault:
            return refusing(call, str(fault))


def _answer(call: Call) -> Answer:
    spec = read_input(call, _Input).spec
    answer = answer_to(call)
    if spec.environment_configs is None:
        return answer
    given = call.context.get(ENVIRONMENT)
    environment = given if isinstance(given, dict) else {}
    answer = msgspec.structs.replace(answer, requirements=_requirements(spec, call, environment))
    if not call.required:
        return answer
    merged = merged_maps(merged_maps(copied(spec.default_data or {}), environment), _selected(spec, call.required))
    if not merged.get("apiVersion") and not merged.get("kind"):
        merged = {**merged, **_MARKED}
    return msgspec.structs.replace(answer, context={**call.context, ENVIRONMENT: merged})


def _name(index: int) -> str:
    return f"environment-config-{index}"


def _requirements(spec: _Spec, call: Call, environment: JsonObject) -> Requirements:
    wanted: dict[str, Selector] = {}
    for index, source in enumerate(spec.environment_configs or ()):
        if source.type == "Selector":
            try:
                labels = _labels(source.selector.match_labels, call.observed.composite.resource, environment)
            except InvalidInput as fault:
                raise InvalidInput("cannot build requirements", why=str(fault)) from fault
            if labels:
                wanted[_name(index)] = Selector(api_version=_API, kind=_KIND, labels=labels)
        elif source.type in {"", "Reference"}:
            wanted[_name(index)] = Selector(api_version=_API, kind=_KIND, name=source.ref.name)
    return Requirements(resources=wanted)


def _labels(matchers: tuple[Matcher, ...], composite: Json, environment: Json) -> dict[str, str]:
    labels: dict[str, str] = {}
    for each in matchers:
        if each.type == "Value":
            labels[each.key] = literal(each)
            continue
        whose, where = (
            ("environment ", environment) if each.type == "FromEnvironmentFieldPath" else ("composite ", composite)
        )
        try:
            labels[each.key] = text_at(where, source_path(each), whose)
        except InvalidInput:
            if each.from_field_path_policy != "Optional":
                raise
    return labels


def _selected(spec: _Spec, found: Mapping[str, tuple[Resource, ...]]) -> JsonObject:
    """The data of all that was asked for, in the order of the list; what was not asked for is passed over."""
    merged: JsonObject = {}
    for index, source in enumerate(spec.environment_configs or ()):
        name = _name(index)
        if name not in found:
            continue
        for config in _configs(source, name, found[name], spec.policy):
            merged = merged_maps(merged, _data(config, source.to_field_path))
    return merged


def _configs(source: _Source, name: str, found: tuple[Resource, ...], policy: Policy) -> list[JsonObject]:
    chosen = source.type == "Selector"
    try:
        return _chosen(source.selector, found) if chosen else _referenced(source.ref.name, found, policy)
    except InvalidInput as fault:
        by = f"{quoted(name)} by selector" if chosen else f"{quoted(source.ref.name)} by reference, {quoted(name)}"
        what = f"cannot get selected environment configs: cannot process environment config {by}"
        raise InvalidInput(what, why=str(fault)) from fault


def _referenced(name: str, found: tuple[Resource, ...], policy: Policy) -> list[JsonObject]:
    if len(found) > 1:
        raise InvalidInput(f"expected exactly one required resource {quoted(name)}, got {len(found)}")
    if not found and policy.resolution != "Optional":
        raise InvalidInput(f"Required environment config {quoted(name)} not found")
    return [copied(each.resource) for each in found]


def _chosen(choice: Choice, found: tuple[Resource, ...]) -> list[JsonObject]:
    if choice.mode in {"", "Single"}:
        if len(found) != 1:
            raise InvalidInput(f"expected exactly one required resource, got {len(found)}")
        return [copied(found[0].resource)]
    if choice.mode != "Multiple":
        raise InvalidInput(f"unknown selector mode {quoted(choice.mode)}")
    if choice.min_match is not None and len(found) < choice.min_match:
        raise InvalidInput(f"expected at least {choice.min_match} required resources, got {len(found)}")
    return in_order(found, choice.sort_by_field_path or "metadata.name")[: choice.max_match]


def _data(config: JsonObject, path: str) -> JsonObject:
    name = str((config.get("metadata") or {}).get("name", ""))
    refused = "cannot merge environment data"
    if path:
        try:
            return set_path({}, path, config.get("data"))
        except (BadFieldPath, InvalidInput) as fault:
            what = f"cannot get data from environment config {name} into path {quoted(path)}"
            raise InvalidInput(refused, why=what) from fault
    data = config.get("data")
    if not isinstance(data, dict):
        why = "data: no such field" if data is None else "data: not an object"
        raise InvalidInput(f"{refused}: cannot get data from environment config {quoted(name)}", why=why)
    return data
