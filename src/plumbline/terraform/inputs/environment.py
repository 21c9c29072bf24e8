"""The environment of a run, as `runnerPodTemplate.spec` describes it: envFrom first, and env over it."""

import re
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.flux.runnerpod import EnvFromSource, EnvVar
from plumbline.kinds.flux.terraform import Holder, TerraformSpec
from plumbline.terraform.inputs.reading import Sources
from plumbline.terraform.tool.environment import refuse_foreign
from plumbline.terraform.work import Argument

_NAME: Final = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*").fullmatch
_VARIABLES: Final = "TF_VAR_"


async def environment(namespace: str, spec: TerraformSpec, sources: Sources) -> tuple[Argument, ...]:
    """By name, each once. Raises InvalidInput for variables that change what the tool is asked to do."""
    pod = spec.runner_pod_template.spec
    found: dict[str, Plaintext] = {}
    for each in pod.env_from:
        found |= await _all(namespace, each, sources)
    for variable in pod.env:
        value = await _one(namespace, spec, variable, sources)
        if value is not None:
            found[variable.name] = value
    return tuple(Argument(name, _checked(name, value)) for name, value in sorted(found.items()))


async def _all(namespace: str, source: EnvFromSource, sources: Sources) -> dict[str, Plaintext]:
    """Keys that cannot be names are left out, as kubelet does."""
    kind: Holder = "Secret" if source.secret_ref is not None else "ConfigMap"
    named = source.secret_ref or source.config_map_ref
    if named is None:
        return {}
    entries = await sources.offered(kind, namespace, named.name, optional=bool(named.optional))
    return {source.prefix + key: value for key, value in entries.items() if _NAME(source.prefix + key)}


async def _one(namespace: str, spec: TerraformSpec, variable: EnvVar, sources: Sources) -> Plaintext | None:
    source = variable.value_from
    if source is None:
        return Plaintext(variable.value)
    if source.secret_key_ref is not None:
        return await sources.selected("Secret", namespace, source.secret_key_ref)
    if source.config_map_key_ref is not None:
        return await sources.selected("ConfigMap", namespace, source.config_map_key_ref)
    path = source.field_ref.field_path if source.field_ref is not None else ""
    known = {"metadata.namespace": namespace, "spec.serviceAccountName": spec.service_account_name}
    if path not in known:
        raise InvalidInput(
            f"The variable {variable.name[:200]} has no value",
            why="what it refers to is known within a pod only",
            hint="Use value, secretKeyRef or configMapKeyRef.",
        )
    return Plaintext(known[path])


def _checked(name: str, value: Plaintext) -> Plaintext:
    if not _NAME(name) or b"\0" in value.reveal():
        raise InvalidInput(f"The variable {name[:200]!r} cannot be set", why="its name or its value cannot be one")
    if name.startswith(_VARIABLES):
        why = "variables of the module are not given in the environment"
        raise InvalidInput(f"The variable {name[:200]} cannot be set", why=why, hint="Use vars or varsFrom.")
    refuse_foreign([name])
    return value
