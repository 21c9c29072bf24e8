"""What was found, for people to see: no value of a Secret, and none that came from one, leaves here."""

from collections.abc import Iterable

from plumbline.base.errors import Forbidden
from plumbline.base.json import JsonObject
from plumbline.delivery.compare.masking import masked
from plumbline.delivery.compare.text import difference_text
from plumbline.delivery.looks.looking import Found
from plumbline.delivery.steps.state import Target
from plumbline.delivery.valuesfrom.discretion import veiled
from plumbline.kinds.application import ResourceStatus
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.schema.shape import Shape


def ref_of(row: ResourceStatus) -> Ref:
    return Ref(row.group, row.kind, row.namespace, row.name)


async def shape_of(found: Found, row: ResourceStatus) -> Shape:
    return await found.at.destination.live.kinds.shape(GroupVersionKind(row.group, row.version, row.kind))


class Sides:
    """What is asked for and what is there, object by object, without what came from outside of Git in confidence."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._desired = {each.ref: each for each in found.target.desired}

    def __call__(self, ref: Ref) -> tuple[JsonObject | None, JsonObject | None]:
        wanted, observed = self._desired.get(ref), self._found.comparison.observed.get(ref)
        return veiled(
            wanted.object() if wanted is not None else None,
            observed.live.object() if observed is not None else None,
            self._found.target.values,
        )

    def foretold(self, ref: Ref) -> tuple[JsonObject | None, JsonObject | None] | None:
        """What the server says that the object would become, instead of what is asked for; None where it did not say."""
        compared, observed = self._found.comparison.compared.get(ref), self._found.comparison.observed.get(ref)
        if compared is None or observed is None or not compared.foretold:
            return None
        live = observed.live.object()
        return veiled(compared.becomes(live), live, self._found.target.values)


async def differences(found: Found) -> list[tuple[Ref, str]]:
    """What applying the target would change, object by object, as text without a secret value."""
    sides = Sides(found)
    told: list[tuple[Ref, str]] = []
    for each in sorted(found.comparison.resources, key=ref_of):
        if each.status == "Synced" or each.hook:
            continue  # what is not rated at all, or not permitted, may differ all the same
        ref = ref_of(each)
        compared = found.comparison.compared.get(ref)
        answers = (compared.answers,) if compared is not None else ()
        said = sides.foretold(ref)
        shape, rules = await shape_of(found, each), found.at.rules
        text = difference_text(*(said or sides(ref)), shape, rules, *answers, foretold=said is not None)
        if text:
            told.append((ref, text))
    return told


def manifests(found: Found, *, live: bool) -> list[JsonObject]:
    """Everything that is asked for, or that is there, with values of Secrets masked."""
    sensitive = found.at.rules.options.sensitive_annotations
    desired = {each.ref: each.object() for each in found.target.desired}
    present = {ref: each.live.object() for ref, each in found.comparison.observed.items()}
    shown: Iterable[tuple[Ref, JsonObject]] = present.items() if live else desired.items()
    pairs = (
        masked(*veiled(desired.get(ref), present.get(ref), found.target.values), sensitive)
        for ref, _ in sorted(shown, key=lambda item: item[0])
    )
    chosen = (there if live else asked for asked, there in pairs)
    return [without_managers(each) for each in chosen if each is not None]


def bodies(target: Target) -> list[str]:
    """What is asked for, as it is to be applied: for whoever hands it over for a sync.

    It is kept in the Application until the next one, where everybody sees it who may look at that.
    """
    if target.values is not None and target.values.secrets:
        raise Forbidden(
            "manifests at hand are not handed over",
            why="the application takes secret values from outside of Git, which would stand in it for everybody to read",
            hint="Commit them, and sync from there.",
        )
    return [each.body.decode() for each in target.desired]


def without_managers(obj: JsonObject) -> JsonObject:
    metadata = {name: value for name, value in obj["metadata"].items() if name != "managedFields"}
    return {**obj, "metadata": metadata}
