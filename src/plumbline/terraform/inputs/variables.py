"""The variables of a run: what the object says, what Secrets and ConfigMaps say over it, and `values` with its templates."""

from typing import Final

from plumbline.base.errors import BadExpression, EvaluationFailed, InvalidInput
from plumbline.base.json import Json, decode, encode_sorted
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import redact_text
from plumbline.gotemplate import Surroundings, Template, Value, sprig
from plumbline.kinds.flux.terraform import Holder, TerraformSpec, Variable, VarsReference
from plumbline.kube.names import Ref
from plumbline.terraform.inputs.reading import Sources, required
from plumbline.terraform.inputs.typed import floating, go_text, template_inputs

VARIABLES_FILE: Final = "generated.auto.tfvars.json"
TEMPLATE_FILE: Final = "main.tf.tpl"
RENDERED_FILE: Final = "main.tf"
DELIMITERS: Final = ("${{", "}}")


async def variables(namespace: str, spec: TerraformSpec, sources: Sources) -> Plaintext:
    """JSON of all variables, by name. What comes later wins: values, vars, varsFrom in their order."""
    found: dict[str, Json] = {}
    inputs = await _inputs(namespace, spec, sources)
    if spec.values is not None:
        found["values"] = filled(spec.values, inputs)
    for each in spec.vars:
        found |= await _variable(namespace, each, sources)
    for reference in spec.vars_from:
        found |= await _taken(namespace, reference, sources)
    return Plaintext(encode_sorted(found))


async def _inputs(namespace: str, spec: TerraformSpec, sources: Sources) -> dict[str, Value]:
    return {
        each.as_: template_inputs(
            await sources.entries("Secret", namespace, each.name), f"Secret {namespace}/{each.name}"
        )
        for each in spec.read_inputs_from_secrets
    }


def filled(values: Json, inputs: dict[str, Value]) -> Json:
    """*values* with every template in its texts and keys filled in.

    Each text is a template of its own, so that a value can never reach beyond the text that it is put into.
    """
    if isinstance(values, str):
        return _filled_text(values, inputs)
    if isinstance(values, list):
        return [filled(each, inputs) for each in values]
    if isinstance(values, dict):
        return {_filled_text(key, inputs): filled(each, inputs) for key, each in values.items()}
    return values


def _filled_text(text: str, inputs: dict[str, Value]) -> str:
    if DELIMITERS[0] not in text:
        return text
    try:
        return Template("values", text, delimiters=DELIMITERS).execute(inputs)
    except (BadExpression, EvaluationFailed) as wrong:
        raise InvalidInput("spec.values cannot be filled in", why=redact_text(str(wrong))) from None


async def _variable(namespace: str, variable: Variable, sources: Sources) -> dict[str, Json]:
    source = variable.value_from
    if variable.value is not None or source is None:
        return {variable.name: variable.value}
    kind: Holder = "Secret" if source.secret_key_ref is not None else "ConfigMap"
    selector = source.secret_key_ref or source.config_map_key_ref
    if selector is None:
        raise InvalidInput(
            f"Variable {variable.name[:253]} has no value",
            why="its valueFrom is neither a secretKeyRef nor a configMapKeyRef",
            hint="Use one of the two, or write the value.",
        )
    value = await sources.selected(kind, namespace, selector)
    return {} if value is None else {variable.name: _text(value, selector.key)}


async def _taken(namespace: str, reference: VarsReference, sources: Sources) -> dict[str, Json]:
    entries = await sources.offered(reference.kind, namespace, reference.name, optional=reference.optional)
    if not reference.vars_keys:
        return {key: go_text(value.reveal()) for key, value in entries.items()}
    holder = Ref("", reference.kind, namespace, reference.name)
    found: dict[str, Json] = {}
    for pattern in reference.vars_keys:
        key, name = renamed(pattern)
        if reference.optional and key not in entries:
            continue
        found[name] = _text(required(entries, holder, key), key)
    return found


def renamed(pattern: str) -> tuple[str, str]:
    """The key in the Secret or ConfigMap, and the variable that it becomes: `key`, or `key:variable`."""
    parts = pattern.split(":")
    if len(parts) == 1:
        return pattern, pattern
    shown = pattern[:253]
    if len(parts) != len(("key", "variable")):
        raise InvalidInput("Variables cannot be taken", why=f'invalid rename pattern "{shown}"')
    for part, side in zip(parts, ("old", "new"), strict=True):
        if not part:
            raise InvalidInput("Variables cannot be taken", why=f'invalid rename pattern {side} name: "{shown}"')
    return parts[0], parts[1]


def _text(value: Plaintext, key: str) -> str:
    """Of a key that somebody asked for by name: they would not notice that half of it is replacement characters."""
    try:
        return value.reveal().decode()
    except UnicodeDecodeError:
        raise InvalidInput(
            f"Key {key[:253]!r} cannot be a variable",
            why="it is not UTF-8",
            hint="Put it into a file with fileMappings, or encode it as base64.",
        ) from None


def rendered_main(template: str, variables: Plaintext, surroundings: Surroundings) -> Plaintext:
    """What `main.tf` becomes where the module has a `main.tf.tpl`: a Go template with Sprig over all variables.

    The variable `values` is there as `.Values` too. Raises InvalidInput, without any value of a Secret in it.
    """
    known = floating(decode(variables.reveal()))
    try:
        made = Template(TEMPLATE_FILE, template, sprig(surroundings)).execute({**known, "Values": known.get("values")})
    except (BadExpression, EvaluationFailed) as wrong:
        raise InvalidInput(f"{TEMPLATE_FILE} cannot be rendered", why=redact_text(str(wrong))) from None
    return Plaintext(made)
