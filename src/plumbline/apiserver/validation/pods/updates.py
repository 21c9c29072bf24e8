"""What may change of a pod that exists: its image, its deadline, more tolerations, fewer gates; and who may visit it."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, required
from plumbline.apiserver.validation.goform import go_diff, go_form
from plumbline.apiserver.validation.metadata import metadata_of, object_meta_update_errors
from plumbline.apiserver.validation.names import out_of_range
from plumbline.apiserver.validation.pods.annotations import annotation_meaning_errors
from plumbline.apiserver.validation.pods.claims import MIRROR
from plumbline.apiserver.validation.pods.creation import meta_errors, pod_errors
from plumbline.apiserver.validation.pods.internal import same_form, spec_diff, spec_form
from plumbline.apiserver.validation.pods.scheduling import toleration_errors
from plumbline.apiserver.validation.pods.spec import all_containers
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, text
from plumbline.base.json import Json, JsonObject

_APPARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_LONGEST_DEADLINE_S: Final = 2**31 - 1
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_UPDATABLE: Final = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def pod_update_errors(new: JsonObject, old: JsonObject) -> list[FieldError]:
    errors = base_errors(new, old)
    errors += annotation_update_errors(new, old)
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    if spec == before:
        return errors
    for name in ("containers", "initContainers"):
        containers, others = mappings(spec.get(name)), mappings(before.get(name))
        if len(containers) != len(others):
            return [*errors, forbidden(f"spec.{name}", "pod updates may not add or remove containers")]
        errors += _image_errors(containers, f"spec.{name}")
    deadline = list(_deadline_errors(integer(spec.get("activeDeadlineSeconds")), before))
    errors += deadline
    if deadline and integer(spec.get("activeDeadlineSeconds")) is not None:
        return errors
    errors += _toleration_errors(mappings(spec.get("tolerations")), mappings(before.get("tolerations")))
    errors += _gate_errors(mappings(spec.get("schedulingGates")), mappings(before.get("schedulingGates")))
    errors += _fixed_errors(spec, before)
    return errors


def ephemeral_update_errors(new: JsonObject, old: JsonObject) -> list[FieldError]:
    errors = base_errors(new, old)
    errors += annotation_update_errors(new, old)
    if MIRROR in mapping(metadata_of(old).get("annotations")):
        return [forbidden("[]", "static pods do not support ephemeral containers")]
    field = "spec.ephemeralContainers"
    kept = {text(each.get("name")): each for each in mappings(mapping(new.get("spec")).get("ephemeralContainers"))}
    for before in mappings(mapping(old.get("spec")).get("ephemeralContainers")):
        name = text(before.get("name"))
        now = kept.get(name)
        if now is None:
            errors.append(forbidden(field, f'existing ephemeral containers "{name}" may not be removed\n'))
        elif now != before and go_form(now, "EphemeralContainer") != go_form(before, "EphemeralContainer"):
            lines = go_diff(before, now, "EphemeralContainer")
            errors.append(forbidden(field, f'existing ephemeral containers "{name}" may not be changed\n{lines}'))
    return errors


def base_errors(new: JsonObject, old: JsonObject) -> list[FieldError]:
    """What every update of a pod is asked. A spec that did not change was found sound before."""
    errors = object_meta_update_errors(new.get("metadata"), old.get("metadata"), known_finalizers=True)
    errors += meta_errors(new)
    if new.get("spec") != old.get("spec"):
        errors += pod_errors(new)
    return errors


def annotation_update_errors(new: JsonObject, old: JsonObject) -> list[FieldError]:
    annotations, before = metadata_of(new).get("annotations"), metadata_of(old).get("annotations")
    held, former = mapping(annotations), mapping(before)
    errors: list[FieldError] = []
    if held != former:
        for key, value in former.items():
            if held.get(key) != value:
                errors += _reserved_errors(key, "remove or update")
        for key in held.keys() - former.keys():
            errors += _reserved_errors(key, "add")
    if held:
        spec = mapping(new.get("spec"))
        errors += annotation_meaning_errors(held, "metadata.annotations", spec, all_containers(spec, "spec"))
    return errors


def _reserved_errors(key: str, act: str) -> Iterator[FieldError]:
    if key.startswith(_APPARMOR):
        yield forbidden(f"metadata.annotations[{key}]", f"may not {act} AppArmor annotations")
    if key == MIRROR:
        yield forbidden(f"metadata.annotations[{key}]", f"may not {act} mirror pod annotation")


def _image_errors(containers: list[JsonObject], field: str) -> Iterator[FieldError]:
    for index, container in enumerate(containers):
        image = text(container.get("image"))
        if not image:
            yield required(f"{field}[{index}].image")
        if image != image.strip():
            yield invalid(f"{field}[{index}].image", image, "must not have leading or trailing whitespace")


def _deadline_errors(deadline_s: int | None, before: JsonObject) -> Iterator[FieldError]:
    former_s, field = integer(before.get("activeDeadlineSeconds")), "spec.activeDeadlineSeconds"
    if deadline_s is None:
        if former_s is not None:
            yield invalid(field, None, "must not update from a positive integer to nil value")
    elif not 0 <= deadline_s <= _LONGEST_DEADLINE_S:
        yield invalid(field, deadline_s, out_of_range(0, _LONGEST_DEADLINE_S))
    elif former_s is not None and former_s < deadline_s:
        yield invalid(field, deadline_s, "must be less than or equal to previous value")


def _toleration_errors(tolerations: list[JsonObject], before: list[JsonObject]) -> Iterator[FieldError]:
    kept = [_lasting(each) for each in tolerations]
    if any(_lasting(each) not in kept for each in before):
        yield forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")
        return
    yield from toleration_errors(tolerations, "spec.tolerations")


def _lasting(toleration: JsonObject) -> JsonObject:
    return {name: value for name, value in toleration.items() if name != "tolerationSeconds" and value}


def _gate_errors(gates: list[JsonObject], before: list[JsonObject]) -> Iterator[FieldError]:
    former = {text(each.get("name")) for each in before}
    for index, gate in enumerate(gates):
        if (name := text(gate.get("name"))) not in former:
            detail = f"only deletion is allowed, but found new scheduling gate '{name}'"
            yield forbidden(f"spec.schedulingGates[{index}].name", detail)


def _fixed_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    munged = _munged(spec, before)
    if before.get("schedulingGates"):
        yield from _gated_errors(munged, before)
        munged = {**munged, "nodeSelector": before.get("nodeSelector"), "affinity": _munged_affinity(munged, before)}
    if munged == before or same_form(spec_form(munged), spec_form(before)):
        return
    detail = f"pod updates may not change fields other than {_UPDATABLE}\n{spec_diff(before, munged)}"
    yield forbidden("spec", detail)


def _munged(spec: JsonObject, before: JsonObject) -> JsonObject:
    """*spec* with everything that may change as it was."""
    munged = dict(spec)
    for name in ("containers", "initContainers"):
        if name in spec:
            pairs = zip(mappings(spec[name]), mappings(before.get(name)), strict=True)
            munged[name] = [{**now, "image": former.get("image")} for now, former in pairs]
    for name in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        munged[name] = before.get(name)
    grace_s = integer(before.get("terminationGracePeriodSeconds"))
    if grace_s is not None and grace_s < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        munged["terminationGracePeriodSeconds"] = grace_s
    return munged


def _gated_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    """A pod that waits at a gate may still be told more precisely where to go."""
    selector, former = mapping(spec.get("nodeSelector")), mapping(before.get("nodeSelector"))
    if any(selector.get(key) != value for key, value in former.items()):
        detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        yield invalid("spec.nodeSelector", spec.get("nodeSelector"), detail)
    terms, held = _terms(spec), _terms(before)
    field = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"
    if not held:
        return
    if len(terms) != len(held):
        shown = go_form(terms or None, "[NodeSelectorTerm")
        yield invalid(field, shown, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
        return
    for index, (term, known) in enumerate(zip(terms, held, strict=True)):
        if not _only_adds(term, known):
            shown = go_form(term, "NodeSelectorTerm")
            yield invalid(f"{field}[{index}]", shown, "only additions are allowed (no mutations or deletions)")


def _terms(spec: JsonObject) -> list[JsonObject]:
    node = mapping(mapping(spec.get("affinity")).get("nodeAffinity"))
    return mappings(mapping(node.get(_REQUIRED)).get("nodeSelectorTerms"))


def _only_adds(term: JsonObject, known: JsonObject) -> bool:
    if not known.get("matchExpressions") and not known.get("matchFields"):
        return not term.get("matchExpressions") and not term.get("matchFields")
    held = ((mappings(known.get(name)), mappings(term.get(name))) for name in ("matchExpressions", "matchFields"))
    return all(now[: len(former)] == former for former, now in held)


def _munged_affinity(spec: JsonObject, before: JsonObject) -> Json:
    affinity, former = spec.get("affinity"), before.get("affinity")
    node = mapping(former).get("nodeAffinity")
    if affinity is None:
        return {"nodeAffinity": node} if node is not None else None
    others = mapping(affinity).get("podAffinity") or mapping(affinity).get("podAntiAffinity")
    if former is None and mapping(affinity).get("nodeAffinity") is not None and not others:
        return None
    return {**mapping(affinity), "nodeAffinity": node}
