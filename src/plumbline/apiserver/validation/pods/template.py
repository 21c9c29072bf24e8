"""Templates of pods, as workloads hold them."""

from plumbline.apiserver.fielderrors import FieldError, forbidden
from plumbline.apiserver.validation.metadata import annotation_errors, label_errors
from plumbline.apiserver.validation.pods.annotations import annotation_match_errors, annotation_meaning_errors
from plumbline.apiserver.validation.pods.spec import all_containers, pod_spec_errors
from plumbline.apiserver.validation.shapes import mapping
from plumbline.base.json import JsonObject


def template_errors(template: JsonObject, at: str) -> list[FieldError]:
    meta, spec = mapping(template.get("metadata")), mapping(template.get("spec"))
    errors = described_errors(template, at)
    errors += pod_spec_errors(spec, f"{at}.spec")
    if annotations := meta.get("annotations"):
        errors += annotation_match_errors(annotations, spec, f"{at}.spec", all_containers(spec, f"{at}.spec"))
    if spec.get("ephemeralContainers"):
        errors.append(forbidden(f"{at}.spec.ephemeralContainers", "ephemeral containers not allowed in pod template"))
    return errors


def described_errors(template: JsonObject, at: str) -> list[FieldError]:
    """Complaints about labels and annotations of a template, which upstream finds beside its metadata."""
    meta, spec = mapping(template.get("metadata")), mapping(template.get("spec"))
    errors: list[FieldError] = []
    if labels := meta.get("labels"):
        errors += label_errors(labels, f"{at}.labels")
    if annotations := meta.get("annotations"):
        field = f"{at}.annotations"
        errors += annotation_errors(annotations, field)
        errors += annotation_meaning_errors(annotations, field, spec, all_containers(spec, f"{at}.spec"))
    return errors
