"""Every error a person can meet, in one tree.

    PlumblineError
    ├── Transient                      comes and goes: try again with backoff
    │   ├── Unreachable                no connection, or it broke
    │   ├── TimedOut                   no answer within the deadline
    │   ├── Throttled                  told to slow down; `after_s` says for how long
    │   │   └── Contested              somebody else keeps writing the same fields
    │   ├── Conflict                   somebody else wrote first; read again
    │   │   └── Fenced                 decided by a replica that no longer leads
    │   ├── Expired                    the history asked for is gone; list again
    │   ├── InUse                      a Usage says that something else needs it
    │   ├── ServerFault                the other side says it failed
    │   ├── GarbledReply               the answer is not what the protocol allows
    │   ├── StateLocked                a run of terraform, ours or another, is at work on the state
    │   ├── StorageFailed              the disk is full, read-only or broken
    │   └── WebhookFailed              a webhook could not be asked, or its answer is none
    └── Refused                        stays wrong until a person changes something
        ├── InvalidInput
        │   ├── BadDocument            YAML, JSON or protobuf that cannot be read
        │   │   └── DuplicateKey
        │   ├── BadExpression          a regular or CEL expression that cannot be read
        │   ├── LimitExceeded          too large, too deep, too many
        │   ├── BadFieldPath
        │   ├── BadKubeconfig
        │   ├── BadPatch
        │   │   └── InapplicablePatch  a patch that is well-formed, but not for this object
        │   ├── BadQuantity
        │   ├── BadSelector
        │   └── SchemaViolation        a value that its schema does not allow
        ├── AlreadyExists
        ├── Corrupted                  stored state is damaged or was tampered with
        ├── EvaluationFailed           user-supplied Lua, jq or jsonnet did not give an answer
        ├── FieldConflict              another manager owns a field that was to be changed
        ├── FieldNotFound              a field path that leads nowhere in this object
        ├── Forbidden
        ├── NeedsConsent               would destroy what nobody asked to destroy
        ├── NotFound
        ├── OwnedElsewhere             a second owner for what has one already
        ├── PlanStale                  state, source or tool moved on since the plan was made
        ├── RequestRefused             the embedded API turns a request down, with the Status that it answers
        ├── RivalAlive                 another controller looks after the same objects
        ├── SandboxMissing             this system cannot confine what has to be confined
        ├── ToolFailed
        │   └── ApplyFailed            it had begun to change things
        │       └── Interrupted        and was ended before it was done
        ├── ToolMissing
        ├── TooNew                     stored state was written by a newer version
        ├── Unauthenticated
        ├── UnknownKind                no such kind is served, or known offline
        └── Unresolved                 a reference to something that is not there, or not ready

Anything else that is raised is a bug. Tests and callers match on type or `code`, never on text. `what` says what did
not happen, `why` the reason, `hint` what to do about it; none of them may hold a secret value.
"""

from typing import Any, ClassVar, NamedTuple


class Cause(NamedTuple):
    """One of several reasons, as an API server lists them; `field` is empty where no field is to blame."""

    reason: str
    message: str
    field: str = ""


