"""Who may do what: role bindings, certificates, admission."""

from typing import Final

from plumbline.apiserver.tables.ages import human_duration
from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.reading import (
    NONE,
    UNSET,
    age,
    at,
    items,
    labels,
    mapping,
    name,
    number,
    records,
    text,
    texts,
)
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

_ROLE_BINDING: Final = """
    Name
    Role | RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.
    Age
    Users* | Users in the roleBinding
    Groups* | Groups in the roleBinding
    ServiceAccounts* | ServiceAccounts in the roleBinding
"""
_CLUSTER_ROLE_BINDING: Final = """
    Name
    Role | RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.
    Age
    Users* | Users in the clusterRoleBinding
    Groups* | Groups in the clusterRoleBinding
    ServiceAccounts* | ServiceAccounts in the clusterRoleBinding
"""
_SIGNING_REQUEST: Final = r"""
    Name
    Age
    SignerName | Requested signer for the request. It is a qualified name in the form: `scope-hostname.io/name`. If empty, it will be defaulted:\n 1. If it's a kubelet client certificate, it is assigned\n    "kubernetes.io/kube-apiserver-client-kubelet".\n 2. If it's a kubelet serving certificate, it is assigned\n    "kubernetes.io/kubelet-serving".\n 3. Otherwise, it is assigned "kubernetes.io/legacy-unknown".\nDistribution of trust for signers happens out of band. You can select on this field using `spec.signerName`.
    Requestor | Base64-encoded PKCS#10 CSR data
    RequestedDuration | @certificates.v1.CertificateSigningRequestSpec.expirationSeconds
    Condition | Conditions applied to the request, such as approval or denial.
"""
_TRUST_BUNDLE: Final = """
    Name
    SignerName | @certificates.v1beta1.ClusterTrustBundleSpec.signerName
"""
_POD_CERTIFICATE: Final = """
    Name
    PodName | @certificates.v1beta1.PodCertificateRequestSpec.podName
    ServiceAccountName | @certificates.v1beta1.PodCertificateRequestSpec.serviceAccountName
    NodeName | @certificates.v1beta1.PodCertificateRequestSpec.nodeName
    SignerName | @certificates.v1beta1.PodCertificateRequestSpec.signerName
    State | Is the request Pending, Issued, Denied, or Failed?
    UnverifiedUserAnnotations | @certificates.v1beta1.PodCertificateRequestSpec.unverifiedUserAnnotations
"""
_WEBHOOKS: Final = """
    Name
    Webhooks:integer | Webhooks indicates the number of webhooks registered in this configuration
    Age
"""
_VALIDATING_POLICY: Final = """
    Name
    Validations:integer | Validations indicates the number of validation rules defined in this configuration
    ParamKind | ParamKind specifies the kind of resources used to parameterize this policy
    Age
"""
_MUTATING_POLICY: Final = """
    Name
    Mutations:integer | Mutation indicates the number of mutations rules defined in this configuration
    ParamKind | ParamKind specifies the kind of resources used to parameterize this policy
    Age
"""
_POLICY_BINDING: Final = """
    Name
    PolicyName | PolicyName indicates the policy definition which the policy binding binded to
    ParamRef | ParamRef indicates the param resource which sets the configuration param
    Age
"""


def _binding(obj: JsonObject, now_s: float) -> list[Json]:
    role = f"{text(obj, 'roleRef', 'kind')}/{text(obj, 'roleRef', 'name')}"
    subjects = records(obj, "subjects")
    return [
        name(obj),
        role,
        age(obj, now_s),
        ", ".join(text(each, "name") for each in subjects if each.get("kind") == "User"),
        ", ".join(text(each, "name") for each in subjects if each.get("kind") == "Group"),
        ", ".join(
            f"{text(each, 'namespace')}/{text(each, 'name')}"
            for each in subjects
            if each.get("kind") == "ServiceAccount"
        ),
    ]


def _signing_request(obj: JsonObject, now_s: float) -> list[Json]:
    spec = at(obj, "spec")
    wanted = at(spec, "expirationSeconds")
    return [
        name(obj),
        age(obj, now_s),
        text(spec, "signerName") or NONE,
        text(spec, "username"),
        NONE if wanted is None else human_duration(number(spec, "expirationSeconds")),
        _signing_status(obj),
    ]


