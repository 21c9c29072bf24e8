"""Pods and templates of pods."""

from plumbline.apiserver.fielderrors import FieldError
from plumbline.apiserver.validation.metadata import object_meta_errors, object_meta_update_errors
from plumbline.apiserver.validation.names import subdomain_name
from plumbline.apiserver.validation.pods.creation import pod_create_errors
from plumbline.apiserver.validation.pods.resizing import resize_errors
from plumbline.apiserver.validation.pods.status import pod_status_errors
from plumbline.apiserver.validation.pods.template import template_errors
from plumbline.apiserver.validation.pods.updates import ephemeral_update_errors, pod_update_errors
from plumbline.apiserver.validation.shapes import mapping
from plumbline.base.json import JsonObject


def _template_create_errors(obj: JsonObject) -> list[FieldError]:
    metadata = obj.get("metadata")
    errors = object_meta_errors(metadata, namespaced=True, name_faults=subdomain_name, known_finalizers=True)
    return errors + template_errors(mapping(obj.get("template")), "template")


def _template_update_errors(new: JsonObject, old: JsonObject) -> list[FieldError]:
    errors = object_meta_update_errors(new.get("metadata"), old.get("metadata"), known_finalizers=True)
    template = mapping(new.get("template"))
    return errors if template == old.get("template") else errors + template_errors(template, "template")


CREATE = {"Pod": pod_create_errors, "PodTemplate": _template_create_errors}
UPDATE = {"Pod": pod_update_errors, "PodTemplate": _template_update_errors}
STATUS_UPDATE = {"Pod": pod_status_errors}
SUBRESOURCE_UPDATE = {("Pod", "ephemeralcontainers"): ephemeral_update_errors, ("Pod", "resize"): resize_errors}
