"""The Secret and the ConfigMap that outputs are read from, as they should be. Pure: whoever asks writes them.

Neither is ever taken over: what somebody else controls, or what holds something that outputs would replace, stays.
"""

import base64
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import OwnedElsewhere, OwnerSide
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.flux.terraform import TerraformSpec, TerraformStatus
from plumbline.kinds.read import Read
from plumbline.kube.names import Ref
from plumbline.kube.object import Object, owner_reference
from plumbline.terraform.inputs import TYPE_SUFFIX, entries_of
from plumbline.terraform.outputs.selecting import entries, name_and_key, selected
from plumbline.terraform.work import Output

CONFIG_MAP_ANNOTATION: Final = "plumbline.dev/write-outputs-to-config-map"
"""Of a Terraform object: the ConfigMap that its outputs are written to, as far as none is sensitive."""

Subject: TypeAlias = Read[TerraformSpec, TerraformStatus]


class PublicOutputs(NamedTuple):
    config_map: JsonObject | None
    """What is to be written; None where nothing is to be done."""
    left_out: tuple[str, ...]
    """Outputs that are sensitive, and therefore in no ConfigMap."""


def output_secret(subject: Subject, outputs: Mapping[str, Output], live: JsonObject | None) -> JsonObject | None:
    """The Secret as it should be: made anew, or *live* with other contents. None where nothing is to be written.

    Labels and annotations are given when it is made and never after. Raises InvalidInput for outputs that are not there,
    and OwnedElsewhere.
    """
    wanted = subject.spec.write_outputs_to_secret
    if wanted is None or subject.spec.destroy or not outputs:
        return None
    found = published(subject, outputs)
    data = {key: base64.b64encode(value.reveal()).decode() for key, value in found.items()}
    if live is None:
        marks = {"labels": dict(wanted.labels), "annotations": dict(wanted.annotations)}
        return {**_made(subject, "Secret", wanted.name, marks), "type": "Opaque", "data": data}
    _check_ours(subject, live, entries_of(live, "Secret"), found)
    return _with_contents(subject, live, {"data": data})


def published(subject: Subject, outputs: Mapping[str, Output]) -> Mapping[str, Plaintext]:
    """What the output Secret holds, which is also what health checks can use; nothing where the object asks for none."""
    wanted = subject.spec.write_outputs_to_secret
    return {} if wanted is None else entries(selected(outputs, wanted.outputs))


def public_outputs(subject: Subject, outputs: Mapping[str, Output], live: JsonObject | None) -> PublicOutputs:
    """The ConfigMap as it should be, for objects that ask for one. A sensitive output is never in it."""
    name = public_name(subject)
    left_out = tuple(sorted(key for key, output in outputs.items() if output.sensitive))
    shown = {key: output for key, output in outputs.items() if not output.sensitive}
    if not name or subject.spec.destroy or not shown:
        return PublicOutputs(None, left_out if name else ())
    found = entries(shown)
    data = {key: value.reveal().decode() for key, value in found.items()}
    if live is None:
        return PublicOutputs({**_made(subject, "ConfigMap", name, {}), "data": data}, left_out)
    _check_ours(subject, live, entries_of(live, "ConfigMap"), found)
    contents: JsonObject = {"data": data, "binaryData": None} if live.get("binaryData") else {"data": data}
    return PublicOutputs(_with_contents(subject, live, contents), left_out)


def public_name(subject: Subject) -> str:
    """Of the ConfigMap that the object asks for; empty where it asks for none."""
    return Object(subject.raw).annotations.get(CONFIG_MAP_ANNOTATION, "").strip()


def outputs_missing(subject: Subject, live: JsonObject | None) -> bool:
    """Whether the Secret has to be written though nothing was applied: it is gone, or somebody changed its keys."""
    wanted = subject.spec.write_outputs_to_secret
    if wanted is None or subject.spec.destroy:
        return False
    expected = {name_and_key(each)[1] for each in wanted.outputs} or set(subject.status.available_outputs)
    if live is None:
        return bool(expected)
    there = entries_of(live, "Secret").keys()
    types = {key + TYPE_SUFFIX for key in expected}
    return not expected <= there or bool(there - expected - types)


def _made(subject: Subject, kind: str, name: str, marks: Mapping[str, JsonObject]) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {
            "name": name,
            "namespace": subject.ref.namespace,
            **{field: values for field, values in marks.items() if values},
            "ownerReferences": [_controller(subject)],
        },
    }


def _controller(subject: Subject) -> JsonObject:
    return {**owner_reference(subject.raw), "controller": True}


def _with_contents(subject: Subject, live: JsonObject, contents: JsonObject) -> JsonObject | None:
    owned = Object(live).controller is not None
    if owned and all((live.get(field) or None) == value for field, value in contents.items()):
        return None
    kept = {key: value for key, value in {**live, **contents}.items() if value is not None}
    if owned:
        return kept
    owners = live["metadata"].get("ownerReferences") or []
    return {**kept, "metadata": {**live["metadata"], "ownerReferences": [*owners, _controller(subject)]}}


def _check_ours(
    subject: Subject, live: JsonObject, there: Mapping[str, Plaintext], wanted: Mapping[str, Plaintext]
) -> None:
    controller = Object(live).controller
    if controller is not None and controller.uid == Object(subject.raw).uid:
        return
    if controller is None and all(wanted.get(key) == value for key, value in there.items()):
        return
    holder = f"{controller.kind} {controller.name}" if controller else "whoever made it"
    place = Ref.of(live)
    where = f"{place.kind} {place.namespace}/{place.name}"
    raise OwnedElsewhere(
        f"Outputs are not written to {where}",
        why=f"it belongs to {holder}, and not to Terraform {subject.ref.name}",
        hint=f"Name another {place.kind} for the outputs, or delete this one.",
        holder=OwnerSide(holder, where),
        claimant=OwnerSide(str(subject.ref), f"outputs to {where}"),
    )
