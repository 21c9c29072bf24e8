"""As whom a part of a repository is asked for: submodules mostly lie beside what they are part of, and no Secret names them.

Their addresses are written by whoever may push. So what is known of the repository around them is for its own server, and for no other.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from plumbline.source.repository import ANONYMOUS, Connect, Repository
from plumbline.source.urls import same_server

Around: TypeAlias = tuple[str, ...]
"""Addresses of the repositories that something is part of, the outermost first."""


Permits: TypeAlias = Callable[[str, str], bool]
"""Whether a project may name an address as a source."""


def anything(_url: str, _project: str) -> bool:
    """Where nobody asks about projects."""
    return True


def connected(connect: Connect, url: str, project: str, around: Around = ()) -> Repository:
    """As settings have it for the address itself, else with the credentials of what is around it on the same server."""
    own = connect(url, project)
    if own.credentials != ANONYMOUS or own.stands_at:
        return own
    for outer in reversed(around):
        if not same_server(outer, url):
            break
        lender = connect(outer, project)
        if lender.credentials != ANONYMOUS or lender.insecure:
            return _lent(own, lender)
    return own


def _lent(own: Repository, lender: Repository) -> Repository:
    return msgspec.structs.replace(
        own,
        credentials=lender.credentials,
        insecure=lender.insecure,
        proxy=own.proxy or lender.proxy,
        no_proxy=own.no_proxy or lender.no_proxy,
    )
