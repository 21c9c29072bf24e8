"""Bytes, which are base64 in JSON: in every field of the built-in kinds that has them, on every way in."""

from typing import Any

from tests.apiserver.scripts.samples import APPLY, CM, DRY, JSON_PATCH, MERGE, SECRET, STRATEGIC
from tests.apiserver.scripts.steps import Script, Step

APPLYING = {**DRY, "fieldManager": "m", "force": "true"}
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
CSR = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
API = "/apis/apiregistration.k8s.io/v1/apiservices"
TEXTS: tuple[Any, ...] = (
    "not base64!", "YQ", "YQ==YQ==", "Y Q==", "====", "-_8=", "YWI=\n", "YR==", "", None, 5, True, [], ["a"], [97, 98], {"a": 1},
)  # fmt: skip
WRONG = ("not base64!", "-_8=")


def secret(value: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"k": value}}


def binary(value: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "binaryData": {"k": value}}


def request(value: Any) -> dict[str, Any]:
    spec = {"signerName": "example.com/a", "usages": ["client auth"], "request": value}
    return _of("certificates.k8s.io/v1", "CertificateSigningRequest", "octets", spec=spec)


def webhooks(kind: str, value: Any) -> dict[str, Any]:
    called = {"url": "https://example.com/", "caBundle": value}
    hook = {"name": "a.example.com", "clientConfig": called, "sideEffects": "None", "admissionReviewVersions": ["v1"]}
    return _of("admissionregistration.k8s.io/v1", kind, "octets", webhooks=[hook])


def service(value: Any) -> dict[str, Any]:
    place = {"group": "octets.example.com", "version": "v1", "groupPriorityMinimum": 9, "versionPriority": 9}
    spec = {**place, "service": {"name": "a", "namespace": "default"}, "caBundle": value}
    return _of("apiregistration.k8s.io/v1", "APIService", "v1.octets.example.com", spec=spec)


def definition(value: Any) -> dict[str, Any]:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    called = {"url": "https://example.com/", "caBundle": value}
    conversion = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": called}}
    names = {"plural": "bits", "kind": "Bit"}
    spec = {"group": "octets.example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    return _of(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", "bits.octets.example.com",
        spec={**spec, "conversion": conversion},
    )  # fmt: skip


def _of(version: str, kind: str, name: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **rest}


def new(path: str, obj: dict[str, Any]) -> list[Step]:
    """Created, and applied."""
    item = f"{path}/{obj['metadata']['name']}"
    return [Step("POST", path, obj, DRY), Step("PATCH", item, obj, APPLYING, type=APPLY)]


def there(path: str, obj: dict[str, Any], field: str) -> list[Step]:
    """Written onto an object that exists."""
    item, value = f"{path}/a", obj[field]["k"]
    placed = {**obj, "metadata": {"name": "a", "namespace": "{ns}"}}
    return [
        Step("PUT", item, obj, DRY),
        Step("PATCH", item, {field: {"k": value}}, DRY, type=STRATEGIC),
        Step("PATCH", item, placed, APPLYING, type=APPLY),
        Step("PATCH", item, obj, {**APPLYING, "fieldValidation": "Strict"}, type=APPLY),
    ]


def patched(path: str, field: str, value: Any) -> list[Step]:
    add = [{"op": "add", "path": f"/{field}/k", "value": value}]
    return [
        Step("PATCH", f"{path}/a", {field: {"k": value}}, DRY, type=MERGE),
        Step("PATCH", f"{path}/a", add, DRY, type=JSON_PATCH),
    ]


SCRIPTS: dict[str, Script] = {
    "new secrets": [step for value in TEXTS for step in new(SECRET, secret(value))],
    "new config maps": [step for value in TEXTS for step in new(CM, binary(value))],
    "secrets": [
        Step("POST", SECRET, secret("YWJj"), compared=False),
        *(step for value in TEXTS for step in there(SECRET, secret(value), "data")),
        *(step for value in WRONG for step in patched(SECRET, "data", value)),
    ],
    "config maps": [
        Step("POST", CM, binary("YWJj"), compared=False),
        *(step for value in TEXTS for step in there(CM, binary(value), "binaryData")),
        *(step for value in WRONG for step in patched(CM, "binaryData", value)),
    ],
    "certificate requests": [step for value in WRONG for step in new(CSR, request(value))],
    "webhooks": [
        step
        for value in WRONG
        for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
        for step in new(f"{ADMISSION}/{kind.lower()}s", webhooks(kind, value))
    ],
    "API services": [step for value in WRONG for step in new(API, service(value))],
    "definitions": [step for value in WRONG for step in new(CRD, definition(value))],
}