class PlumblineError(Exception):
    code: ClassVar[str] = "error"
    default_hint: ClassVar[str] = ""
    causes: tuple[Cause, ...] = ()

    def __init__(self, what: str, *, why: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.hint = hint or self.default_hint

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what


class Transient(PlumblineError):
    code = "transient"
    default_hint = "It is tried again by itself; if it stays, look at the other side."


class Unreachable(Transient):
    """`sent` is False where nothing left this side, so that even a create may be repeated."""

    code = "unreachable"
    default_hint = "Check the address and the network, then try again."

    def __init__(self, what: str, *, sent: bool = True, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.sent = sent


class TimedOut(Transient):
    code = "timed-out"
    default_hint = "Check whether the other side is slow or stuck, or give it more time."


class Throttled(Transient):
    code = "throttled"

    def __init__(self, what: str, *, after_s: float, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.after_s = after_s


class Contested(Throttled):
    """`managers` are the field managers on the other side."""

    code = "contested"
    default_hint = "Stop the other writer, or give the fields to it with ignoreDifferences."

    def __init__(self, what: str, *, managers: tuple[str, ...], after_s: float, why: str = "", hint: str = "") -> None:
        super().__init__(what, after_s=after_s, why=why, hint=hint)
        self.managers = managers


class Conflict(Transient):
    code = "conflict"
    default_hint = "Read the object again and repeat the change on what is there now."


class Fenced(Conflict):
    code = "fenced"
    default_hint = "Nothing to do: the present leader looks at it."


class Expired(Transient):
    code = "expired"
    default_hint = "List again and watch from there."
    continue_token: str = ""
    """Goes on from the same place with newer objects, where the server offers that."""


class InUse(Transient):
    code = "in-use"
    default_hint = "Delete what uses it first, or the Usage that says so."


class ServerFault(Transient):
    code = "server-fault"
    default_hint = "Look at the server's log; the request itself may be fine."


class GarbledReply(Transient):
    code = "garbled-reply"
    default_hint = "Check that the address is that of a Kubernetes API and that nothing rewrites its answers."


class StateLocked(Transient):
    """`lock_id` is the holder's; `dead` where it is a run of ours that is proven to be."""

    code = "state-locked"
    default_hint = "Wait until the run that holds it has ended."

    def __init__(self, what: str, *, lock_id: str, dead: bool = False, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.lock_id = lock_id
        self.dead = dead


class StorageFailed(Transient):
    code = "storage-failed"
    default_hint = "Free some space or repair the disk; writing goes on by itself once it can."


class WebhookFailed(Transient):
    code = "webhook-failed"
    default_hint = "Check that the webhook runs where its configuration says, or set its failurePolicy to Ignore."


class Refused(PlumblineError):
    code = "refused"


class InvalidInput(Refused):
    code = "invalid-input"


class BadDocument(InvalidInput):
    code = "bad-document"

    source: str = ""
    """The file, address or command that the text came from, where somebody said so."""

    def __init__(self, what: str, *, line: int = 0, column: int = 0, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.line = line
        self.column = column


class DuplicateKey(BadDocument):
    code = "duplicate-key"
    default_hint = "Keep one of the two; YAML that says a thing twice is read differently by different tools."


class BadExpression(InvalidInput):
    code = "bad-expression"


class LimitExceeded(InvalidInput):
    code = "limit-exceeded"
    default_hint = "Split it into smaller pieces, or raise the limit where it is set if you trust where it comes from."
    source: str = ""
    """The file, address or command that it came from, where somebody said so."""

    def __init__(self, what: str, *, line: int = 0, column: int = 0, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.line = line
        self.column = column


class BadFieldPath(InvalidInput):
    code = "bad-field-path"


class BadKubeconfig(InvalidInput):
    code = "bad-kubeconfig"
    default_hint = "Check the file with `kubectl config view`, or name another with --kubeconfig."


class BadPatch(InvalidInput):
    code = "bad-patch"


class InapplicablePatch(BadPatch):
    code = "inapplicable-patch"
    default_hint = "Read the object again and make the patch for what is there now."


class BadQuantity(InvalidInput):
    code = "bad-quantity"
    default_hint = "Write a number with an optional suffix such as 500m, 2, 128Mi or 1e3."


class BadSelector(InvalidInput):
    code = "bad-selector"


class SchemaViolation(InvalidInput):
    code = "schema-violation"


class AlreadyExists(Refused):
    code = "already-exists"


class Corrupted(Refused):
    code = "corrupted"
    default_hint = "Restore it from a backup, or move it away and keep it for examination."


class EvaluationFailed(Refused):
    code = "evaluation-failed"


class FieldClaim(NamedTuple):
    manager: str
    field: str


class FieldConflict(Refused):
    """`claims` says who holds which field."""

    code = "field-conflict"
    default_hint = "Stop applying the field, take it over with --force-conflicts, or ask its manager to give it up."

    def __init__(self, what: str, *, claims: tuple[FieldClaim, ...] = (), why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.claims = claims


class FieldNotFound(Refused):
    code = "field-not-found"


class Forbidden(Refused):
    code = "forbidden"
    default_hint = "Ask for the permission it names, or use another identity."


class NeedsConsent(Refused):
    """`token` is what a consent has to name."""

    code = "needs-consent"
    default_hint = "Look at what would be lost; if it may be, give consent with `plumb consent`."

    def __init__(self, what: str, *, token: str, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.token = token


class NotFound(Refused):
    code = "not-found"


class OwnerSide(NamedTuple):
    """One of those who claim the same thing, and where they do: file and line, or an object."""

    owner: str
    place: str


class OwnedElsewhere(Refused):
    """`holder` has it already, `claimant` wanted it too."""

    code = "owned-elsewhere"
    default_hint = "Run `plumb own explain` on it to see both claims, then remove one or hand it over."

    def __init__(self, what: str, *, holder: OwnerSide, claimant: OwnerSide, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.holder = holder
        self.claimant = claimant


class PlanStale(Refused):
    code = "plan-stale"
    default_hint = "Make a new plan and look at it; the old one describes what is no longer there."


class RequestRefused(Refused):
    """`status` is the Kubernetes Status object that is the whole answer."""

    code = "request-refused"
    default_hint = "The Status says what the API server does not accept; change the request."

    def __init__(self, status: dict[str, Any]) -> None:
        super().__init__(str(status.get("message", "")))
        self.status = status


class RivalAlive(Refused):
    """`rivals` are the other controllers that look after the same objects."""

    code = "rival-alive"
    default_hint = "Stop the other controller first, then hand over; two that write the same objects never agree."

    def __init__(self, what: str, *, rivals: tuple[str, ...], why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.rivals = rivals


class SandboxMissing(Refused):
    code = "sandbox-missing"
    default_hint = "Run `plumb doctor` to see what this system can confine, or allow it unconfined if you trust it."


class ToolFailed(Refused):
    code = "tool-failed"

    def __init__(self, what: str, *, exit_code: int | None = None, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.exit_code = exit_code


class ApplyFailed(ToolFailed):
    code = "apply-failed"
    unfinished: tuple[str, ...] = ()
    state: Any = None
    """What was begun and not reported as done; and a Plaintext that the tool could not save, so that the caller has to."""


class Interrupted(ApplyFailed):
    code = "interrupted"


class ToolMissing(Refused):
    code = "tool-missing"
    default_hint = "Run `plumb doctor` to see what is missing and how to get it."


class TooNew(Refused):
    code = "too-new"
    default_hint = "Run the version that wrote it, or a later one."


class Unauthenticated(Refused):
    code = "unauthenticated"
    default_hint = "Log in again, or check the credentials in the kubeconfig."


class UnknownKind(Refused):
    code = "unknown-kind"
    default_hint = "Install the CRD that defines it, or check apiVersion and kind for a typing error."


class Unresolved(Refused):
    """`sought` is the group, kind, namespace and name of what would help; without a name: any that fits."""

    code = "unresolved"
    default_hint = "Create what it refers to, or correct the reference; whoever waits goes on by itself."

    def __init__(self, what: str, *, sought: tuple[str, str, str, str], why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.sought = sought
