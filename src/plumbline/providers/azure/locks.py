"""Management locks: why Azure would refuse to delete something."""

from typing import Final

from plumbline.base.errors import Forbidden, NotFound
from plumbline.providers.azure.arm import Account, Call, ask
from plumbline.providers.azure.places import group_of
from plumbline.providers.azure.tables import Table

VERSION: Final = "2016-09-01"
_BELOW: Final = "/providers/microsoft.authorization/locks/"


async def locked(account: Account, found: str, table: Table) -> str:
    """The locks that keep it, for people; empty where there are none, or where nobody may see them.

    A lock holds for all that is below it, and what contains something locked cannot be deleted either. Those of the whole
    subscription are not listed here: Azure tells them when it refuses.
    """
    group = group_of(found)
    path = f"{group}/providers/Microsoft.Authorization/locks"
    try:
        answer = await ask(account, Call(verb="GET", path=path, version=VERSION))
    except (Forbidden, NotFound):
        return ""
    names = []
    for lock in answer.body.get("value") or ():
        scope = str(lock.get("id", "")).casefold().partition(_BELOW)[0]
        if _holds(scope, found.casefold()) or (table.contains and scope.startswith(f"{found.casefold()}/")):
            level = (lock.get("properties") or {}).get("level", "CanNotDelete")
            names.append(f"{lock.get('name', '')} ({level})")
    return f"it is locked in Azure by {', '.join(names)}" if names else ""


def _holds(scope: str, found: str) -> bool:
    return found == scope or found.startswith(f"{scope}/")
