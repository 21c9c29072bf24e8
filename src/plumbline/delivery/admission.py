"""What admission said of an object, in answers whose code says no more than that something went wrong.

A webhook denies with whatever code it likes, and one that cannot be asked is a fault of the server by its code. Neither
gets better by looking again at the cluster: only what is said tells them from a server that is ill for a while.
"""

import re
from typing import Final

from plumbline.base.errors import Transient

_DENIED: Final = re.compile(r'admission webhook ".+" denied the request')
_UNASKED: Final = re.compile(r'failed calling webhook "|conversion webhook for .+, Kind=')


def denied(error: Transient) -> bool:
    """Whether a webhook has said no."""
    return _DENIED.match(error.why) is not None


def unasked(error: Transient) -> bool:
    """Whether a webhook that has to be asked could not be, or gave no answer that is one. Nothing was written then."""
    return not denied(error) and _UNASKED.search(error.why) is not None
