"""The few commands that are given to `git`, and what surrounds them: no hook, filter, helper or prompt, no one's settings."""

from pathlib import Path
from typing import Final

from plumbline.base.environment import environment
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Command, Confinement, Limits
from plumbline.source.git.access import Access

_REFSPECS: Final = (
    # Patterns, where a plain name would do: what matches nothing is no error, as HEAD of an empty repository.
    "+HEAD*:refs/plumbline/HEAD*",
    "+refs/heads/*:refs/heads/*",
    "+refs/tags/*:refs/tags/*",
)
_FETCH: Final = ("fetch", "--quiet", "--no-auto-maintenance", "--no-recurse-submodules", "--no-write-fetch-head")
_PACK_BYTES: Final = 16 << 30
_STDERR_BYTES: Final = 64 << 10
_ALLOWED_FLAWS: Final = (
    "badDate",
    "badDateOverflow",
    "badEmail",
    "badName",
    "badTimezone",
    "emptyName",
    "missingEmail",
    "missingNameBeforeEmail",
    "missingSpaceBeforeDate",
    "missingSpaceBeforeEmail",
    "missingTaggerEntry",
    "multipleAuthors",
    "zeroPaddedDate",
    "zeroPaddedFilemode",
)
"""What old tools wrote into the history of honest repositories, and what harms nobody."""

_SETTINGS: Final = {
    "core": {
        "attributesFile": "/dev/null",
        "excludesFile": "/dev/null",
        "fsmonitor": "false",
        # A mirror that a power failure took can be fetched again; waiting for the disk costs every push.
        "fsync": "none",
        "hooksPath": "/dev/null",
    },
    "credential": {"helper": '""'},
    "fetch": {"fsckObjects": "true", "recurseSubmodules": "false", "writeCommitGraph": "false"},
    'fetch "fsck"': dict.fromkeys(_ALLOWED_FLAWS, "ignore"),
    "gc": {"auto": "0"},
    "maintenance": {"auto": "false"},
    "protocol": {"version": "2"},
    # Of a repository on this disk, where we are both sides.
    "safe": {"directory": "*"},
    "uploadpack": {"allowAnySHA1InWant": "true"},
}
_RECEIVING: Final = {
    "core.alternateRefsCommand": "true",
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "receive.autogc": "false",
    "receive.denyCurrentBranch": "refuse",
}
"""Over what a repository on this disk says itself: whoever wrote its settings has no program run by us with a push, neither a
hook nor the filters of a checkout, and what somebody has checked out there does not change under their hands."""
_RECEIVER: Final = " ".join(("git", *(f"-c {name}={value}" for name, value in _RECEIVING.items()), "receive-pack"))
_CERTIFICATES: Final = ("SSL_CERT_DIR", "SSL_CERT_FILE")
_INHERITED: Final = (
    "PATH",
    "ALL_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    *_CERTIFICATES,
)


def kept_as(notes: str) -> str:
    """Where a mirror has notes: out of the way of what is followed."""
    return f"refs/plumbline/{notes.removeprefix('refs/')}"


