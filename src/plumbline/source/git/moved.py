"""Where a repository has moved to. Git would follow a redirect to wherever it leads, so we look where that is first.

With credentials none is followed. Without, it leads to public addresses and into networks of the repository's own kind.
"""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.source.git.access import Access
from plumbline.source.git.asking import opened
from plumbline.source.repository import ANONYMOUS, Repository

_REFS: Final = "/info/refs"
_SERVICE: Final = "?service=git-upload-pack"
_SHOWN: Final = frozenset({"http.extraHeader", "http.sslCert"})
_PATIENCE_S: Final = 15.0


async def moved(repository: Repository, reached: Access, what: str) -> Access | None:
    """*reached*, where it redirects to; None where who we are would be told there."""
    if not _SHOWN.isdisjoint(name for name, _ in reached.settings):
        return None
    anybody = Repository(
        url=repository.url,
        credentials=ANONYMOUS,
        insecure=repository.insecure,
        proxy=repository.proxy,
        no_proxy=repository.no_proxy,
        ca_pem=repository.ca_pem,
    )
    asked = f"{reached.address.rstrip('/')}{_REFS}{_SERVICE}"
    async with (
        opened(anybody, reached.address, what, total_s=_PATIENCE_S, quiet_s=_PATIENCE_S) as client,
        client.asked("GET", asked, {"Git-Protocol": "version=2"}) as answer,
    ):
        address, refs, _ = str(answer.url).rpartition(_REFS)
    if not refs:
        raise InvalidInput(what, why="it redirects to what is no repository", hint="Check its address.")
    return reached._replace(address=address)
