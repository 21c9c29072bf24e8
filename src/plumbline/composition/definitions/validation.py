"""What is wrong with a definition before anything is made of it: everything that the API server would say later, at once."""

from collections.abc import Iterator

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.composition.definitions.crds import crds, scope_of
from plumbline.composition.definitions.injected import LEGACY


def problems(xrd: JsonObject) -> tuple[str, ...]:
    """Why *xrd* cannot be used, one sentence each; empty where it can."""
    found = tuple(_found(xrd))
    if found:
        return found
    try:
        crds(xrd)
    except InvalidInput as error:
        return (str(error),)
    return ()


def _found(xrd: JsonObject) -> Iterator[str]:
    spec = xrd["spec"]
    names, name = spec["names"], xrd["metadata"]["name"]
    wanted = f"{names['plural']}.{spec['group']}"
    if name != wanted:
        yield f"Its name must be {wanted}, which is the plural and the group, and it is {name}"
    yield from _names("spec.names", names)
    yield from _versions(spec["versions"])
    if scope_of(xrd) != LEGACY:
        if spec.get("claimNames"):
            yield "Only LegacyCluster composite resources can offer claims"
        if spec.get("connectionSecretKeys"):
            yield "Only LegacyCluster composite resources support connection secrets"
    if spec.get("claimNames"):
        yield from _names("spec.claimNames", spec["claimNames"])
        yield from _distinct(names, spec["claimNames"])
    conversion = spec.get("conversion") or {}
    if conversion.get("strategy") == "Webhook" and not conversion.get("webhook"):
        yield "spec.conversion.webhook is required when the strategy is Webhook"


def _names(where: str, names: JsonObject) -> Iterator[str]:
    for key in ("plural", "singular"):
        value = names.get(key) or ""
        if value != value.lower():
            yield f"{where}.{key} must be lower case, and it is {value}"


def _distinct(names: JsonObject, claims: JsonObject) -> Iterator[str]:
    for key in ("kind", "plural", "singular", "listKind"):
        if claims.get(key) and claims[key] == names.get(key):
            yield f"spec.claimNames.{key} must differ from spec.names.{key}, and both are {claims[key]}"


def _versions(versions: list[JsonObject]) -> Iterator[str]:
    named = [version["name"] for version in versions]
    for name in sorted({name for name in named if named.count(name) > 1}):
        yield f"spec.versions has {name} more than once"
    referenceable = [version["name"] for version in versions if version.get("referenceable")]
    if len(referenceable) != 1:
        said = f"these are: {', '.join(referenceable)}" if referenceable else "none is"
        yield f"Exactly one version must be referenceable, and {said}"
