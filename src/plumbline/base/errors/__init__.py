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
    │   ├── NotYet                     turned down for now, and nothing was done
    │   ├── LoginFailed                a cluster could not be logged in to as its Secret says
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
        ├── Undecryptable              sealed with a key that is not here, or for another name, namespace or scope
        ├── UnknownKind                no such kind is served, or known offline
        ├── Unresolved                 a reference to something that is not there, or not ready
        └── WrongState                 right, but not for something that is as it is now

Anything else that is raised is a bug. Tests and callers match on type or `code`, never on text. `what` says what did
not happen, `why` the reason, `hint` what to do about it; none of them may hold a secret value.
"""

from plumbline.base.errors.refused import (
    AlreadyExists,
    ApplyFailed,
    BadDocument,
    BadExpression,
    BadFieldPath,
    BadKubeconfig,
    BadPatch,
    BadQuantity,
    BadSelector,
    Corrupted,
    DuplicateKey,
    EvaluationFailed,
    FieldClaim,
    FieldConflict,
    FieldNotFound,
    Forbidden,
    InapplicablePatch,
    Interrupted,
    InvalidInput,
    LimitExceeded,
    NeedsConsent,
    NotFound,
    OwnedElsewhere,
    OwnerSide,
    PlanStale,
    Refused,
    RequestRefused,
    RivalAlive,
    SandboxMissing,
    SchemaViolation,
    ToolFailed,
    ToolMissing,
    TooNew,
    Unauthenticated,
    Undecryptable,
    UnknownKind,
    Unresolved,
    WrongState,
)
from plumbline.base.errors.root import (
    Cause,
    PlumblineError,
)
from plumbline.base.errors.transient import (
    Conflict,
    Contested,
    Expired,
    Fenced,
    GarbledReply,
    InUse,
    LoginFailed,
    NotYet,
    ServerFault,
    StateLocked,
    StorageFailed,
    Throttled,
    TimedOut,
    Transient,
    Unreachable,
    WebhookFailed,
)

__all__ = [
    "AlreadyExists",
    "ApplyFailed",
    "BadDocument",
    "BadExpression",
    "BadFieldPath",
    "BadKubeconfig",
    "BadPatch",
    "BadQuantity",
    "BadSelector",
    "Cause",
    "Conflict",
    "Contested",
    "Corrupted",
    "DuplicateKey",
    "EvaluationFailed",
    "Expired",
    "Fenced",
    "FieldClaim",
    "FieldConflict",
    "FieldNotFound",
    "Forbidden",
    "GarbledReply",
    "InUse",
    "InapplicablePatch",
    "Interrupted",
    "InvalidInput",
    "LimitExceeded",
    "LoginFailed",
    "NeedsConsent",
    "NotFound",
    "NotYet",
    "OwnedElsewhere",
    "OwnerSide",
    "PlanStale",
    "PlumblineError",
    "Refused",
    "RequestRefused",
    "RivalAlive",
    "SandboxMissing",
    "SchemaViolation",
    "ServerFault",
    "StateLocked",
    "StorageFailed",
    "Throttled",
    "TimedOut",
    "TooNew",
    "ToolFailed",
    "ToolMissing",
    "Transient",
    "Unauthenticated",
    "Undecryptable",
    "UnknownKind",
    "Unreachable",
    "Unresolved",
    "WebhookFailed",
    "WrongState",
]
