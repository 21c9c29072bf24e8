"""Sprig's functions, by the names and with the habits that templates rely on.

Not there, by intent: `env`, `expandenv` and `getHostByName`, which tell about where the process runs. Not there yet:
what makes keys, certificates and passwords (`gen*`, `buildCustomCert`, `derivePassword`, `bcrypt`, `htpasswd`,
`encryptAES`, `decryptAES`), and `semver` and `semverCompare`.
"""

from collections.abc import Mapping

from plumbline.gotemplate.sprig import (
    dates,
    defaults,
    dicts,
    encodings,
    lists,
    numbers,
    paths,
    patterns,
    randoms,
    texts,
)
from plumbline.gotemplate.sprig.surroundings import Surroundings
from plumbline.gotemplate.values import Function

__all__ = ["Surroundings", "sprig"]


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
        **dates.functions(surroundings),
        **randoms.functions(surroundings),
    }
