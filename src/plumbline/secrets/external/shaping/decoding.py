"""Values as they are meant: decoded, and without what some programs cannot bear."""

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate.gobase64 import read_base64
from plumbline.kinds.externalsecrets.externalsecret import Decoding, NullBytes
from plumbline.secrets.external.shaping.keys import Values


def decoded(values: Values, strategy: Decoding) -> dict[str, Plaintext]:
    """Every value as *strategy* reads it. Raises InvalidInput with the key, never the value, where it cannot."""
    return {key: decoded_value(value, strategy, f"failure decoding key {key}: ") for key, value in values.items()}


def decoded_value(value: Plaintext, strategy: Decoding, place: str = "") -> Plaintext:
    if strategy == "None":
        return value
    if strategy == "Auto":
        for attempt in ("Base64", "Base64URL"):
            raw = _raw(value, attempt)
            if raw is not None:
                return Plaintext(raw)
        return value
    raw = _raw(value, strategy)
    if raw is None:
        raise InvalidInput(
            f"error applying decoding strategy {strategy} to data",
            why=f"{place}it is no {'base64' if strategy == 'Base64' else 'base64 of the alphabet for URLs'}",
            hint="Remove `decodingStrategy`, or set it to `Auto`, which leaves alone what is not encoded.",
        )
    return Plaintext(raw)


def _raw(value: Plaintext, strategy: str) -> bytes | None:
    return read_base64(value.reveal(), url=strategy == "Base64URL")


def check_null_bytes(values: Values, policy: NullBytes) -> None:
    """Raises InvalidInput for the first value, by key, that has a NUL although *policy* forbids it."""
    if policy != "Fail":
        return
    for key in sorted(values):
        if b"\0" in values[key].reveal():
            raise InvalidInput(
                f'fetched secret value for key "{key}" contains null bytes',
                hint="Set `nullBytePolicy` to `Ignore` if whoever reads the Secret can bear them.",
            )
