"""Lines of known hosts. Comments and lines that nobody can read stay where they are."""

import base64
import binascii
import re
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.source.certificates.values import SSH, Certificate
from plumbline.source.signatures.trusted import fingerprint as shown

MOST_ENTRIES: Final = 256
"""As many as Argo CD takes at once."""
_LINE_BYTES: Final = 1 << 14
_WORDS: Final = 3
_MARKERS: Final = frozenset({"@cert-authority", "@revoked"})
_HOST: Final = re.compile(
    r"\|1\|[A-Za-z0-9+/]+=*\|[A-Za-z0-9+/]+=*|!?[A-Za-z0-9_.:*?%-]{1,255}|\[[A-Za-z0-9_.:*?%-]{1,255}\]:[0-9]{1,5}", re.ASCII
)  # fmt: skip
_HINT: Final = "Take what `ssh-keyscan HOST` prints, after checking that it is right."


class HostKey(NamedTuple):
    host: str
    """As it stands there: perhaps several with commas, perhaps behind a marker."""
    subtype: str
    content: str

    def __str__(self) -> str:
        return f"{self.host} {self.subtype} {self.content}"


def read(line: str) -> HostKey | None:
    """What a line says; None where it says nothing of the kind."""
    text = line.strip()
    marker, _, rest = text.partition(" ")
    words = (rest if marker in _MARKERS else text).split(None, _WORDS - 1)
    if not text or text.startswith("#") or len(words) < _WORDS:
        return None
    host, subtype, content = words
    return HostKey(f"{marker} {host}" if marker in _MARKERS else host, subtype, content)


def certificates_in(text: str) -> list[Certificate]:
    """One for each host of each line, all of which are valid. Raises InvalidInput."""
    found: list[Certificate] = []
    for number, line in enumerate(text.splitlines(), 1):
        key = read(line)
        if key is None:
            continue
        for host in key.host.split(","):
            blob(HostKey(host, key.subtype, key.content), f"line {number} of the known hosts")
            found.append(Certificate(host, SSH, key.subtype, key.content))
            if len(found) > MOST_ENTRIES:
                raise LimitExceeded("the known hosts are not read", why=f"there are more than {MOST_ENTRIES} entries")
    return found


def fingerprint(key: HostKey) -> str:
    """As `ssh-keygen -l` shows it; only its beginning where there is no key."""
    raw = _decoded(key.content)
    return shown(raw) if raw else "SHA256:"


def blob(key: HostKey, what: str) -> bytes:
    """The key itself, for one host. Raises InvalidInput where it is none that ssh would take."""
    if key.host.partition(" ")[0] in _MARKERS:
        hint = "Write it to ssh_known_hosts of argocd-ssh-known-hosts-cm."
        raise InvalidInput(f"{what} is not taken", why="authorities and revocations are no keys of hosts", hint=hint)
    if not _HOST.fullmatch(key.host):
        raise InvalidInput(f"{what} is not taken", why=f"{key.host[:100]!r} is no host", hint=_HINT)
    if len(str(key)) > _LINE_BYTES:
        raise LimitExceeded(f"{what} is not taken", why=f"it has more than {_LINE_BYTES} bytes", hint=_HINT)
    if "\n" in key.content or "\r" in key.content:
        raise InvalidInput(f"{what} is not taken", why="a key is on one line", hint=_HINT)
    raw = _decoded(key.content)
    kind = key.subtype.encode()
    if not raw or not raw.startswith(len(kind).to_bytes(4) + kind) or not _known(key):
        why = f"what follows the host is no key of the kind {key.subtype[:50]!r}"
        raise InvalidInput(f"{what} is not taken", why=why, hint=_HINT)
    return raw


def _decoded(content: str) -> bytes:
    try:
        return base64.b64decode(content.split(None, 1)[0], validate=True)
    except (binascii.Error, IndexError, ValueError):
        return b""


def _known(key: HostKey) -> bool:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - who adds no key need not load OpenSSL
    from cryptography.hazmat.primitives.serialization import load_ssh_public_key  # noqa: PLC0415 - same

    try:
        load_ssh_public_key(f"{key.subtype} {key.content.split(None, 1)[0]}".encode())
    except (ValueError, UnsupportedAlgorithm):
        return False
    return True
