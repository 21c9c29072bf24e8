"""What the templates of both dialects have in common: where an object begins, and whose it is."""

from typing import Final

from plumbline.base.errors import EvaluationFailed
from plumbline.base.json import Json, JsonObject
from plumbline.composition.functions.values import ENVIRONMENT, Call
from plumbline.composition.patching.govalues import json_text
from plumbline.composition.patching.patches import Target

_ENVIRONMENT: Final = {"apiVersion": "internal.crossplane.io/v1alpha1", "kind": "Environment"}


def checked_base(base: Json) -> JsonObject:
    """Raises EvaluationFailed where *base* is no object of a kind."""
    if base is None:
        raise EvaluationFailed("unexpected end of JSON input")
    if not isinstance(base, dict) or not isinstance(base.get("kind"), str) or not base["kind"]:
        raise EvaluationFailed(f"Object 'Kind' is missing in '{json_text(base)}'")
    return base


def identified(of: JsonObject, like: JsonObject) -> JsonObject:
    """*of* with the name and the namespace that *like* has, and none that it has not."""
    metadata = of.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        return of
    known = like.get("metadata")
    known = known if isinstance(known, dict) else {}
    identity = {key: known[key] for key in ("namespace", "name") if isinstance(known.get(key), str) and known[key]}
    rest = {key: value for key, value in (metadata or {}).items() if key not in {"name", "namespace"}}
    if not rest and not identity and metadata is None:
        return of
    return {**of, "metadata": {**rest, **identity}}


def environment(call: Call) -> Target:
    """What earlier steps say of the environment, or an empty one."""
    given = call.context.get(ENVIRONMENT)
    known = given if isinstance(given, dict) else {}
    return Target(known if known.get("kind") or known.get("apiVersion") else {**known, **_ENVIRONMENT})
