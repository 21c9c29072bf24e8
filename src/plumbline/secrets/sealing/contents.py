"""The contents of a plain Secret, as values that do not show themselves."""

from base64 import b64encode
from collections.abc import Mapping

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing.envelope import decoded
from plumbline.secrets.sealing.shape import check_opened_size, fields, listed, shown, texts


def contents_of(secret: JsonObject) -> dict[str, Plaintext]:
    """`data`, with `stringData` over it as the API server has it. Raises InvalidInput naming keys, LimitExceeded."""
    found: dict[str, Plaintext] = {}
    wrong: list[str] = []
    for key, value in fields(secret, "data").items():
        content = _decoded(value)
        if content is None:
            wrong.append(key)
        else:
            found[key] = content
    if wrong:
        raise InvalidInput(
            f"data has values that are not base64: {listed(wrong)}", hint="Write them as they are under stringData."
        )
    found.update((key, _written(key, value)) for key, value in texts(secret, "stringData").items())
    check_opened_size(sum(len(value.reveal()) for value in found.values()))
    return found


def encoded(values: Mapping[str, Plaintext]) -> dict[str, str]:
    """As `data` of a Secret that is about to be sent."""
    return {key: b64encode(values[key].reveal()).decode() for key in sorted(values)}


def _written(key: str, value: str) -> Plaintext:
    # The complaint of `encode` would hold the value.
    raw = value.encode(errors="replace")
    if raw.decode() != value:
        raise InvalidInput(f"stringData has a value that is not Unicode text: {shown(key)}")
    return Plaintext(raw)


def _decoded(value: object) -> Plaintext | None:
    if value is None:
        return Plaintext(b"")
    try:
        return Plaintext(decoded(value)) if isinstance(value, str) else None
    except ValueError:
        return None
