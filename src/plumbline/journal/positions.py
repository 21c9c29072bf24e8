"""Ids of entries: 26 characters that sort like the entries themselves and look like ULIDs.

- 48 bits: milliseconds; they never run backwards within one journal, even when the clock does.
- 40 bits: the journal's origin, random, made once.
- 40 bits: the place in the chain, so that no index is needed to find an entry by its id.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from plumbline.base.errors import InvalidInput

_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUES: Final = {letter: value for value, letter in enumerate(_LETTERS)}
_PAIRS: Final = tuple(high + low for high in _LETTERS for low in _LETTERS)
_FORM: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_ORIGIN_BITS: Final = 40
_SEQ_BITS: Final = 40
ORIGIN_DIGITS: Final = _ORIGIN_BITS // 4
"""Hexadecimal digits of a uid that make an origin."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def entry_id(ms: int, origin: int, seq: int) -> str:
    value = ms << (_ORIGIN_BITS + _SEQ_BITS) | origin << _SEQ_BITS | seq
    return "".join(_PAIRS[value >> shift & 1023] for shift in range(120, -1, -10))


def seq_of(id_: str) -> int:
    """The entry's place in the chain. Raises InvalidInput for what is no id of an entry."""
    if not _FORM.fullmatch(id_):
        raise InvalidInput("not the id of a journal entry", why=ascii(id_[:80]))
    value = 0
    for letter in id_[-8:]:
        value = value << 5 | _VALUES[letter]
    return value


def milliseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def ms_of(id_: str) -> int:
    value = 0
    for letter in id_[:10]:
        value = value << 5 | _VALUES[letter]
    return value
