"""A mutating webhook in a town."""

import asyncio
import base64

from plumbline.apiserver.webhooks.answers import Reply
from plumbline.base.json import decode, encode

HOOKS = "admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


class Meddler:
    """A webhook that does to ConfigMaps and Secrets what it is told to, and remembers what it was asked in dry runs."""

    def __init__(self, plane):
        self.rehearsed = []
        self.under_way, self.most = 0, 0
        self.patches, self.denies, self.says = [], set(), "not today"
        plane._hooks._poster = self

    async def post(self, where, tls, body):
        request = decode(body)["request"]
        if request["dryRun"]:
            self.rehearsed.append(request["name"])
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await asyncio.sleep(0.01)
            self.under_way -= 1
        allowed = request["name"] not in self.denies
        response = {"uid": request["uid"], "allowed": allowed}
        if not allowed:
            response["status"] = {"code": 403, "message": self.says}
        elif self.patches:
            response |= {"patchType": "JSONPatch", "patch": base64.b64encode(encode(self.patches)).decode()}
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}
        return Reply(200, "application/json", encode(review), None)

    async def close(self): ...


async def meddled(town):
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["configmaps", "secrets"],
        "operations": ["CREATE", "UPDATE"],
    }
    hook = {
        "name": "meddler.example.org",
        "rules": [rule],
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}},
        "clientConfig": {"url": "https://meddler.example.org/ask"},
    }
    configuration = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "meddler"},
        "webhooks": [hook],
    }
    await town.create(HOOKS, configuration)
    return Meddler(town.plane)
