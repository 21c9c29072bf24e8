"""A plan that was made and not applied, as the Secret that holds it says: everything but the plan itself, and no secret."""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

import msgspec

from plumbline.base.errors import Corrupted
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.kube.names import Ref
from plumbline.terraform.plans import Danger
from plumbline.terraform.state import Mark

ANNOTATION: Final = "plumbline.dev/plan"
SEAL: Final = "plumbline.dev/plan-seal"
"""Shows that the annotation is ours: many can write Secrets who may not approve what would be lost."""
_MOST: Final = 100
_LONGEST: Final = 300


class Pending(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    """`plan-main-0123456789`, as upstream calls it: one for each revision."""
    digest: str
    """This plan and no other."""
    revision: str
    inputs: str
    serial: int = 0
    lineage: str = ""
    destroy: bool = False
    drift: bool = False
    headline: str = ""
    """`2 to add, 1 to change`."""
    dangers: tuple[Danger, ...] = ()
    """What is not done unasked."""
    more: int = 0
    """Further dangers, of which there is only the number."""
    made_at: str = ""

    @property
    def mark(self) -> Mark:
        return Mark(serial=self.serial, lineage=self.lineage)

    @property
    def noted(self) -> JsonObject:
        """As the status of its object speaks of it."""
        return {"pending": self.id, "isDestroyPlan": self.destroy, "isDriftDetectionPlan": self.drift}

    def same_as(self, other: "Pending") -> bool:
        """Whether it says the same, was made from the same, and waits for the same."""
        return msgspec.structs.replace(other, made_at=self.made_at, drift=self.drift) == self

    def annotation(self) -> str:
        return msgspec.json.encode(self).decode()


def sealed(pending: Pending, uid: str, key: Plaintext) -> dict[str, str]:
    """Annotations that say what the plan is, of the object of that uid."""
    said = pending.annotation()
    return {ANNOTATION: said, SEAL: _seal(said, uid, key)}


def genuine(secret: JsonObject, uid: str, key: Plaintext) -> bool:
    """Whether nobody has changed what a plan's Secret says about it since it was made for the object of that uid."""
    annotations = secret["metadata"].get("annotations") or {}
    expected = _seal(str(annotations.get(ANNOTATION)), uid, key)
    return hmac.compare_digest(str(annotations.get(SEAL)).encode(), expected.encode())


def _seal(said: str, uid: str, key: Plaintext) -> str:
    return hmac.new(key.reveal(), f"plan {uid} {said}".encode(), hashlib.sha256).hexdigest()


def shortened(dangers: Iterable[Danger]) -> tuple[tuple[Danger, ...], int]:
    """As many as an annotation holds, the ones that lose most first, and how many there are besides."""
    ordered = sorted(dangers, key=lambda each: not each.stateful)
    kept = tuple(msgspec.structs.replace(each, sentence=_cut(each.sentence)) for each in ordered[:_MOST])
    return kept, max(0, len(ordered) - _MOST)


def pending_of(secret: JsonObject) -> Pending | None:
    """What a plan's Secret says about it; None where another program wrote it."""
    said = (secret["metadata"].get("annotations") or {}).get(ANNOTATION)
    if said is None:
        return None
    try:
        return msgspec.json.decode(said, type=Pending)
    except msgspec.DecodeError:
        raise Corrupted(
            f"{Ref.of(secret)} does not say what its plan is", hint="Delete it; a new plan is made."
        ) from None


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
