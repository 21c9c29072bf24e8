"""Requests as webhooks see them, without a server around."""

from plumbline.access.identity import AUTHENTICATED, MASTERS, Identity
from plumbline.apiserver.models.definition import builtin_models
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.webhooks.hooks import Hook, hooks_of
from plumbline.apiserver.webhooks.subjects import Subject, subject_of
from plumbline.base.json import Json, JsonObject, encode

ADMIN = Identity("kubernetes-admin", groups=(MASTERS, AUTHENTICATED))
REGISTRY = Registry(builtin_models())


def subject(
    resource: str = "configmaps",
    operation: str = "CREATE",
    *,
    group: str = "",
    version: str = "v1",
    namespace: str = "default",
    name: str = "a",
    subresource: str = "",
    obj: JsonObject | None = None,
    old: JsonObject | None = None,
    options: JsonObject | None = None,
    dry_run: bool = False,
) -> Subject:
    model = REGISTRY.find(group, version, resource)
    assert model is not None
    space = namespace if model.resource.namespaced else ""
    scope = Scope(model, ADMIN, space, name, subresource, dry_run)
    return subject_of(Attributes(scope, Operation(operation), obj, old, options or {}))


def one_hook(**fields: Json) -> Hook:
    everything = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}
    written = {
        "name": "h.example.com",
        "clientConfig": {"url": "https://127.0.0.1:1/x"},
        "rules": [everything],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **fields,
    }
    (found,) = hooks_of(encode({"metadata": {"name": "c"}, "webhooks": [written]}))
    return found
