"""What depends on who asks, on what is in the way, and on what this control plane does not do."""

import pytest

from plumbline.access.identity import AUTHENTICATED, Identity
from plumbline.apiserver.calls import Call
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject, decode, encode

WRITER = Identity("writer", groups=(AUTHENTICATED,))
RBAC = "/apis/rbac.authorization.k8s.io/v1"
CSR = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
POD: JsonObject = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


class Served:
    def __init__(self, plane: Plane) -> None:
        self._plane = plane

    async def ask(
        self, method: str, path: str, body: Json = None, *, identity: Identity = ADMIN, kind: str = "application/json"
    ) -> tuple[int, Json, list[str]]:
        headers = {"content-type": kind, "user-agent": "test"}
        payload = encode(body) if body is not None else b""
        answer = await self._plane.answer(Call(method, path, "", headers, payload, identity=identity))
        warnings = [value for name, value in answer.headers if name == "Warning"]
        return answer.status, decode(answer.body), warnings


@pytest.fixture
async def served():
    async with Plane(SystemClock(), Ids()).running() as plane:
        yield Served(plane)


async def test_a_pod_waits_for_the_account_of_its_new_namespace(served: Served) -> None:
    assert (await served.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "new"}}))[0] == 201
    status, pod, _ = await served.ask("POST", "/api/v1/namespaces/new/pods", POD)
    assert status == 201
    assert pod["spec"]["serviceAccountName"] == "default"
    assert pod["spec"]["volumes"][0]["name"].startswith("kube-api-access-")


UNENFORCED = [
    ("/api/v1/namespaces/default/resourcequotas", {"spec": {"hard": {"pods": "1"}}}),
    ("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", {"spec": {"podSelector": {}}}),
    (
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
        {"spec": {"policyName": "p", "validationActions": ["Deny"]}},
    ),
]


@pytest.mark.parametrize(("path", "obj"), UNENFORCED)
async def test_whoever_writes_what_is_not_enforced_is_told(served: Served, path: str, obj: JsonObject) -> None:
    plural = path.rsplit("/", 1)[1]
    said = f'299 - "{plural} are stored, but this control plane does not enforce them"'
    status, made, warnings = await served.ask("POST", path, {"metadata": {"name": "x"}, **obj})
    assert (status, warnings) == (201, [said])
    assert (await served.ask("PUT", f"{path}/x", made))[2] == [said]
    assert (await served.ask("GET", f"{path}/x"))[2] == []
    assert (await served.ask("DELETE", f"{path}/x"))[2] == []


async def _granted(served: Served, *rules: JsonObject) -> None:
    await served.ask("POST", f"{RBAC}/clusterroles", {"metadata": {"name": "w"}, "rules": list(rules)})
    subject = {"kind": "User", "name": WRITER.name, "apiGroup": "rbac.authorization.k8s.io"}
    ref = {"kind": "ClusterRole", "name": "w", "apiGroup": "rbac.authorization.k8s.io"}
    binding = {"metadata": {"name": "w"}, "subjects": [subject], "roleRef": ref}
    assert (await served.ask("POST", f"{RBAC}/clusterrolebindings", binding))[0] == 201


async def test_nobody_grants_what_they_do_not_hold(served: Served) -> None:
    rule = {"verbs": ["create", "update"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"]}
    await _granted(served, rule)
    roles = f"{RBAC}/namespaces/default/roles"
    secrets = {
        "metadata": {"name": "BAD NAME"},
        "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"]}],
    }
    status, refused, _ = await served.ask("POST", roles, secrets, identity=WRITER)
    assert status == 403, "before anybody looks whether it is valid"
    assert "is attempting to grant RBAC permissions not currently held" in refused["message"]
    fine = {"metadata": {"name": "fine"}, "rules": [rule]}
    assert (await served.ask("POST", roles, fine, identity=WRITER))[0] == 201
    wider = {"metadata": {"name": "fine"}, "rules": secrets["rules"]}
    assert (await served.ask("PUT", f"{roles}/fine", wider, identity=WRITER))[0] == 403


@pytest.mark.parametrize(
    ("below", "verb", "conditions"),
    [
        ("approval", "approve", [{"type": "Approved", "status": "True", "reason": "R"}]),
        ("status", "sign", [{"type": "Failed", "status": "True", "reason": "R"}]),
    ],
)
@pytest.mark.parametrize("signer", ["x.io/y", "x.io/*", ""])
async def test_certificates_need_a_right_for_their_signer(
    served: Served, below: str, verb: str, conditions: list[JsonObject], signer: str
) -> None:
    rules = [
        {
            "verbs": ["update"],
            "apiGroups": ["certificates.k8s.io"],
            "resources": [f"certificatesigningrequests/{below}"],
        }
    ]
    if signer:
        rules.append(
            {"verbs": [verb], "apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "resourceNames": [signer]}
        )
    await _granted(served, *rules)
    from tests.apiserver.admission.gates.certificates import REQUEST  # noqa: PLC0415 - the longest constant there is

    spec = {"request": REQUEST, "signerName": "x.io/y", "usages": ["client auth"]}
    status, made, _ = await served.ask("POST", CSR, {"metadata": {"name": "c"}, "spec": spec})
    assert status == 201, made
    changed = {**made, "status": {"conditions": conditions}}
    status, answer, _ = await served.ask("PUT", f"{CSR}/c/{below}", changed, identity=WRITER)
    assert status == (200 if signer else 403)
    if not signer:
        assert f'user not permitted to {verb} requests with signerName "x.io/y"' in answer["message"]


async def test_a_request_that_cannot_be_read_is_refused_by_name(served: Served) -> None:
    spec = {"request": "bm90aGluZw==", "signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"]}
    status, _, _ = await served.ask("POST", CSR, {"metadata": {"name": "c"}, "spec": spec})
    assert status == 422, "validation sees it first"


async def test_plugins_can_be_left_out() -> None:
    async with Plane(
        SystemClock(), Ids(), disabled_plugins=("NamespaceLifecycle", "ServiceAccount")
    ).running() as plane:
        status, _, _ = await Served(plane).ask("POST", "/api/v1/namespaces/none-such/pods", POD)
        assert status == 201


async def test_endpoints_are_deprecated_whatever_one_does_with_them(served: Served) -> None:
    path = "/api/v1/namespaces/default/endpoints"
    said = ['299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"']
    for method, where, body in [
        ("POST", path, {"metadata": {"name": "e"}}),
        ("GET", path, None),
        ("GET", f"{path}/e", None),
        ("DELETE", f"{path}/e", None),
        ("GET", f"{path}/e", None),
    ]:
        assert (await served.ask(method, where, body))[2] == said
