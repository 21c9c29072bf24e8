"""Pods that are new, and what every version of a pod must hold to."""

from collections.abc import Iterator

from plumbline.apiserver.fielderrors import FieldError, forbidden
from plumbline.apiserver.validation.metadata import metadata_of, object_meta_errors
from plumbline.apiserver.validation.names import subdomain_name
from plumbline.apiserver.validation.pods.annotations import annotation_match_errors, annotation_meaning_errors
from plumbline.apiserver.validation.pods.containers import image_errors
from plumbline.apiserver.validation.pods.spec import all_containers, pod_spec_errors
from plumbline.apiserver.validation.pods.volumes import Owner
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import JsonObject


def pod_create_errors(pod: JsonObject) -> list[FieldError]:
    errors = meta_errors(pod)
    errors += pod_errors(pod)
    spec, annotations = mapping(pod.get("spec")), metadata_of(pod).get("annotations")
    if spec.get("ephemeralContainers"):
        errors.append(forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        errors.append(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"))
    if annotations:
        errors += annotation_match_errors(annotations, spec, "spec", all_containers(spec, "spec"))
    return errors


def meta_errors(pod: JsonObject) -> list[FieldError]:
    meta = metadata_of(pod)
    errors = object_meta_errors(meta, namespaced=True, name_faults=subdomain_name, known_finalizers=True)
    if annotations := meta.get("annotations"):
        spec = mapping(pod.get("spec"))
        errors += annotation_meaning_errors(annotations, "metadata.annotations", spec, all_containers(spec, "spec"))
    return errors


def pod_errors(pod: JsonObject) -> list[FieldError]:
    """Complaints about the spec of a pod."""
    meta, spec = metadata_of(pod), mapping(pod.get("spec"))
    owner = Owner(text(meta.get("name")), is_pod=True)
    errors = pod_spec_errors(spec, "spec", owner=owner, annotations=meta.get("annotations"))
    if not spec.get("serviceAccountName"):
        errors += _token_errors(spec)
    for name in ("containers", "initContainers"):
        for index, container in enumerate(mappings(spec.get(name))):
            errors += image_errors(container, f"spec.{name}[{index}]")
    return errors


def _token_errors(spec: JsonObject) -> Iterator[FieldError]:
    for index, volume in enumerate(mappings(spec.get("volumes"))):
        for position, source in enumerate(mappings(mapping(volume.get("projected")).get("sources"))):
            if source.get("serviceAccountToken") is not None:
                field = f"spec.volumes[{index}].projected.sources[{position}].serviceAccountToken"
                yield forbidden(field, "must not be specified when serviceAccountName is not set")
