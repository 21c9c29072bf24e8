"""All values of one SealedSecret, opened: every one of them, or an error that names those that cannot be."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import Cause, Undecryptable
from plumbline.secrets.sealing.envelope import envelope_of
from plumbline.secrets.sealing.keyring import Keyring, Opened
from plumbline.secrets.sealing.shape import Sealed, check_opened_size, listed

_MOST_FAILURES: Final = 64
"""Each that fails costs one private operation for each key that is known; whoever sends so many wants them to cost."""
_NO_KEY: Final = "no key that is known here opens it for this name, namespace and scope"


def opened_items(sealed: Sealed, keyring: Keyring, hint: str = "") -> dict[str, Opened]:
    """Raises Undecryptable naming all items that cannot be opened; none of the others is given then."""
    opened: dict[str, Opened] = {}
    wrong: dict[str, str] = {}
    label, hint, size = sealed.label, hint or sealed.hint, 0
    for key in sorted(sealed.items):
        if len(wrong) >= _MOST_FAILURES:
            break
        fault = malformed(sealed.items[key])
        found = None if fault else _opened(keyring, sealed.items[key], label, hint)
        if found is None:
            wrong[key] = fault or _NO_KEY
            continue
        # Most often all were sealed by the same key.
        opened[key], hint = found, found.fingerprint
        size += len(found.value.reveal())
        check_opened_size(size)
    if wrong:
        raise _undecryptable(wrong, untried=len(sealed.items) - len(opened) - len(wrong))
    return opened


def opened_blob(blob: str, sealed: Sealed, keyring: Keyring, hint: str = "") -> Opened:
    """The old form, in which a whole Secret is one value."""
    fault = malformed(blob)
    found = None if fault else _opened(keyring, blob, sealed.label, hint or sealed.hint)
    if found is None:
        raise _refused("spec.data cannot be decrypted", fault or _NO_KEY, {"": fault or _NO_KEY}, "spec.data")
    return found


def malformed(value: object) -> str:
    """Why *value* cannot be a sealed one whatever the keys are; empty if it may be. Anybody can see as much."""
    if not isinstance(value, str):
        return "it is not a text"
    return "" if envelope_of(value) is not None else "it is incomplete, or not base64"


def _opened(keyring: Keyring, text: str, label: bytes, hint: str) -> Opened | None:
    try:
        return keyring.opened(text, label, hint)
    except Undecryptable:
        return None


def _undecryptable(wrong: Mapping[str, str], untried: int) -> Undecryptable:
    reasons: dict[str, list[str]] = {}
    for key, reason in wrong.items():
        reasons.setdefault(reason, []).append(key)
    what = f"{listed(wrong)} cannot be decrypted"
    if untried:
        what += f", and {untried} others were not tried"
    if len(reasons) == 1:
        return _refused(what, next(iter(reasons)), wrong, "spec.encryptedData")
    why = "; ".join(f"{listed(keys)}: {reason}" for reason, keys in reasons.items())
    return _refused(what, why, wrong, "spec.encryptedData")


def _refused(what: str, why: str, wrong: Mapping[str, str], field: str) -> Undecryptable:
    refused = Undecryptable(what, why=why)
    refused.causes = tuple(
        Cause("Undecryptable", why, f"{field}.{key}" if key else field) for key, why in wrong.items()
    )
    return refused
