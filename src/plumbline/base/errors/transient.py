"""What comes and goes: to be tried again, with backoff."""

from plumbline.base.errors.root import PlumblineError


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


class NotYet(Transient):
    """The other side has answered: not now. Nothing was done, so that even a create may be repeated."""

    code = "not-yet"
    default_hint = "It is tried again by itself; look at what it has to wait for."


class LoginFailed(Transient):
    """Nobody here can mend it, and nothing here changes when somebody else has."""

    code = "login-failed"
    default_hint = "Check who this process is to the other side, and what that identity may do there."


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
