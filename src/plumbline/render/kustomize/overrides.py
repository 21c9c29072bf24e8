"""What an Application changes about a kustomization before it is built.

Argo CD runs `kustomize edit` for each of these on a checkout that nobody else may use meanwhile. Here the document is
changed in memory, to what those commands would have written: pure, and no process is started for it.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.kinds.application import ApplicationSourceKustomize, KustomizeReplica
from plumbline.kinds.values import written
from plumbline.render.environment import Environment
from plumbline.render.kustomize.images import images
from plumbline.render.kustomize.kustomization import respelled

_NOWHERE: Final = ApplicationSourceKustomize()
_IMAGE: Final = ("name", "newName", "newTag", "digest", "tagSuffix")
_LABELS: Final = ("pairs", "includeSelectors", "includeTemplates", "fields")
_PLACE: Final = "the kustomization"


def substituted(wanted: ApplicationSourceKustomize, variables: Environment) -> ApplicationSourceKustomize:
    """*wanted* with variables replaced where they may be used, and without what does not change the document."""
    annotations = wanted.common_annotations
    if wanted.common_annotations_envsubst:
        annotations = {name: variables.substituted(value) for name, value in annotations.items()}
    return msgspec.structs.replace(
        wanted,
        images=tuple(map(variables.substituted, wanted.images)),
        common_labels={name: variables.substituted(value) for name, value in wanted.common_labels.items()},
        common_annotations=annotations,
        common_annotations_envsubst=False,
        version="",
        kube_version="",
        api_versions=(),
    )


def changes(wanted: ApplicationSourceKustomize) -> bool:
    """Whether *wanted*, substituted, asks for anything."""
    return wanted != _NOWHERE


def overridden(document: JsonObject, wanted: ApplicationSourceKustomize) -> JsonObject:
    """*document*, its fields spelled as usual, with *wanted* put into it; InvalidInput where Kustomize would refuse.

    Components are taken as they are: which of them are there is for the caller to know.
    """
    named = {"namePrefix": wanted.name_prefix, "nameSuffix": wanted.name_suffix, "namespace": wanted.namespace}
    changed = document | {field: value for field, value in named.items() if value}
    if wanted.images:
        listed = _listed(document, "images", _IMAGE) + _listed(document, "imageTags", _IMAGE)
        changed["images"] = images(listed, wanted.images)
        changed.pop("imageTags", None)
    if wanted.replicas:
        changed["replicas"] = _replicas(_listed(document, "replicas", ("name", "count")), wanted.replicas)
    if wanted.common_labels:
        changed |= _labelled(document, wanted)
    if wanted.common_annotations:
        force = wanted.force_common_annotations
        pairs = _pairs(wanted.common_annotations, "annotation")
        changed["commonAnnotations"] = _added(_mapping(document, "commonAnnotations"), pairs, "annotation", force=force)
    if wanted.patches:
        changed["patches"] = [*_list(document, "patches"), *map(written, wanted.patches)]
    if wanted.components:
        present = _list(document, "components")
        changed["components"] = [*present, *(each for each in dict.fromkeys(wanted.components) if each not in present)]
    return changed


def _labelled(document: JsonObject, wanted: ApplicationSourceKustomize) -> JsonObject:
    pairs, force = _pairs(wanted.common_labels, "label"), wanted.force_common_labels
    if not wanted.label_without_selector:
        if wanted.label_include_templates:
            raise InvalidInput(
                "Cannot add labels to templates alone",
                why="labelIncludeTemplates needs labelWithoutSelector",
                hint="Set labelWithoutSelector, or leave labelIncludeTemplates out.",
            )
        return {"commonLabels": _added(_mapping(document, "commonLabels"), pairs, "label", force=force)}
    labels = _listed(document, "labels", _LABELS)
    for index, each in enumerate(labels):
        alike = bool(each.get("includeTemplates")) == wanted.label_include_templates
        if alike and not each.get("includeSelectors"):
            joined = {**each, "pairs": _added(_mapping(each, "pairs"), pairs, "label", force=force)}
            return {"labels": [*labels[:index], joined, *labels[index + 1 :]]}
    own: JsonObject = {"pairs": pairs}
    return {"labels": [*labels, own | ({"includeTemplates": True} if wanted.label_include_templates else {})]}


def _pairs(wanted: Mapping[str, str], what: str) -> dict[str, str]:
    """Names and values as they arrive through a command line of `name:value`."""
    pairs = {}
    for name, value in wanted.items():
        before, _, after = f"{name}:{value}".partition(":")
        if not before:
            raise InvalidInput(f"Cannot add the {what} {name!r}", why="it has no name")
        quoted = len(after) > 1 and after[0] == after[-1] == '"'
        pairs[before] = after[1:-1] if quoted else after
    return pairs


def _added(present: JsonObject, pairs: dict[str, str], what: str, *, force: bool) -> JsonObject:
    clash = sorted(present.keys() & pairs.keys())
    if clash and not force:
        option = "forceCommonLabels" if what == "label" else "forceCommonAnnotations"
        raise InvalidInput(
            f"Cannot add the {what} {clash[0]}",
            why=f"{what} {clash[0]} already in kustomization file",
            hint=f"Set {option} to replace it, or remove it on one side.",
        )
    return present | pairs


def _replicas(present: list[JsonObject], wanted: tuple[KustomizeReplica, ...]) -> list[JsonObject]:
    merged: dict[str, JsonObject] = {}
    for each in wanted:
        if "=" in each.name:
            raise InvalidInput(f"Cannot set replicas of {each.name!r}", why="no object can have that name")
        merged[each.name] = {"name": each.name, "count": _count(each)}
    for known in present:
        merged.setdefault(known.get("name", ""), known)
    return [merged[name] for name in sorted(merged)]


def _count(replica: KustomizeReplica) -> int:
    try:
        return int(replica.count)
    except ValueError:
        raise InvalidInput(
            f"Cannot set replicas of {replica.name}",
            why=f"expected integer value for count. Received: {replica.count}",
        ) from None


def _list(document: JsonObject, field: str) -> list[Json]:
    value = document.get(field)
    if value is not None and not isinstance(value, list):
        raise InvalidInput(f"Cannot change {_PLACE}", why=f"its {field} is not a list")
    return value or []


def _listed(document: JsonObject, field: str, names: tuple[str, ...]) -> list[JsonObject]:
    items = _list(document, field)
    if not all(isinstance(each, dict) for each in items):
        raise InvalidInput(f"Cannot change {_PLACE}", why=f"its {field} holds something else than mappings")
    return [respelled(each, names, _PLACE) for each in items]


def _mapping(document: JsonObject, field: str) -> JsonObject:
    value = document.get(field)
    if value is not None and not isinstance(value, dict):
        raise InvalidInput(f"Cannot change {_PLACE}", why=f"its {field} is not a mapping")
    return value or {}
