"""What others see of a run that went well: outputs in a Secret and a ConfigMap, and whether what was made answers."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import NotFound, PlumblineError
from plumbline.base.json import JsonObject, decode
from plumbline.gate.hands import Behalf
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Wait
from plumbline.kube.client import Target, Writing
from plumbline.kube.names import GroupVersionResource, Ref
from plumbline.terraform.around import Around
from plumbline.terraform.checks import due, health
from plumbline.terraform.looking import At, Look, failed, retry_s
from plumbline.terraform.outputs import available, output_secret, public_name, public_outputs, published
from plumbline.terraform.runs import Report
from plumbline.terraform.work import Output

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_WRITING: Final = Writing(field_manager="tf-controller")


class Publishing:
    def __init__(self, around: Around) -> None:
        self._around = around

    async def published(self, run: Look, at: At, report: Report) -> At:
        """*at* with what came of it. A failure is noted as what the look ends with, after all else."""
        outputs = report.outputs
        if outputs is None or run.spec.destroy or run.deleting:
            return at
        try:
            at = await self._outputs(run, at, outputs)
        except PlumblineError as error:
            trouble = failed(run, "OutputsWritingFailed", error)
            return at.said(Condition("Output", "False", trouble.reason, trouble.message))._replace(trouble=trouble)
        return await self._healthy(run, at, outputs)

    async def _outputs(self, run: Look, at: At, outputs: Mapping[str, Output]) -> At:
        names = available(outputs)
        at = at.noted(availableOutputs=list(names) or None)
        wanted = run.spec.write_outputs_to_secret
        written = False
        if wanted is not None:
            live = await self._live(SECRETS, run, wanted.name)
            written = await self._write(SECRETS, run, output_secret(run.read, outputs, live), live)
        if name := public_name(run.read):
            live = await self._live(CONFIG_MAPS, run, name)
            public = public_outputs(run.read, outputs, live)
            written = await self._write(CONFIG_MAPS, run, public.config_map, live) or written
            if public.left_out:
                run.tell("OutputsLeftOut", f"Sensitive outputs are in no ConfigMap: {', '.join(public.left_out)}")
        if wanted is None and not names:
            return at
        said = Condition("Output", "True", "TerraformOutputsAvailable", "Outputs available")
        if wanted is not None:
            said = Condition("Output", "True", "TerraformOutputsWritten", "Outputs written")
        at = at.said(said)
        return at._replace(reason=said.reason, message=said.message) if written else at

    async def _healthy(self, run: Look, at: At, outputs: Mapping[str, Output]) -> At:
        checks = run.spec.health_checks
        applied = any(each.type == "Apply" and each.status == "True" for each in at.conditions)
        if not checks or not (applied or due(checks, run.read.status.conditions)):
            return at
        with run.waiting():
            found = await health(checks, published(run.read, outputs), self._around.wire)
        at = at.said(Condition("HealthCheck", "True" if found.healthy else "False", found.reason, found.message))
        if found.healthy:
            return at
        run.tell(found.reason, found.event, warning=True)
        return at._replace(trouble=Wait(found.reason, found.message, retry_s(run)))

    async def _live(self, resource: GroupVersionResource, run: Look, name: str) -> JsonObject | None:
        try:
            return decode(await self._around.client.get(Target(resource, run.object["metadata"]["namespace"], name)))
        except NotFound:
            return None

    async def _write(
        self, resource: GroupVersionResource, run: Look, body: JsonObject | None, live: JsonObject | None
    ) -> bool:
        if body is None:
            return False
        ref, behalf = Ref.of(body), Behalf.of("terraform", run.object)
        target = Target(resource, ref.namespace, ref.name)
        if live is None:
            await self._around.hands.create(target.collection, body, _WRITING, behalf, "Publish outputs")
        else:
            await self._around.hands.replace(target, body, _WRITING, behalf, "Publish outputs")
        return True
