"""Submodules on another server than what they are part of, whose addresses were written by whoever may push."""

from plumbline.base.errors import InvalidInput
from plumbline.source.reach import Reach
from plumbline.source.repository import ANONYMOUS, Connect
from plumbline.source.urls import host_of, redacted, same_server


async def refuse_foreign(connect: Connect, outer: str, url: str, project: str) -> None:
    """Raise InvalidInput for a part on another server that is read with credentials, or that only we can reach.

    To be asked where *project* may not name it as a source.
    """
    if same_server(outer, url):
        return
    why = "" if connect(url, project).credentials == ANONYMOUS else "there are credentials for it"
    if not why:
        try:
            await Reach(host_of(outer)).permits(host_of(url))
        except OSError as away:
            why = str(away)
    if why:
        raise InvalidInput(
            f"the submodule {redacted(url)} is not used",
            why=f"project {project} does not permit it as a source, and {why}",
            hint="Permit its address as a source of the project.",
        )
