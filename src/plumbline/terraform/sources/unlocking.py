"""Private keys that are locked with a password, opened once, in memory."""

from typing import TYPE_CHECKING

from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.serialization import SSHPrivateKeyTypes

_OPENSSH = b"-----BEGIN OPENSSH PRIVATE KEY-----"


def unlocked(identity: Plaintext, password: Plaintext | None) -> Plaintext | str:
    """The key as ssh reads it without being asked for anything, or why there is none."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - keys for ssh are rare

    try:
        _loaded(identity, None)
    except TypeError:
        pass  # it is locked
    except (ValueError, UnsupportedAlgorithm):
        return identity  # no kind of key that is known here: let ssh say what is wrong with it
    else:
        return identity
    if not password:
        return "SSH identity key is encrypted but no 'password' field was provided in the secret"
    try:
        key = _loaded(identity, password.reveal())
    except UnsupportedAlgorithm:
        return (
            "SSH identity key is encrypted in a way that is not opened here; use PKCS #8, or one that is not encrypted"
        )
    except (ValueError, TypeError):
        return "the 'password' in the secret does not open the SSH identity key"
    opened = _written(key)
    known.add(opened)
    return opened


def _loaded(identity: Plaintext, password: bytes | None) -> "SSHPrivateKeyTypes":
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - keys for ssh are rare

    pem = identity.reveal().strip() + b"\n"
    load = serialization.load_ssh_private_key if pem.startswith(_OPENSSH) else serialization.load_pem_private_key
    return load(pem, password)  # type: ignore[return-value]  # what ssh cannot use, ssh refuses


def _written(key: "SSHPrivateKeyTypes") -> Plaintext:
    from cryptography.hazmat.primitives import serialization as how  # noqa: PLC0415 - keys for ssh are rare

    return Plaintext(key.private_bytes(how.Encoding.PEM, how.PrivateFormat.OpenSSH, how.NoEncryption()))
