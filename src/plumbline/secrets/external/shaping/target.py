"""What becomes of the target Secret: the one decision that everything before leads to. Pure.

Three rules stand above the policies. An answer with nothing in it never overwrites a Secret: keys go only where the
store said of everything that it is not there and a policy asks for it, and the Secret goes only by a policy, where it
is ours. What another ExternalSecret or another controller owns is not touched. What would change nothing is not written.
"""

from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate import Surroundings
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretSpec
from plumbline.secrets.external.shaping.desired import (
    OPAQUE,
    Desired,
    as_it_is,
    changes_nothing,
    same_contents,
    same_metadata,
    strings_of,
    values_of,
)
from plumbline.secrets.external.shaping.gathering import Gathered
from plumbline.secrets.external.shaping.keys import Values
from plumbline.secrets.external.shaping.markers import (
    CREATED_BY,
    DATA_HASH,
    MANAGED,
    created_by,
    data_hash,
    written_keys,
)
from plumbline.secrets.external.shaping.ownership import Holder, Subject, holder_of, owned, released
from plumbline.secrets.external.shaping.rules import PRIVILEGED
from plumbline.secrets.external.shaping.templating import Rendered, Sources, rendered

Action: TypeAlias = Literal["nothing", "create", "update", "delete"]
_KEEPS_OTHERS: Final = frozenset({"Merge", "CreateOrMerge"})
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""Of the ExternalSecret, and a lie on anything else."""


class Making(NamedTuple):
    """All that decides, besides the Secret that is there."""

    subject: Subject
    spec: ExternalSecretSpec
    gathered: Gathered
    surroundings: Surroundings
    sources: Sources = Sources()
    marker_key: Plaintext | None = None
    """For a hash that cannot be guessed at; None writes upstream's."""


class Plan(NamedTuple):
    """What to do, and what to say of it in upstream's words."""

    action: Action
    ready: bool
    reason: str
    message: str
    detail: str = ""
    """Why it is not ready, for an event."""
    secret: Desired | None = None


_SYNCED: Final = Plan("nothing", True, "SecretSynced", "secret synced")
_RETAINED: Final = _SYNCED._replace(message="secret retained due to DeletionPolicy=Retain")
_EMPTY: Final = _SYNCED._replace(
    message="secret retained because the provider answered with nothing, which is not the same as not found"
)
_DELETED: Final = Plan("nothing", True, "SecretDeleted", "secret deleted due to DeletionPolicy=Delete")
_MISSING: Final = Plan("nothing", True, "SecretMissing", "secret will not be created due to CreationPolicy=Merge")


def target_of(making: Making, live: JsonObject | None) -> Plan:
    """Raises InvalidInput and Unresolved as templates do; then nothing is to be done but to say so."""
    target = making.spec.target
    if not making.gathered.values:
        plan = _with_nothing(making, live)
        if plan is not None:
            return plan
    if target.creation_policy == "None":
        return _SYNCED
    if live is None:
        return _MISSING if target.creation_policy == "Merge" else _created(making)
    return _refusal(making, live) or _updated(making, live)


def secret_name(spec: ExternalSecretSpec, name: str) -> str:
    return spec.target.name or name


def intact(live: JsonObject | None, spec: ExternalSecretSpec, marker_key: Plaintext | None = None) -> bool:
    """Whether the Secret is as it was left, so that it need not be made before it is time. Orphans are left alone."""
    if spec.target.creation_policy == "Orphan":
        return True
    if live is None:
        return False
    metadata = live.get("metadata") or {}
    if strings_of(metadata, "labels").get(MANAGED) != "true":
        return False
    return strings_of(metadata, "annotations").get(DATA_HASH) == data_hash(values_of(live), marker_key)


def _with_nothing(making: Making, live: JsonObject | None) -> Plan | None:
    """The plan where not one value was fetched; None where its keys are to be taken away."""
    policy = making.spec.target.deletion_policy
    found = making.gathered
    if policy == "Merge" and found.gone:
        return None
    if policy == "Delete" and (found.gone or found.unmatched):
        return _deleted(making, live)
    if live is None:
        return _failed(
            "could not get secret data from provider", "it answered with nothing, of which no Secret is made"
        )
    return _RETAINED if policy == "Retain" else _EMPTY


def _deleted(making: Making, live: JsonObject | None) -> Plan:
    name = secret_name(making.spec, making.subject.name)
    policy = making.spec.target.creation_policy
    if policy != "Owner":
        return _failed(
            "could not delete secret", f"unable to delete secret {name}: creationPolicy={policy} is not Owner"
        )
    if live is None:
        return _DELETED
    holder = holder_of(live.get("metadata") or {})
    if holder is None or not holder.is_(making.subject):
        return _failed(
            "could not delete secret", f"unable to delete secret {name}: this ExternalSecret does not own it"
        )
    return _DELETED._replace(action="delete")


def _failed(message: str, detail: str) -> Plan:
    return Plan("nothing", False, "SecretSyncedError", message, detail)


