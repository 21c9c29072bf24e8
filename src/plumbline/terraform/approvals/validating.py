"""Answers an API server that asks whether a PlanApproval may be made.

Every process answers, whichever of them leads, from what the cluster says now: an approval is rare, and must not depend on
who is asked.
"""

from typing import Final

from plumbline.base.errors import InvalidInput, PlumblineError
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.log import logger
from plumbline.kinds.read import read
from plumbline.kinds.terraform import TERRAFORM_POLICY, TerraformPolicySpec
from plumbline.kube.client import Client, Target
from plumbline.kube.reviews import allowed, refused, request_of
from plumbline.terraform.approvals.statements import lie, objection, statement
from plumbline.terraform.policies import Policy, combined
from plumbline.terraform.policies.policy import concerns

_DEADLINE_S: Final = 4.0
"""Of each of two calls: whoever asks waits for ten."""
_BAD_REQUEST, _FORBIDDEN, _INTERNAL = 400, 403, 500

log = logger(__name__)


class Approvals:
    """*namespace* is the installation's own: policies in it hold everywhere."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client.within(_DEADLINE_S)
        self._namespace = namespace

    async def validate(self, review: Json) -> JsonObject:
        """The answer to an AdmissionReview of version v1. Raises InvalidInput for what is none."""
        request = request_of(review)
        try:
            said = statement(request)
            if said is None:
                return allowed(request)
            why = lie(said, request["operation"])
            why = why or objection(said, await self.policy(said.namespace, said.spec.terraform))
        except InvalidInput as bad:
            return refused(request, _BAD_REQUEST, str(bad))
        except PlumblineError as error:
            log.warning("approval not judged", code=error.code, error=str(error))
            return refused(request, _INTERNAL, f"Nobody could say whether it may be: {error}")
        if why:
            log.info("approval refused", namespace=said.namespace, terraform=said.spec.terraform, user=said.user)
            return refused(request, _FORBIDDEN, why)
        return allowed(request)

    async def policy(self, namespace: str, name: str) -> Policy:
        """What holds for the approvals of one Terraform object."""
        found = [spec for each in {namespace, self._namespace} for spec in await self._specs(each)]
        return combined(spec for spec in found if concerns(spec, name))

    async def _specs(self, namespace: str) -> list[TerraformPolicySpec]:
        page = await self._client.list(Target(TERRAFORM_POLICY.resource, namespace))
        return [read(TERRAFORM_POLICY, decode(bytes(each))).spec for each in page.items]
