"""A composition of mode Resources as a pipeline of one step, as `crossplane beta convert pipeline-composition` makes it.

What comes out composes what went in. Where upstream's command would change that (it forgets the type of a connection
detail, and guesses another than mode Resources does), the meaning is kept.
"""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject

_GROUP: Final = "apiextensions.crossplane.io"
_MATH: Final = (("clampMin", "ClampMin"), ("clampMax", "ClampMax"), ("multiply", "Multiply"))
_STRING: Final = (("fmt", "Format"), ("convert", "Convert"), ("regexp", "Regexp"))


def converted(composition: JsonObject, function: str = "function-patch-and-transform") -> JsonObject:
    """*composition* in mode Pipeline; one that is in it already comes back as it is. Raises InvalidInput."""
    group, _, _ = str(composition.get("apiVersion", "")).rpartition("/")
    if group != _GROUP:
        raise InvalidInput(f"GroupVersionKind Group is not {_GROUP}")
    if composition.get("kind") != "Composition":
        raise InvalidInput("GroupVersionKind Kind is not Composition")
    spec = composition.get("spec")
    if not isinstance(spec, dict):
        raise InvalidInput("a Composition has a spec")
    if spec.get("mode", "Resources") == "Pipeline":
        return composition
    rest = {key: value for key, value in spec.items() if key not in {"environment", "patchSets", "resources", "mode"}}
    environment = spec.get("environment")
    if isinstance(environment, dict):
        other = {key: value for key, value in environment.items() if key != "patches"}
        if other:
            rest["environment"] = other
    step = {"step": "patch-and-transform", "functionRef": {"name": function}, "input": _input(spec)}
    return {**composition, "spec": {**rest, "mode": "Pipeline", "pipeline": [step]}}


def _input(spec: JsonObject) -> JsonObject:
    given: JsonObject = {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources"}
    environment = spec.get("environment")
    if isinstance(environment, dict) and "patches" in environment:
        given["environment"] = {"patches": [_patch(each) for each in _objects(environment["patches"])]}
    if "patchSets" in spec:
        given["patchSets"] = [_with_patches(each) for each in _objects(spec["patchSets"])]
    if "resources" in spec:
        given["resources"] = [_resource(each, at) for at, each in enumerate(_objects(spec["resources"]))]
    return given


def _objects(value: Json) -> list[JsonObject]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput("the composition has something else where a list of objects has to be")
    return value


def _with_patches(of: JsonObject) -> JsonObject:
    return {**of, "patches": [_patch(each) for each in _objects(of["patches"])]} if "patches" in of else of


def _resource(resource: JsonObject, at: int) -> JsonObject:
    named = resource if "name" in resource else {**resource, "name": f"resource-{at}"}
    details = resource.get("connectionDetails")
    if details is not None:
        named = {**named, "connectionDetails": [_detail(each) for each in _objects(details)]}
    return _with_patches(named)


def _detail(detail: JsonObject) -> JsonObject:
    kind = detail.get("type")
    if kind is None:
        kinds = {
            "value": "FromValue",
            "fromConnectionSecretKey": "FromConnectionSecretKey",
            "fromFieldPath": "FromFieldPath",
        }
        kind = next((name for key, name in kinds.items() if detail.get(key) is not None), None)
    full = {**detail, "type": kind} if kind is not None else detail
    if full.get("name") is None and kind == "FromConnectionSecretKey":
        return {**full, "name": detail.get("fromConnectionSecretKey")}
    return full


def _patch(patch: JsonObject) -> JsonObject:
    new = {"type": "FromCompositeFieldPath", **patch}
    policy = patch.get("policy")
    if isinstance(policy, dict) and "mergeOptions" in policy:
        kept = {key: value for key, value in policy.items() if key != "mergeOptions"}
        options = policy["mergeOptions"]
        new["policy"] = kept | {"toFieldPath": _policy(options)} if isinstance(options, dict) else kept
    if patch.get("transforms") is not None:
        new["transforms"] = [_transform(each) for each in _objects(patch["transforms"])]
    return new


def _policy(options: JsonObject) -> str:
    force = "" if options.get("keepMapValues") else "Force"
    return f"{force}MergeObjects{'AppendArrays' if options.get('appendSlice') else ''}"


def _transform(transform: JsonObject) -> JsonObject:
    kind = transform.get("type")
    if not kind:
        kind = next((each for each in ("string", "math") if transform.get(each) is not None), "")
    new = {**transform, "type": kind}
    if kind in {"math", "string"} and isinstance(new.get(kind), dict):
        new[kind] = _typed(new[kind], _MATH if kind == "math" else _STRING)
    return new


def _typed(of: JsonObject, kinds: tuple[tuple[str, str], ...]) -> JsonObject:
    if of.get("type"):
        return of
    kind = next((name for key, name in kinds if of.get(key) is not None), None)
    return {**of, "type": kind} if kind is not None else of
