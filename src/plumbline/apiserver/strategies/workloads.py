"""Kinds that make pods from a template."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from plumbline.apiserver.strategies.parts import (
    chain,
    chain_update,
    counting,
    fresh_status,
    generation_of,
    generation_one,
    keep_status,
    only_status,
    with_field,
    with_generation,
)
from plumbline.apiserver.strategies.podfields import enabled_template
from plumbline.apiserver.strategies.strategy import Strategy
from plumbline.apiserver.strategies.warnings.claims import claim_spec_warnings
from plumbline.apiserver.strategies.warnings.names import label_warnings
from plumbline.apiserver.strategies.warnings.pods import template_warnings
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.validation.shapes import mapping, mappings, number
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"
_NEGATIVE_HISTORY: Final = (
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
)


def _apps(kind: str) -> GroupVersionKind:
    return GroupVersionKind("apps", "v1", kind)


def _enabled_create(obj: JsonObject, _: Writing) -> JsonObject:
    return _enabled(obj, {})


def _enabled_update(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
    return _enabled(new, old)


def _enabled(new: JsonObject, old: JsonObject) -> JsonObject:
    spec = mapping(new.get("spec"))
    template = spec.get("template")
    kept = enabled_template(template, mapping(old.get("spec")).get("template"))
    return new if kept is template else {**new, "spec": {**spec, "template": kept}}


def _warnings_of_template(obj: JsonObject) -> list[str]:
    return template_warnings("spec.template", mapping(obj.get("spec")).get("template"))


def _create_warnings(obj: JsonObject) -> Sequence[str]:
    return [*label_warnings(obj), *_warnings_of_template(obj)]


def _update_warnings(new: JsonObject, old: JsonObject) -> Sequence[str]:
    return _warnings_of_template(new) if generation_of(new) != generation_of(old) else ()


def _first_update_warnings(new: JsonObject, old: JsonObject) -> Sequence[str]:
    """The server looks at the template that was, here alone."""
    return _warnings_of_template(old) if generation_of(new) != generation_of(old) else ()


def _workload(kind: GroupVersionKind) -> Strategy:
    return Strategy(
        prepare_create=chain(fresh_status(kind), generation_one, _enabled_create),
        prepare_update=chain_update(keep_status, _enabled_update, counting("spec")),
        prepare_subresource={"status": only_status()},
        create_warnings=_create_warnings,
        update_warnings=_update_warnings,
    )


REPLICA_SET: Final = _workload(_apps("ReplicaSet"))


REPLICATION_CONTROLLER: Final = replace(
    _workload(GroupVersionKind("", "v1", "ReplicationController")),
    orphans_by_default=True,
    update_warnings=_first_update_warnings,
)


def _count_deployment(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
    """Annotations count too: they are copied to ReplicaSets."""
    same = new.get("spec") == old.get("spec") and _annotations(new) == _annotations(old)
    return new if same else with_generation(new, generation_of(old) + 1)


def _annotations(obj: JsonObject) -> JsonObject:
    return mapping(mapping(obj.get("metadata")).get("annotations"))


DEPLOYMENT: Final = replace(
    _workload(_apps("Deployment")),
    prepare_update=chain_update(keep_status, _enabled_update, _count_deployment),
    prepare_subresource={"status": only_status("labels")},
)


def template_generation(obj: JsonObject) -> int:
    noted = _annotations(obj).get(TEMPLATE_GENERATION)
    return int(noted) if isinstance(noted, str) and noted.isdecimal() and noted.isascii() else 0


def with_template_generation(obj: JsonObject, generation: int) -> JsonObject:
    annotations = {**_annotations(obj), TEMPLATE_GENERATION: str(generation)}
    return {**obj, "metadata": {**mapping(obj.get("metadata")), "annotations": annotations}}


def _first_template(obj: JsonObject, _: Writing) -> JsonObject:
    return with_template_generation(obj, max(template_generation(obj), 1))


def _count_daemon_set(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    changed = spec.get("template") != before.get("template")
    counted = with_template_generation(new, template_generation(old) + changed)
    return counted if spec == before else with_generation(counted, generation_of(old) + 1)


def _daemon_update_warnings(new: JsonObject, old: JsonObject) -> Sequence[str]:
    return _warnings_of_template(new) if template_generation(new) != template_generation(old) else ()


def _with_count(obj: JsonObject) -> JsonObject:
    """The server's type has a field for it, which it shows as an annotation whether anything is in it or not."""
    return obj if TEMPLATE_GENERATION in _annotations(obj) else with_template_generation(obj, 0)


DAEMON_SET: Final = replace(
    _workload(_apps("DaemonSet")),
    read=_with_count,
    prepare_create=chain(fresh_status(_apps("DaemonSet")), generation_one, _first_template, _enabled_create),
    prepare_update=chain_update(keep_status, _enabled_update, _count_daemon_set),
    create_warnings=_warnings_of_template,
    update_warnings=_daemon_update_warnings,
)


def _rolling(obj: JsonObject) -> JsonObject:
    return mapping(mapping(mapping(obj.get("spec")).get("updateStrategy")).get("rollingUpdate"))


def _without_unavailable(new: JsonObject, old: JsonObject) -> JsonObject:
    if "maxUnavailable" not in _rolling(new) or "maxUnavailable" in _rolling(old):
        return new
    strategy = new["spec"]["updateStrategy"]
    rolling = with_field(_rolling(new), "maxUnavailable", None)
    return {**new, "spec": {**new["spec"], "updateStrategy": {**strategy, "rollingUpdate": rolling}}}


def _claim_warnings(obj: JsonObject, below: str) -> list[str]:
    spec = mapping(obj.get("spec"))
    warnings = [
        warning
        for index, claim in enumerate(mappings(spec.get("volumeClaimTemplates")))
        for warning in claim_spec_warnings(f"spec.volumeClaimTemplates[{index}]{below}", claim.get("spec"))
    ]
    return [*warnings, _NEGATIVE_HISTORY] if number(spec.get("revisionHistoryLimit")) < 0 else warnings


STATEFUL_SET: Final = replace(
    _workload(_apps("StatefulSet")),
    prepare_create=chain(
        fresh_status(_apps("StatefulSet")),
        generation_one,
        lambda obj, _: _without_unavailable(obj, {}),
        _enabled_create,
    ),
    prepare_update=chain_update(
        keep_status, lambda new, old, _: _without_unavailable(new, old), _enabled_update, counting("spec")
    ),
    create_warnings=lambda obj: [*_warnings_of_template(obj), *_claim_warnings(obj, "")],
    update_warnings=lambda new, old: [*_update_warnings(new, old), *_claim_warnings(new, ".Spec")],
)


def _enabled_pod_template(new: JsonObject, old: JsonObject) -> JsonObject:
    template = new.get("template")
    kept = enabled_template(template, old.get("template"))
    return new if kept is template else {**new, "template": kept}


def _pod_template_warnings(obj: JsonObject) -> Sequence[str]:
    return template_warnings("template", obj.get("template"))


POD_TEMPLATE: Final = Strategy(
    answers_deleted=True,
    prepare_create=chain(generation_one, lambda obj, _: _enabled_pod_template(obj, {})),
    prepare_update=chain_update(lambda new, old, _: _enabled_pod_template(new, old), counting("template")),
    create_warnings=_pod_template_warnings,
    update_warnings=lambda new, old: _pod_template_warnings(new) if generation_of(new) != generation_of(old) else (),
)
