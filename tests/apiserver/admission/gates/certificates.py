"""Requests for certificates."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.turns.samples import changed, made, patched

CSR = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
CLIENT = "kubernetes.io/kube-apiserver-client"
REQUEST = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVE1Ib0NBUUF3R0RFS01BZ0dBMVVFQ2d3QmJ6RUtNQWdHQTFVRUF3d0Jiak"
    "JaTUJNR0J5cUdTTTQ5QWdFRwpDQ3FHU000OUF3RUhBMElBQkFEM2pmVEpWWjk1Z3ZsTnQzVjVBWDVGYXpEcUtBcE9yMXFScEZmb2F0WHJyVjRm"
    "ClYzS3N5RE1Jb2pFSlRRZ2dId3BHQzhTbzcwUFZRZUMvM3pnbUQxR2dBREFLQmdncWhrak9QUVFEQWdOSkFEQkcKQWlFQW9hcnNtTzBLY2k0Vm"
    "RzbHpDWWF3bHdZaXE3eVdyWndFRC9rNmVnV0Z4ZWdDSVFDZmQ1ZGVLclVWN01rLwpFaEcya2J1SkhQZWl6SUEyVjhXTEZmeVFKMGxPWWc9PQot"
    "LS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K"
)
MASTERS_REQUEST = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaE1JR0hBZ0VBTUNVeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWE"
    "p6TVFvd0NBWURWUVFEREFGdQpNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVHem51MzZUZ3lJSXJtaGFKc0JHWE55Z2Q4anJz"
    "ClBLbkxwMjNGNG9jVUg1OUdCOG5PYWo1RDhhVSt6YkhHMU0wK0RpU1IyN0JkZGo2MWN3K3JtOUtjaktBQU1Bb0cKQ0NxR1NNNDlCQU1DQTBrQU"
    "1FWUNJUUREbWhPQlNJQzZJTnJRZnR0ajBNSGNFb2hyWjhYSzMvamRRYm5Xbkk0cQorQUloQUpQeUp4bWJOWUVTTC9KdXI2R2Yram5VSHJVcGZu"
    "WHQwRjBxenpIY2o3UzUKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=="
)
"""Requests for certificates, the second for a member of the group that may do everything."""


def asked(name: str, request: str = REQUEST, signer: str = CLIENT) -> Step:
    spec = {"request": request, "signerName": signer, "usages": ["client auth"], "username": "not me"}
    status = {"conditions": [{"type": "Approved", "status": "True"}]}
    return made(CSR, {"metadata": {"name": name}, "spec": spec, "status": status})


APPROVED = {"type": "Approved", "status": "True", "reason": "R", "message": "m"}
FAILED = {"type": "Failed", "status": "True", "reason": "R", "message": "m"}

SCRIPTS: Mapping[str, Script] = {
    "approved and failed": [
        asked("{ns}"),
        patched(f"{CSR}/{{ns}}", {"spec": {"signerName": "x.io/y"}, "metadata": {"labels": {"x": "y"}}}),
        patched(f"{CSR}/{{ns}}/approval", {"status": {"conditions": [APPROVED], "certificate": "bm90IGtlcHQ="}}),
        patched(f"{CSR}/{{ns}}/status", {"status": {"conditions": [{**APPROVED, "message": "changed"}, FAILED]}}),
        changed(
            f"{CSR}/{{ns}}/approval", lambda obj: {**obj, "status": {"conditions": [{**APPROVED, "message": "again"}]}}
        ),
        Step("DELETE", f"{CSR}/{{ns}}"),
    ],
    "subjects": [asked("{ns}-a", MASTERS_REQUEST), asked("{ns}-b", MASTERS_REQUEST, "x.io/y")],
}
