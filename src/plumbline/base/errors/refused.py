"""What stays wrong until a person changes something."""

from typing import Any, NamedTuple

from plumbline.base.errors.root import PlumblineError


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


class Undecryptable(Refused):
    """No key that is known opens it. Which part of it was wrong is not told: it would help whoever tries."""

    code = "undecryptable"
    default_hint = (
        "Seal it again for its name, namespace and scope with `plumb seal`, or import the key that sealed it."
    )


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


class WrongState(Refused):
    """What is asked for is right, but not for something that is as it is now: being deleted, synced already, automated."""

    code = "wrong-state"
    default_hint = "Look at what it is doing, and ask again once that has changed."
