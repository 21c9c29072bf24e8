"""What was rendered, as the documents that upstream prints. Pure."""

from typing import NamedTuple

from plumbline.base.json import JsonObject
from plumbline.composition.functions.answers import copied
from plumbline.composition.rendering.values import API_VERSION, Engine, Inputs, Rendered
from plumbline.kube.fieldpath.merging import MergeOptions, merged


class Shown(NamedTuple):
    results: bool = False
    full: bool = False
    """The composite with the metadata and the spec that it was given with."""
    context: bool = False


def text_of(rendered: Rendered, shown: Shown, inputs: Inputs, engine: Engine) -> str:
    from plumbline.base.documents import dump_yaml  # noqa: PLC0415 - only who prints waits for YAML

    composite = _full(rendered, inputs, engine) if shown.full else rendered.composite
    documents = [composite, *rendered.composed]
    if shown.results:
        documents += rendered.results
    if shown.context:
        # An empty map does not survive the wire, which the older engines print as it came.
        context = copied(rendered.context) if rendered.context or engine == "new" else None
        documents.append({"apiVersion": API_VERSION, "kind": "Context", "fields": context})
    return "".join(f"---\n{dump_yaml(each)}" for each in documents)


def _full(rendered: Rendered, inputs: Inputs, engine: Engine) -> JsonObject:
    if engine == "new":
        full: JsonObject = merged(inputs.composite, rendered.composite, MergeOptions())
        return full
    kept: JsonObject = {key: inputs.composite[key] for key in ("metadata", "spec") if key in inputs.composite}
    return {**rendered.composite, **kept}