def _signing_status(obj: JsonObject) -> str:
    """Whatever the conditions' status: that they are there decides."""
    kinds = {text(each, "type") for each in records(obj, "status", "conditions")}
    status = next((each for each in ("Denied", "Approved") if each in kinds), "Pending")
    failed = ",Failed" if "Failed" in kinds else ""
    return f"{status}{failed},Issued" if text(obj, "status", "certificate") else status + failed


def _trust_bundle(obj: JsonObject, _now_s: float) -> list[Json]:
    return [name(obj), text(obj, "spec", "signerName") or NONE]


def _pod_certificate(obj: JsonObject, _now_s: float) -> list[Json]:
    spec = at(obj, "spec")
    kinds = [text(each, "type") for each in records(obj, "status", "conditions")]
    ends = [each for each in kinds if each in {"Issued", "Denied", "Failed"}]
    shown = [text(spec, each) for each in ("podName", "serviceAccountName", "nodeName", "signerName")]
    notes = labels(mapping(spec, "unverifiedUserAnnotations"))
    return [name(obj), *shown, ends[-1] if ends else "Pending", notes]


def _webhooks(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), len(items(obj, "webhooks")), age(obj, now_s)]


def _validating_policy(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), len(items(obj, "spec", "validations")), _parameter_kind(obj), age(obj, now_s)]


def _mutating_policy(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), len(items(obj, "spec", "mutations")), _parameter_kind(obj), age(obj, now_s)]


def _parameter_kind(obj: JsonObject) -> str:
    kind = at(obj, "spec", "paramKind")
    return f"{text(kind, 'apiVersion')}/{text(kind, 'kind')}" if isinstance(kind, dict) else UNSET


def _policy_binding(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), text(obj, "spec", "policyName"), _parameters(at(obj, "spec", "paramRef")), age(obj, now_s)]


def _parameters(reference: Json) -> str:
    if found := text(reference, "name"):
        return f"{text(reference, 'namespace') or '*'}/{found}"
    selector = at(reference, "selector")
    return _go_selector(selector) if isinstance(selector, dict) else UNSET


def _go_selector(selector: JsonObject) -> str:
    """As Go's generated code prints the message, which is what upstream shows here."""
    wanted = mapping(selector, "matchLabels")
    pairs = "".join(f"{key}: {text(wanted, key)}," for key in sorted(wanted))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{text(each, 'key')},Operator:{text(each, 'operator')},"
        f"Values:[{' '.join(texts(each, 'values'))}],}},"
        for each in records(selector, "matchExpressions")
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{pairs}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )


_RBAC: Final = "rbac.authorization.k8s.io"
_CERTIFICATES: Final = "certificates.k8s.io"
_ADMISSION: Final = "admissionregistration.k8s.io"
PRINTERS: Final = {
    GroupKind(_ADMISSION, "MutatingAdmissionPolicy"): BuiltinPrinter(_MUTATING_POLICY, _mutating_policy),
    GroupKind(_ADMISSION, "MutatingAdmissionPolicyBinding"): BuiltinPrinter(_POLICY_BINDING, _policy_binding),
    GroupKind(_ADMISSION, "MutatingWebhookConfiguration"): BuiltinPrinter(_WEBHOOKS, _webhooks),
    GroupKind(_ADMISSION, "ValidatingAdmissionPolicy"): BuiltinPrinter(_VALIDATING_POLICY, _validating_policy),
    GroupKind(_ADMISSION, "ValidatingAdmissionPolicyBinding"): BuiltinPrinter(_POLICY_BINDING, _policy_binding),
    GroupKind(_ADMISSION, "ValidatingWebhookConfiguration"): BuiltinPrinter(_WEBHOOKS, _webhooks),
    GroupKind(_CERTIFICATES, "CertificateSigningRequest"): BuiltinPrinter(_SIGNING_REQUEST, _signing_request),
    GroupKind(_CERTIFICATES, "ClusterTrustBundle"): BuiltinPrinter(_TRUST_BUNDLE, _trust_bundle),
    GroupKind(_CERTIFICATES, "PodCertificateRequest"): BuiltinPrinter(_POD_CERTIFICATE, _pod_certificate),
    GroupKind(_RBAC, "ClusterRoleBinding"): BuiltinPrinter(_CLUSTER_ROLE_BINDING, _binding),
    GroupKind(_RBAC, "RoleBinding"): BuiltinPrinter(_ROLE_BINDING, _binding),
}
