"""Which keys are trusted: the ConfigMap argocd-gpg-keys-cm, with OpenPGP keys as upstream has them and ssh keys beside.

An entry is an armored public key, or one line as in an `id_ed25519.pub`. Its name is not looked at: a key is what it is.
"""

import base64
import binascii
import hashlib
import re
from typing import Final

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.source.signatures.verdict import Verdict

CONFIG_MAP: Final = "argocd-gpg-keys-cm"

_LARGEST_BYTES: Final = 1 << 20
_MOST: Final = 1000
_ARMOR: Final = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
_SSH: Final = re.compile(r"((?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+) ([A-Za-z0-9+/]+={0,2})(?: .*)?")
_KEY_ID: Final = re.compile(r"[0-9A-Fa-f]{16}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64}")


class Trusted(msgspec.Struct, frozen=True):
    openpgp: tuple[tuple[str, str], ...] = ()
    """Names of entries, and the armored keys in them."""
    ssh: dict[str, bytes] = msgspec.field(default_factory=dict)
    """Fingerprints, and the keys in the form that signatures carry them."""
    faults: tuple[str, ...] = ()
    """Entries that are no keys, and why. None of them stops the others."""


def trusted(config_map: JsonObject | None) -> Trusted:
    """The keys in a ConfigMap. Never raises."""
    content: Json = (config_map or {}).get("data")
    openpgp: list[tuple[str, str]] = []
    ssh: dict[str, bytes] = {}
    faults: list[str] = []
    for name, text in sorted(content.items() if isinstance(content, dict) else ())[:_MOST]:
        if not isinstance(text, str) or len(text) > _LARGEST_BYTES:
            faults.append(f"{name} is not a text of at most {_LARGEST_BYTES} bytes")
        elif "PRIVATE KEY" in text:
            faults.append(f"{name} is a private key, which belongs to whoever signs")
        elif text.lstrip().startswith(_ARMOR):
            openpgp.append((name, text))
        elif (key := _ssh_key(text.strip())) is not None:
            ssh[fingerprint(key)] = key
        else:
            faults.append(f"{name} is neither an armored OpenPGP key nor an ssh key")
    return Trusted(tuple(openpgp), ssh, tuple(faults))


def fingerprint(key: bytes) -> str:
    """As `ssh-keygen -l` shows it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")


def names_key(listed: str, verdict: Verdict) -> bool:
    """Whether what a project lists is the key that signed: its id, its fingerprint, or those of its primary key."""
    if listed.startswith("SHA256:"):
        return listed in verdict.names
    if not _KEY_ID.fullmatch(listed):
        return False
    return any(name.endswith(listed.upper()) for name in verdict.names if not name.startswith("SHA256:"))


def _ssh_key(line: str) -> bytes | None:
    match = _SSH.fullmatch(line)
    if match is None:
        return None
    try:
        key = base64.b64decode(match[2], validate=True)
    except binascii.Error:
        return None
    kind = match[1].encode()
    return key if key.startswith(len(kind).to_bytes(4) + kind) else None
