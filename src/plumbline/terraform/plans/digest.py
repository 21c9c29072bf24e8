"""What a plan is called: the id that upstream gives it, and the digest that is this plan and no other.

A plan file differs each time it is written, since it holds the time; so its bytes cannot be what a review and an apply
have in common. The digest is made of what the plan says instead: its JSON without the time, the state that it was made
for (serial and lineage) and the revision of the source. The same plan made twice has the same digest, anything else has
another. It can be made again from the stored bytes with `show -json`, which is how an apply proves that they are what was
approved. The bytes have a digest of their own, which tells whether they came back from where they were kept.
"""

import hashlib
import re
from enum import Enum
from typing import Final

import msgspec

from plumbline.base.errors import BadDocument
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans.decoded import Raw, check_size

SHORTEST_PREFIX: Final = 12
_FORM: Final = b"plumbline.dev/plan-digest/v1"
_NOT_CONTENT: Final = frozenset({"timestamp"})
_UNORDERED: Final = frozenset({"checks", "deferred_changes", "relevant_attributes"})
_PREFIX: Final = "sha256:"
_HEX: Final = re.compile(r"[0-9a-f]{12,64}")
_ID_LETTERS: Final = 10
_PARTS: Final = 2

_top: Final = msgspec.json.Decoder(dict[str, Raw])
_list: Final = msgspec.json.Decoder(list[Raw] | None)


class PlanDigest(msgspec.Struct, frozen=True):
    content: str
    """64 hexadecimal digits: what is approved."""
    file: str
    """64 hexadecimal digits of the bytes: whether they are whole."""

    def __str__(self) -> str:
        return self.content

    @property
    def short(self) -> str:
        return self.content[:SHORTEST_PREFIX]


class Approval(Enum):
    """What `approvePlan` says."""

    MANUAL = "wait for somebody"
    AUTO = "apply what is no danger"
    DISABLED = "look for drift, and do nothing"
    REPLAN = "make this plan again when the source moves"
    THIS = "apply this plan"
    OTHER = "apply another plan"


def digest(plan: Plaintext, *, serial: int, lineage: str, revision: str, json: Plaintext) -> PlanDigest:
    """Raises BadDocument, LimitExceeded."""
    hashed = hashlib.sha256()
    for part in (_FORM, str(serial).encode(), lineage.encode(), revision.encode(), *_normalised(json)):
        # Each with its length: no two lists of parts are the same bytes.
        hashed.update(len(part).to_bytes(8))
        hashed.update(part)
    return PlanDigest(hashed.hexdigest(), hashlib.sha256(plan.reveal()).hexdigest())


def plan_id(revision: str) -> str:
    """As upstream names plans: `plan-BRANCH-HASH` from `BRANCH@sha1:HASH` or `BRANCH/HASH`, else `plan-` and ten letters."""
    named = revision.split("@")
    if len(named) == _PARTS:
        # Upstream fails where there is no algorithm; the hash is then all there is.
        branch, hashed = named[0], [*named[1].split(":"), ""][1] or named[1]
        return f"plan-{branch}-{hashed[:_ID_LETTERS]}"
    old = revision.split("/")
    if len(old) == _PARTS:
        return f"plan-{old[0]}-{old[1][:_ID_LETTERS]}"
    return f"plan-{revision[:_ID_LETTERS]}"


def approval_of(approve_plan: str, plan_id: str = "", digest: str = "") -> Approval:
    """What it says about the plan of that id and digest."""
    match approve_plan:
        case "" | "manual":
            return Approval.MANUAL
        case "auto":
            return Approval.AUTO
        case "disable":
            return Approval.DISABLED
    if approve_plan.startswith("replan"):
        return Approval.REPLAN
    return Approval.THIS if approves(approve_plan, plan_id, digest) else Approval.OTHER


def approves(approve_plan: str, plan_id: str, digest: PlanDigest | str) -> bool:
    """Whether it names this plan: by its whole id, its digest, or at least 12 digits of that.

    Upstream takes any beginning of an id, and `plan-main` would then approve every plan to come.
    """
    if plan_id and approve_plan == plan_id:
        return True
    named = approve_plan.removeprefix(_PREFIX)
    return bool(_HEX.fullmatch(named)) and str(digest).startswith(named)


def replans(approve_plan: str, pending: str) -> bool:
    """Whether it asks for a new plan in the place of *pending*: `replan` and as much of the rest of its id as one likes."""
    return bool(pending) and approve_plan.startswith("replan") and f"re{pending}".startswith(approve_plan)


def _normalised(json: Plaintext) -> list[bytes]:
    """Field by field as the tool wrote it. It sorts keys itself, so that nothing needs to be decoded and loses precision."""
    content = json.reveal()
    check_size(content)
    try:
        parts = _top.decode(content)
        if "format_version" not in parts:
            raise BadDocument("The plan has no digest", why="its JSON is not that of a plan")
        written: list[bytes] = []
        for name in sorted(parts.keys() - _NOT_CONTENT):
            written.append(name.encode())
            if name in _UNORDERED:
                written += sorted(bytes(each) for each in _list.decode(parts[name]) or ())
                written.append(b"end")
            else:
                written.append(bytes(parts[name]))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise BadDocument("The plan has no digest", why="its JSON cannot be read") from None
    return written
