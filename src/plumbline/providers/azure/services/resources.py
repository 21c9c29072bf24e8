"""Resource groups."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.providers.azure.tables import Status, Table

_STATES: Final[dict[str, Status]] = {
    "succeeded": Status(),
    "creating": Status("Creating", busy=True),
    "updating": Status(busy=True),
    "deleting": Status("Deleting", busy=True),
}


def _status(found: JsonObject) -> Status:
    state = str((found.get("properties") or {}).get("provisioningState", ""))
    return _STATES.get(state.casefold(), Status("Unavailable", f"The state of the group is {state or 'unknown'}"))


GROUP: Final = Table(
    type="Microsoft.Resources/resourceGroups",
    version="2025-04-01",
    identity="/subscriptions/{subscription}/resourceGroups/{name}",
    fields={"": "location=/location!^ managedBy=/managedBy"},
    tagged=True,
    required=("location",),
    contains="resources",
    status=_status,
)

TABLES: Final = (GROUP,)
