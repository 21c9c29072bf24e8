"""What `git` says when it fails, and what that means."""

import re
from typing import Final, NamedTuple

from plumbline.base.errors import (
    Corrupted,
    Forbidden,
    GarbledReply,
    InvalidInput,
    LimitExceeded,
    NotFound,
    PlumblineError,
    ServerFault,
    StorageFailed,
    TimedOut,
    Transient,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.process import Finished
from plumbline.base.redaction import redact_text

_WORDS: Final = 600


class _Meaning(NamedTuple):
    pattern: str
    error: type[PlumblineError]
    why: str
    hint: str = ""


_CREDENTIALS: Final = "Check the credentials in the Secret of this repository."
_HOST_KEY: Final = (
    "Add the key of the host to the known hosts (argocd-ssh-known-hosts-cm), after checking that it is right."
)
_REDIRECT: Final = "Write the address that it redirects to; credentials are not sent on to another place."

_MEANINGS: Final = (
    _Meaning(r"Host key verification failed", Unauthenticated, "the key of its host is not a known one", _HOST_KEY),
    _Meaning(
        r"could not read (?:Username|Password)|Authentication failed|Permission denied \(|returned error: 401|Load key ",
        Unauthenticated,
        "it does not accept our credentials",
        _CREDENTIALS,
    ),
    _Meaning(r"returned error: 403", Forbidden, "we may not read it", _CREDENTIALS),
    _Meaning(r"returned error: 30[1278]", InvalidInput, "it redirects to another address", _REDIRECT),
    _Meaning(
        r"returned error: 404|repository '[^']*' not found|ERROR: Repository not found|does not appear to be a git repo",
        NotFound,
        "there is no such repository, or it is hidden from us",
        "Check its address and the credentials in its Secret.",
    ),
    _Meaning(r"returned error: 429", ServerFault, "it asks us to come less often"),
    _Meaning(r"returned error: 5\d\d", ServerFault, "the server says that it failed"),
    _Meaning(r"SSL certificate|certificate verif|server certificate", Unreachable, "its certificate is not trusted",
             "Add its issuer to argocd-tls-certs-cm."),
    _Meaning(r"No space left on device|Disk quota exceeded|Read-only file system", StorageFailed,
             "the disk of the mirror takes nothing more"),
    _Meaning(r"died of signal 25|File too large", LimitExceeded, "it is larger than a mirror may be"),
    _Meaning(r"Unable to create '[^']*\.lock'|cannot lock ref", Transient, "somebody else writes to the mirror"),
    _Meaning(r"Operation too slow|timed out|Timeout", TimedOut, "it stopped sending"),
    _Meaning(
        r"Could not resolve|Failed to connect|Couldn't connect|Connection (?:refused|reset|closed)|Empty reply|No route to host"
        r"|Network is unreachable|Could not read from remote repository",
        Unreachable,
        "there is no connection to it",
    ),
    _Meaning(
        r"(?m)^(?!remote:).*(?:object file \S+ is empty|loose object \S+ .*is corrupt|packed object \S+ .*is corrupt"
        r"|bad object (?:refs/|HEAD)|packfile \S+ (?:cannot|does not)|unable to (?:read|open) (?:tree|object|loose)"
        r"|Could not read [0-9a-f]{40}|not a git repository: |bad config|index file \S+ is too small|reference broken"
        r"|unable to resolve reference|does not point to a valid object)",
        Corrupted,
        "the mirror is damaged",
    ),
    _Meaning(
        r"fsck error|error: object [0-9a-f]+: \w+:|badTree|contains '\.git'",
        InvalidInput,
        "it holds an object that is not safe to use",
        "Remove the commit with that object from its history.",
    ),
    _Meaning(
        r"early EOF|unexpected disconnect|RPC failed|hung up|index-pack|inflate|pack has|protocol error|bad line length"
        r"|invalid server response|unexpected end|expected flush|not valid: is this a git repository|pack signature"
        r"|did not send all necessary objects|unresolved delta",
        GarbledReply,
        "the transfer broke off or is damaged",
        "It is tried again by itself; if it stays, look at the server.",
    ),
    _Meaning(r"not our ref|unadvertised object|couldn't find remote ref|remote error: upload-pack: not our ref", NotFound,
             "it has no such commit, or does not give it to us"),
)  # fmt: skip


def explained(what: str, finished: Finished) -> PlumblineError | None:
    """The error that a finished command means, None for a success."""
    if finished.exit_code == 0:
        return None
    said = redact_text(finished.stderr.decode("utf-8", "replace"))
    for meaning in _MEANINGS:
        if re.search(meaning.pattern, said):
            return meaning.error(what, why=said_by(meaning.why, said), hint=meaning.hint)
    return Transient(what, why=said_by(f"git ended with {finished.exit_code}", said))


def redirects(error: PlumblineError) -> bool:
    """Whether what went wrong is that the repository is elsewhere."""
    return error.hint == _REDIRECT


def said_by(why: str, said: str) -> str:
    """*why*, with git's own words behind it."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("hint:")]
    words = "; ".join("".join(c if c.isprintable() else " " for c in line) for line in lines)
    return f"{why} ({words[:_WORDS]})" if words else why
