"""Which composition a composite resource uses, and which revision of it. Pure, and the same answer for the same question.

Where upstream throws dice among several that fit, the one with the smallest name is taken: a control plane that is rebuilt
from Git chooses as the lost one did.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from plumbline.base.json import JsonObject
from plumbline.composition.definitions.values import Defined
from plumbline.composition.definitions.writing import controlled_by
from plumbline.composition.revisions.revision import COMPOSITION_NAME
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.selectors import LabelSelector

By: TypeAlias = Literal["enforced", "reference", "default", "selector"]


class Chosen(NamedTuple):
    name: str
    by: By
    """Why this one; `reference` is what the composite resource said already."""


class Unchosen(NamedTuple):
    """Nothing fits. The message says what was looked for."""

    message: str


class Machinery(NamedTuple):
    """What a composite resource says about its composition."""

    composition: str = ""
    selector: JsonObject | None = None
    revision: str = ""
    revision_selector: JsonObject | None = None
    update_policy: str = ""

    @classmethod
    def of(cls, composite: JsonObject, definition: Defined) -> "Machinery":
        spec = composite.get("spec") or {}
        said = spec if definition.lineage == "legacy" else spec.get("crossplane") or {}
        return cls(
            (said.get("compositionRef") or {}).get("name", ""),
            said.get("compositionSelector"),
            (said.get("compositionRevisionRef") or {}).get("name", ""),
            said.get("compositionRevisionSelector"),
            said.get("compositionUpdatePolicy") or "",
        )


def chosen_composition(said: Machinery, definition: Defined, compositions: Iterable[JsonObject]) -> Chosen | Unchosen:
    """The enforced one, the one that is named, the default one, or one that is selected and composes this kind."""
    if definition.enforced_composition:
        by: By = "reference" if said.composition == definition.enforced_composition else "enforced"
        return Chosen(definition.enforced_composition, by)
    if said.composition:
        return Chosen(said.composition, "reference")
    if said.selector is None and definition.default_composition:
        return Chosen(definition.default_composition, "default")
    kind = definition.composite.gvk
    fitting = (each for each in compositions if composes(each, kind) and _selected(each, said.selector))
    name = min((each["metadata"]["name"] for each in fitting), default="")
    if name:
        return Chosen(name, "selector")
    labels = ", ".join(f"{key}={value}" for key, value in sorted(_labels(said.selector).items()))
    which = f" with the labels {labels}" if labels else ""
    return Unchosen(f"No Composition{which} composes {kind.kind} of {kind.api_version}")


def composes(composition: JsonObject, kind: GroupVersionKind) -> bool:
    """Whether *composition*, or a revision of one, is for composite resources of *kind*."""
    said = (composition.get("spec") or {}).get("compositeTypeRef") or {}
    return (said.get("apiVersion"), said.get("kind")) == (kind.api_version, kind.kind)


def revision_selector(said: Machinery, definition: Defined) -> JsonObject | None:
    """The selector that holds: the definition's, where the composite resource neither selects nor names a revision."""
    if said.revision_selector is not None or said.revision:
        return said.revision_selector
    return definition.default_revision_selector


def chosen_revision(
    said: Machinery, definition: Defined, composition: JsonObject, revisions: Iterable[JsonObject]
) -> JsonObject | Unchosen:
    """The newest revision of *composition* that may be used, or the one that is named where updates are manual."""
    revisions = tuple(revisions)
    policy = said.update_policy or definition.update_policy
    if policy == "Manual" and said.revision:
        named = next((each for each in revisions if each["metadata"]["name"] == said.revision), None)
        return named or Unchosen(f"There is no CompositionRevision {said.revision}, and updates are manual")
    name, uid = composition["metadata"]["name"], composition["metadata"]["uid"]
    selector = revision_selector(said, definition) if policy == "Automatic" else None
    ours = [
        each
        for each in revisions
        if (each["metadata"].get("labels") or {}).get(COMPOSITION_NAME) == name
        and controlled_by(each, uid)
        and _selected(each, selector)
    ]
    newest = max(ours, key=lambda each: (each["spec"]["revision"], each["metadata"]["name"]), default=None)
    if newest is not None:
        return newest
    labels = ", ".join(f"{key}={value}" for key, value in sorted(_labels(selector).items()))
    return Unchosen(f"Composition {name} has no revision" + (f" with the labels {labels}" if labels else ""))


def _selected(obj: JsonObject, selector: JsonObject | None) -> bool:
    return selector is None or LabelSelector.from_object(selector).matches(obj["metadata"].get("labels") or {})


def _labels(selector: JsonObject | None) -> dict[str, str]:
    return (selector or {}).get("matchLabels") or {}
