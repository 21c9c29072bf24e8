"""What a Deployment and its ReplicaSets say about the rollout."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.kinds import HASH_LABEL
from plumbline.base.json import Json, JsonObject
from plumbline.kube import intorstring
from plumbline.kube.object import Object

REVISION: Final = "deployment.kubernetes.io/revision"
REVISION_HISTORY: Final = "deployment.kubernetes.io/revision-history"
DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
MAXIMUM: Final = "deployment.kubernetes.io/max-replicas"
ROLLBACK_TO: Final = "deprecated.deployment.rollback.to"
UNLIMITED: Final = 2**31 - 1
_INT64: Final = range(-(2**63), 2**63)
_INT32: Final = range(2**31)
_integer: Final = re.compile(r"[+-]?[0-9]{1,19}").fullmatch


class Rollout(NamedTuple):
    """A Deployment with the sets that are its own, oldest first. `new` is the one with the Deployment's template."""

    deployment: Object
    new: Object | None
    old: tuple[Object, ...]

    @property
    def sets(self) -> tuple[Object, ...]:
        return (*self.old, self.new) if self.new else self.old


def rollout_of(deployment: Object, sets: Iterable[Object]) -> Rollout:
    ordered = sorted(sets, key=by_age)
    wanted = bare_template(deployment)
    new = next((each for each in ordered if bare_template(each) == wanted), None)
    return Rollout(deployment, new, tuple(each for each in ordered if each is not new))


def by_age(owned: Object) -> tuple[str, str]:
    return owned.creation_timestamp, owned.name


def template_of(owner: Object) -> JsonObject:
    template = owner.spec.get("template")
    return template if isinstance(template, dict) else {}


def bare_template(owner: Object) -> JsonObject:
    """The template without the label that tells sets apart."""
    template = template_of(owner)
    metadata = template.get("metadata") or {}
    labels = {name: value for name, value in (metadata.get("labels") or {}).items() if name != HASH_LABEL}
    return {**template, "metadata": {**metadata, "labels": labels}}


def wanted_of(owner: Object) -> int:
    replicas = owner.spec.get("replicas")
    return 1 if replicas is None else int(replicas)


def count(owned: Object, field: str) -> int:
    """A number in its status."""
    return int(owned.status.get(field) or 0)


def total(sets: Iterable[Object], field: str) -> int:
    return sum(count(each, field) for each in sets)


def wanted_total(sets: Iterable[Object]) -> int:
    return sum(map(wanted_of, sets))


def active(sets: Iterable[Object]) -> list[Object]:
    return [each for each in sets if wanted_of(each) > 0]


def number(text: str) -> int | None:
    value = int(text) if _integer(text) else None
    return value if value is not None and value in _INT64 else None


def revision_of(owned: Object) -> int:
    """Its revision; 0 where there is none to be read."""
    return number(owned.annotations.get(REVISION, "")) or 0


def size_annotation(owned: Object, name: str) -> int | None:
    text = owned.annotations.get(name, "")
    value = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else None  # noqa: PLR2004 - 32 bits
    return value if value is not None and value in _INT32 else None


def rolling(deployment: Object) -> bool:
    return bool((deployment.spec.get("strategy") or {}).get("type") != "Recreate")


def max_surge(deployment: Object) -> int:
    return _fenceposts(deployment)[0] if rolling(deployment) else 0


def max_unavailable(deployment: Object) -> int:
    wanted = wanted_of(deployment)
    if not rolling(deployment) or wanted == 0:
        return 0
    return min(_fenceposts(deployment)[1], wanted)


def deadline_s(deployment: Object) -> int | None:
    """How long a rollout may stand still; None where that does not matter."""
    given = deployment.spec.get("progressDeadlineSeconds")
    return None if given is None or given == UNLIMITED else int(given)


def history_limit(deployment: Object) -> int | None:
    given = deployment.spec.get("revisionHistoryLimit")
    return None if given is None or given == UNLIMITED else int(given)


def _fenceposts(deployment: Object) -> tuple[int, int]:
    wanted = wanted_of(deployment)
    limits = (deployment.spec.get("strategy") or {}).get("rollingUpdate") or {}
    surge = _scaled(limits.get("maxSurge"), wanted, round_up=True)
    unavailable = _scaled(limits.get("maxUnavailable"), wanted, round_up=False)
    # Rounding can take both away, and then nothing could ever move.
    return surge, 1 if surge == 0 and unavailable == 0 else unavailable


def _scaled(value: Json, wanted: int, *, round_up: bool) -> int:
    return intorstring.scaled(intorstring.from_json(0 if value is None else value), wanted, round_up=round_up)