class Git:
    """Makes commands that know nothing but the *home* they are given, which is made here."""

    def __init__(self, home: Path, *, stalled_s: int) -> None:
        self._home = home
        self._certificates: tuple[Path, ...] = ()
        self._stalled = (("http.lowSpeedLimit", "1000"), ("http.lowSpeedTime", str(stalled_s)))

    def settle(self) -> None:
        """Write the settings that all commands share."""
        self._home.mkdir(parents=True, exist_ok=True)
        lines = [
            line
            for section, settings in _SETTINGS.items()
            for line in (f"[{section}]", *(f"\t{name} = {value}" for name, value in settings.items()))
        ]
        (self._home / "gitconfig").write_text("\n".join([*lines, ""]))
        named = [Path(path) for name in _CERTIFICATES if (path := environment().get(name, "")).startswith("/")]
        self._certificates = tuple(path for path in named if path.exists())

    def fetch(
        self, mirror: Path, access: Access, *, special: tuple[str, ...], depth: tuple[str, ...], deadline_s: float
    ) -> Command:
        """Bring the mirror to where the other side is. What is gone there goes first, as it may be in the way."""
        refspecs = (*_REFSPECS, *(f"+{name}*:{name}*" for name in special))
        options = (*_FETCH, "--prune", "--force", "--no-tags", *depth)
        return self._remote(mirror, access, (*options, "--", access.address, *refspecs), deadline_s)

    def fetch_commit(self, mirror: Path, access: Access, sha: str, *, deadline_s: float) -> Command:
        """Bring one commit that no branch leads to, and keep it."""
        refspec = f"+{sha}:refs/plumbline/kept/{sha}"
        return self._remote(mirror, access, (*_FETCH, "--no-tags", "--", access.address, refspec), deadline_s)

    def fetch_notes(self, mirror: Path, access: Access, notes: str, *, deadline_s: float) -> Command:
        """Bring the notes that the other side has by that name, if any, whatever we had of them."""
        refspec = f"+{notes}*:{kept_as(notes)}*"
        return self._remote(mirror, access, (*_FETCH, "--no-tags", "--", access.address, refspec), deadline_s)

    def push(self, mirror: Path, access: Access, refspecs: tuple[str, ...], *, deadline_s: float) -> Command:
        """Have branches there be what they are told to be, where that is ahead of what they are."""
        options: tuple[str, ...] = ("push", "--quiet", "--no-verify", "--no-recurse-submodules", "--no-signed")
        # A repository on this disk is written to by a git that we start ourselves.
        theirs: tuple[Path, ...] = ()
        if access.protocols == "file":
            theirs, options = access.readable, (*options, f"--receive-pack={_RECEIVER}")
        return self._remote(mirror, access, (*options, "--", access.address, *refspecs), deadline_s, writes=theirs)

    def head(self, room: Path, access: Access, *, deadline_s: float) -> Command:
        """Ask where HEAD is, and keep nothing; *room* is a folder for nobody else."""
        return self._remote(room, access, ("ls-remote", "--quiet", "--", access.address, "HEAD"), deadline_s)

    def pack_refs(self, mirror: Path, *, deadline_s: float) -> Command:
        return self._local(mirror, ("pack-refs", "--all"), deadline_s)

    def repack(self, mirror: Path, *, deadline_s: float) -> Command:
        """Put small packs together. Nothing is dropped: what was fetched once can be rolled back to."""
        return self._local(mirror, ("repack", "--geometric=2", "-d", "-q"), deadline_s)

    def check(self, mirror: Path, *, deadline_s: float) -> Command:
        """Look whether everything that refs lead to is there. It fails where something is not."""
        return self._local(mirror, ("fsck", "--connectivity-only", "--no-dangling", "--no-progress"), deadline_s)

    def _remote(
        self,
        mirror: Path,
        access: Access,
        arguments: tuple[str, ...],
        deadline_s: float,
        *,
        writes: tuple[Path, ...] = (),
    ) -> Command:
        # What only asks belongs to no repository, and git refuses a folder that is none.
        place = () if arguments[0] == "ls-remote" else (f"--git-dir={mirror}",)
        settings = (*self._stalled, *access.settings)
        told: dict[str, str | Plaintext] = {"GIT_CONFIG_COUNT": str(len(settings))}
        for index, (name, value) in enumerate(settings):
            told |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
        return Command(
            argv=("git", *place, *arguments),
            inherit=_INHERITED,
            environment={
                **self._environment(),
                "GIT_ALLOW_PROTOCOL": access.protocols,
                **access.environment,
                **told,
            },
            secrets=access.secrets,
            deadline_s=deadline_s,
            stderr_limit_bytes=_STDERR_BYTES,
            beyond="discard",
            accept=None,
            limits=Limits(file_bytes=_PACK_BYTES),
            confinement=self._confined((mirror, *writes), access.readable, network=access.protocols != "file"),
        )

    def _local(self, mirror: Path, arguments: tuple[str, ...], deadline_s: float) -> Command:
        return Command(
            argv=("git", f"--git-dir={mirror}", *arguments),
            inherit=("PATH",),
            environment=self._environment(),
            deadline_s=deadline_s,
            confinement=self._confined((mirror,), (), network=False),
        )

    def _environment(self) -> dict[str, str]:
        return {
            "GIT_ALLOW_PROTOCOL": "",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self._home / "gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "HOME": str(self._home),
            "LC_ALL": "C",
        }

    def _confined(self, writable: tuple[Path, ...], readable: tuple[Path, ...], *, network: bool) -> Confinement:
        # Best effort: it is our own tool with our own settings, and without it nothing is delivered at all.
        return Confinement(
            readable=(self._home, *self._certificates, *readable),
            writable=writable,
            network=network,
            policy="best-effort",
        )