def _refusal(making: Making, live: JsonObject) -> Plan | None:
    """Why the Secret that is there must not be touched."""
    holder = holder_of(live.get("metadata") or {})
    if holder is None or holder.is_(making.subject):
        return None
    if holder.external_secret:
        return _failed(
            "target is owned by another ExternalSecret", f"secret is owned by another ExternalSecret: {holder.name}"
        )
    return _stranger(making, holder) if making.spec.target.creation_policy == "Owner" else None


def _stranger(making: Making, holder: Holder) -> Plan:
    name = f"{making.subject.namespace}/{secret_name(making.spec, making.subject.name)}"
    return _failed(
        "failed to take ownership of target secret",
        "could not set controller reference on secret: "
        f"Object {name} is already owned by another {holder.kind} controller {holder.name}",
    )


def _created(making: Making) -> Plan:
    subject, target = making.subject, making.spec.target
    blank: JsonObject = {"name": secret_name(making.spec, subject.name), "namespace": subject.namespace}
    type_ = (target.template.type if target.template else "") or OPAQUE
    secret = _filled(making, Desired(blank, type_, target.immutable, {}))
    if type_ in PRIVILEGED:
        return _failed("could not update secret", f'template.type="{type_}" is not allowed')
    return _SYNCED._replace(action="create", secret=secret)


def _updated(making: Making, live: JsonObject) -> Plan:
    target = making.spec.target
    there = as_it_is(live)
    name = secret_name(making.spec, making.subject.name)
    wanted = there.type if target.immutable or target.template is None else target.template.type or there.type
    if wanted != there.type:
        return _failed(
            "could not update secret",
            f"unable to update secret {name}: its type is {there.type} and cannot become {wanted}; "
            "delete it, and it is made anew",
        )
    base = there._replace(immutable=there.immutable or target.immutable)
    secret = _marked(making, base) if target.immutable else _filled(making, _stripped(making, base, live))
    if changes_nothing(live, secret):
        return _SYNCED
    if not there.immutable or same_contents(live, secret):
        return _SYNCED._replace(action="update", secret=secret)
    kept = secret._replace(immutable=True, values=there.values)
    plan = _failed(
        "could not update secret, target is immutable", f"unable to update secret {name}: secret is immutable"
    )
    return plan if same_metadata(live, kept) else plan._replace(action="update", secret=kept)


def _stripped(making: Making, base: Desired, live: JsonObject) -> Desired:
    """Without what was written before for the same ExternalSecret, which managedFields know."""
    name = making.subject.name
    metadata = dict(base.metadata)
    for field in ("labels", "annotations"):
        ours = written_keys(live, name, "metadata", field)
        metadata[field] = {key: text for key, text in strings_of(metadata, field).items() if key not in ours}
    values: Values = {}
    if making.spec.target.creation_policy in _KEEPS_OTHERS:
        ours = written_keys(live, name, "data")
        values = {key: value for key, value in base.values.items() if key not in ours}
    return base._replace(metadata=metadata, values=values)


def _filled(making: Making, base: Desired) -> Desired:
    """*base* with what was fetched, and with what the template makes of it."""
    template = making.spec.target.template
    made = _copied(making) if template is None else rendered(
        template, making.gathered.values, making.sources, making.surroundings
    )  # fmt: skip
    metadata = {
        **base.metadata,
        "labels": strings_of(base.metadata, "labels") | dict(made.labels),
        "annotations": strings_of(base.metadata, "annotations") | dict(made.annotations),
    }
    if template is not None and template.metadata.finalizers and "deletionTimestamp" not in metadata:
        metadata["finalizers"] = list(dict.fromkeys((*metadata.get("finalizers", ()), *template.metadata.finalizers)))
    return _marked(making, base._replace(metadata=metadata, values={**base.values, **made.values}))


def _copied(making: Making) -> Rendered:
    """Without a template, labels and annotations of the ExternalSecret go along."""
    annotations = {key: text for key, text in making.subject.annotations.items() if key != _LAST_APPLIED}
    return Rendered(making.gathered.values, making.subject.labels, annotations)


def _marked(making: Making, secret: Desired) -> Desired:
    """With owner, labels and hash as the policy wants them."""
    subject = making.subject
    labels = {**strings_of(secret.metadata, "labels"), MANAGED: "true"}
    labels.pop(CREATED_BY, None)
    owns = making.spec.target.creation_policy == "Owner"
    if owns:
        labels[CREATED_BY] = created_by(subject.namespace, subject.name)
    references = owned(secret.metadata, subject) if owns else released(secret.metadata, subject)
    marked = data_hash(secret.values, making.marker_key)
    metadata = {
        **{field: value for field, value in secret.metadata.items() if field != "ownerReferences"},
        "labels": labels,
        "annotations": strings_of(secret.metadata, "annotations") | {DATA_HASH: marked},
    }
    return secret._replace(metadata=metadata | ({"ownerReferences": references} if references else {}))
