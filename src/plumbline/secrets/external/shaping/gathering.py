"""What stores answered, put together: `dataFrom` in its order, then `data`, whose keys count."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from plumbline.base.errors import NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate import Surroundings
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretItem, ExternalSecretItems, ExternalSecretSpec
from plumbline.secrets.external.shaping.decoding import check_null_bytes, decoded, decoded_value
from plumbline.secrets.external.shaping.keys import MOST_BYTES, Values, check_size, checked, converted
from plumbline.secrets.external.shaping.rewriting import rewritten


class Answers(NamedTuple):
    """One for each entry of `dataFrom` and of `data`; None where the store says that there is no such secret."""

    data_from: Sequence[Mapping[str, Plaintext] | None] = ()
    data: Sequence[Plaintext | None] = ()


class Gathered(NamedTuple):
    values: Values
    missing: tuple[str, ...] = ()
    """What the store has none of, in words for events."""
    gone: bool = False
    """The store said of everything that it is not there, which is more than an answer with nothing in it."""
    unmatched: bool = False
    """The same, but there are searches among it, and all of them found nothing."""


class _Collected:
    """What is together so far: never more than a Secret holds, however often one value is asked for."""

    def __init__(self) -> None:
        self.values: dict[str, Plaintext] = {}
        self._size_bytes = 0
        """At most; what another one has taken the place of is in it."""

    def add(self, more: Values) -> None:
        self.values |= more
        self._size_bytes += _size(more)
        if self._size_bytes > MOST_BYTES:
            self._size_bytes = _size(self.values)
            check_size(self._size_bytes)


def _size(values: Values) -> int:
    return sum(len(value.reveal()) for value in values.values())


def gathered(spec: ExternalSecretSpec, answers: Answers, surroundings: Surroundings) -> Gathered:
    """Raises InvalidInput with the item that cannot be used, and NotFound for what is missing but has to be kept."""
    collected = _Collected()
    missing: list[str] = []
    for number, (items, entries) in enumerate(zip(spec.data_from, answers.data_from, strict=True)):
        if entries is None:
            missing.append(f"secret does not exist at provider using spec.dataFrom[{number}]")
        else:
            collected.add(shaped_entries(items, entries, surroundings))
    for number, (item, value) in enumerate(zip(spec.data, answers.data, strict=True)):
        if value is None:
            missing.append(f"secret does not exist at provider using spec.data[{number}] (key={item.remote_ref.key})")
        else:
            collected.add({item.secret_key: shaped_value(item, value)})
    if missing and spec.target.deletion_policy == "Retain":
        raise NotFound(
            "could not get secret data from provider",
            why="; ".join(missing),
            hint="Put it back, or set `deletionPolicy` to `Merge` if its keys may go, to `Delete` if the Secret may.",
        )
    asked = len(spec.data_from) + len(spec.data)
    idle = sum(
        items.find is not None and entries is not None and not entries
        for items, entries in zip(spec.data_from, answers.data_from, strict=True)
    )
    absent = len(missing) + idle == asked > 0
    return Gathered(collected.values, tuple(missing), gone=absent and not idle, unmatched=absent and idle > 0)


def shaped_entries(
    items: ExternalSecretItems, entries: Mapping[str, Plaintext], surroundings: Surroundings
) -> dict[str, Plaintext]:
    """*entries* under the keys and with the values that *items* ask for. Raises InvalidInput."""
    asked = items.extract or items.find
    if items.rewrite:
        named = rewritten(entries, items.rewrite, surroundings)
    else:
        named = converted(entries, asked.conversion_strategy) if asked is not None else dict(entries)
    values = checked(named)
    if asked is None:
        return values
    values = decoded(values, asked.decoding_strategy)
    check_null_bytes(values, asked.null_byte_policy)
    return values


def shaped_value(item: ExternalSecretItem, value: Plaintext) -> Plaintext:
    """Raises InvalidInput."""
    shaped = decoded_value(value, item.remote_ref.decoding_strategy, f"{item.secret_key}: ")
    check_null_bytes({item.secret_key: shaped}, item.remote_ref.null_byte_policy)
    return shaped
