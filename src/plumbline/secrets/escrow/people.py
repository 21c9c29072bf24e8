"""Those to whom keys are encrypted, and what they open them with: age, or PEM."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import pyrage
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing.certificates import fingerprint_of

_PEM: Final = "-----BEGIN "
_SSH: Final = ("ssh-ed25519 ", "ssh-rsa ")
_ENCRYPTED: Final = (b"-----BEGIN AGE ENCRYPTED FILE-----", b"age-encryption.org/")
_IDENTITY: Final = "AGE-SECRET-KEY-"
_SMALLEST_BITS: Final = 2048
_LONGEST_NAME: Final = 80
_HINT: Final = "Give an age recipient (age1…), an SSH public key, or a file with a certificate or public key in PEM."


class Recipients(NamedTuple):
    """Either of age, or of PEM: a file has one format."""

    age: tuple[Any, ...] = ()
    pem: tuple[x509.Certificate | rsa.RSAPublicKey, ...] = ()
    names: tuple[str, ...] = ()
    """As people know them; nothing secret."""


class Identities(NamedTuple):
    age: tuple[Any, ...] = ()
    pem: tuple[rsa.RSAPrivateKey, ...] = ()


def recipients_in(texts: Sequence[str]) -> Recipients:
    """Raises InvalidInput for none, for what is no recipient, and for both kinds at once."""
    found = Recipients()
    for text in texts:
        found = _with_pem(found, text) if text.lstrip().startswith(_PEM) else _with_age(found, text)
    if not found.names:
        raise InvalidInput("there is nobody to encrypt the keys to", hint=_HINT)
    if found.age and found.pem:
        raise InvalidInput("one file cannot be for recipients of age and of PEM", hint="Write two files.")
    return found


def _with_age(found: Recipients, text: str) -> Recipients:
    lines = [line.strip() for line in text.splitlines()]
    named = [line for line in lines if line and not line.startswith("#")]
    if any(line.upper().startswith(_IDENTITY) for line in named):
        hint = "Give what it has after `# public key:`, or what `age-keygen -y` prints of it."
        raise InvalidInput("that is no recipient", why="it is an identity, which opens and is kept secret", hint=hint)
    try:
        more = tuple(_age_recipient(line) for line in named)
    except pyrage.RecipientError:
        raise InvalidInput("that is no recipient", why="age cannot read it", hint=_HINT) from None
    names = tuple(_name(line) for line in named)
    return found._replace(age=(*found.age, *more), names=(*found.names, *names))


def _name(line: str) -> str:
    """Of an SSH key its comment, which is most often a person on a machine."""
    if not line.startswith(_SSH):
        return line[:_LONGEST_NAME]
    kind, key, *comment = line.split(maxsplit=2)
    return (comment[0] if comment else f"{kind} …{key[-16:]}")[:_LONGEST_NAME]


def _age_recipient(line: str) -> Any:
    return (pyrage.ssh if line.startswith(_SSH) else pyrage.x25519).Recipient.from_str(line)


def _with_pem(found: Recipients, text: str) -> Recipients:
    raw = text.strip().encode()
    certificate = None
    try:
        if b"CERTIFICATE" in raw.splitlines()[0]:
            certificate = x509.load_pem_x509_certificate(raw)
            public: object = certificate.public_key()
        else:
            public = serialization.load_pem_public_key(raw)
    except (ValueError, UnsupportedAlgorithm):
        raise InvalidInput("that is no recipient", why="the PEM cannot be read", hint=_HINT) from None
    if not isinstance(public, rsa.RSAPublicKey) or public.key_size < _SMALLEST_BITS:
        why = f"PEM recipients have RSA keys of {_SMALLEST_BITS} bits or more"
        raise InvalidInput("that recipient cannot be used", why=why, hint="Use age for other kinds of keys.")
    name = certificate.subject.rfc4514_string() if certificate else ""
    names = (*found.names, (name or fingerprint_of(public))[:_LONGEST_NAME])
    return found._replace(pem=(*found.pem, certificate or public), names=names)


def identities_in(texts: Sequence[Plaintext]) -> Identities:
    """From files of identities: `AGE-SECRET-KEY-1…` lines, SSH private keys, PEM private keys without a password."""
    found = Identities()
    for text in texts:
        raw = text.reveal()
        if raw.lstrip().startswith(_ENCRYPTED):
            hint = "Open it first: `age --decrypt FILE | plumb keys … --identity -`."
            raise InvalidInput("that identity cannot be used", why="it is encrypted itself", hint=hint)
        if b"OPENSSH PRIVATE KEY" in raw:
            found = found._replace(age=(*found.age, _ssh_identity(raw)))
        elif raw.lstrip().startswith(_PEM.encode()):
            # SSH keys were in this form once, so that it may be meant for either.
            found = found._replace(pem=(*found.pem, _private(raw)), age=(*found.age, *_old_ssh_identity(raw)))
        else:
            found = found._replace(age=(*found.age, *_age_identities(raw)))
    if not (found.age or found.pem):
        raise InvalidInput("there is no identity to open the keys with", hint=_OPENING)
    return found


_OPENING: Final = (
    "Name a file with an age identity (AGE-SECRET-KEY-1…), an SSH private key or an RSA private key in PEM."
)


def _ssh_identity(raw: bytes) -> Any:
    try:
        return pyrage.ssh.Identity.from_buffer(raw)
    except pyrage.IdentityError:
        why = "it has a passphrase, or age cannot read it"
        raise InvalidInput("that SSH key cannot be used", why=why, hint=_OPENING) from None


def _old_ssh_identity(raw: bytes) -> tuple[Any, ...]:
    try:
        return (pyrage.ssh.Identity.from_buffer(raw),)
    except pyrage.IdentityError:
        return ()


def _private(raw: bytes) -> rsa.RSAPrivateKey:
    try:
        private = serialization.load_pem_private_key(raw.strip(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise InvalidInput("that private key cannot be read", hint=_OPENING) from None
    if not isinstance(private, rsa.RSAPrivateKey):
        raise InvalidInput("that private key cannot be used", why="it is not an RSA key", hint=_OPENING)
    return private


def _age_identities(raw: bytes) -> tuple[Any, ...]:
    lines = [line.strip() for line in raw.decode(errors="replace").splitlines()]
    try:
        return tuple(pyrage.x25519.Identity.from_str(line) for line in lines if line and not line.startswith("#"))
    except pyrage.IdentityError:
        raise InvalidInput("that is no identity of age", hint=_OPENING) from None
