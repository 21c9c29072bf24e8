"""Custom kinds on the real server: define one and wait until it is served."""

from tests.conformance.real import APPLY, RealCluster

from plumbline.base.clock import SystemClock

from .subjects.subject import Subject

_DEADLINE_S = 30


def establish(server: RealCluster, subject: Subject) -> None:
    answer = server.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", subject.crd or {})
    assert answer.status == 201, answer.body
    clock = SystemClock()
    until = clock.monotonic() + _DEADLINE_S
    # The OpenAPI document follows the definition after a moment, and apply needs it.
    group = f"/openapi/v3/apis/{subject.gvk.group}/{subject.gvk.version}"
    while clock.monotonic() < until:
        served = server.get(subject.path("default"))
        if served.fine and f'.{subject.gvk.kind}"' in str(server.get(group).body).replace("'", '"'):
            return
    raise AssertionError(f"{subject.gvk} is not served after {_DEADLINE_S} s")


def amend(server: RealCluster, subject: Subject, namespace: str, *, granular: bool) -> Subject:
    """Define *subject* or change its definition, and wait until apply takes `spec.map` as told."""
    definition = subject.crd or {}
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{definition['metadata']['name']}"
    answer = server.patch(path, definition, APPLY, fieldManager="amend", force="true")
    assert answer.fine, answer.body
    probe = {**subject.identity(namespace, "probe"), "spec": {"map": {"x": "1"}}}
    clock = SystemClock()
    until = clock.monotonic() + _DEADLINE_S
    while clock.monotonic() < until:
        tried = server.patch(f"{subject.path(namespace)}/probe", probe, APPLY, fieldManager="probe", dryRun="All")
        if tried.fine:
            owned = tried.body["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:map"]
            if bool(owned) is granular:
                return subject
    raise AssertionError(f"{subject.gvk} is not served as amended after {_DEADLINE_S} s")
