"""Asking the API server in the name of whoever is logged in: what they say is theirs, and nobody else's."""

from typing import Final

from plumbline.base.errors import Forbidden
from plumbline.kube.client import Client
from plumbline.terraform.approvals.people import GROUP
from plumbline.web.api.rights import Asker

_RESERVED: Final = ("system:", "plumbline:")
"""How names begin that mean something to a cluster, or to us. Nobody gets one by being called so elsewhere."""
_OF_PROJECT: Final = "proj:"
_MOST_GROUPS: Final = 100


def as_person(client: Client, asker: Asker) -> Client:
    """*client* as *asker*, with their groups and the one of all who come this way.

    Raises Forbidden for those who are nobody in particular: a role of a project is whoever has its token.
    """
    name = asker.name
    if not name or not name.isprintable():
        raise Forbidden("nobody is taken for the one who says this", why="whoever asks has no name")
    if name.startswith(_RESERVED):
        raise Forbidden(f"{name} says nothing here", why="the name means something else to the cluster")
    if name.startswith(_OF_PROJECT):
        raise Forbidden(
            f"{name} says nothing about plans",
            why="a role of a project is no person",
            hint="Log in with an account of your own.",
        )
    own = (each for each in asker.groups if each and each.isprintable() and not each.startswith(_RESERVED))
    return client.impersonating(name, groups=(*sorted(set(own))[:_MOST_GROUPS], GROUP))
