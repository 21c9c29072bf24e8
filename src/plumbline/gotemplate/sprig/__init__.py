"""Sprig's functions, by the names and with the habits that templates rely on.

Not there, by intent: `env`, `expandenv` and `getHostByName`, which tell about where the process runs. What is new each
time that it is called is named by `CHANGING`, for whoever may not write something else whenever he looks.
"""

from collections.abc import Mapping
from typing import Final

from plumbline.gotemplate.sprig import (
    dates,
    defaults,
    dicts,
    encodings,
    encryption,
    lists,
    numbers,
    passwords,
    paths,
    patterns,
    randoms,
    texts,
    versions,
)
from plumbline.gotemplate.sprig.issuing import issuing
from plumbline.gotemplate.sprig.surroundings import Surroundings
from plumbline.gotemplate.values import Function

__all__ = ["CHANGING", "Surroundings", "sprig"]

CHANGING: Final = frozenset({
    *("ago", "now", "bcrypt", "htpasswd", "encryptAES", "randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt"),
    *("randNumeric", "shuffle", "uuidv4", "genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert"),
    *("genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey"),
})  # fmt: skip
"""Functions that say something else each time: by the clock, or by chance."""


def sprig(surroundings: Surroundings) -> Mapping[str, Function]:
    """All functions; *surroundings* give the time and chance."""
    return {
        **texts.FUNCTIONS,
        **numbers.FUNCTIONS,
        **lists.FUNCTIONS,
        **dicts.FUNCTIONS,
        **defaults.FUNCTIONS,
        **encodings.FUNCTIONS,
        **paths.FUNCTIONS,
        **patterns.FUNCTIONS,
        **passwords.FUNCTIONS,
        **encryption.FUNCTIONS,
        **versions.FUNCTIONS,
        **dates.functions(surroundings),
        **randoms.functions(surroundings),
        **issuing(surroundings),
    }
