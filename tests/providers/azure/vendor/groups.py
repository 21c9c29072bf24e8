"""Resource groups, what is in them, and locks."""

from .refusals import Refusal
from .routes import Route

PATH = "/subscriptions/{subscription}/resourceGroups/{group}"
VERSION = "2025-04-01"


def group_of(path):
    return "/".join(path.split("/")[:5])


def existing(cloud, path):
    group = cloud.find(group_of(path))
    if group is None:
        raise Refusal(
            404, "ResourceGroupNotFound", f"Resource group '{group_of(path).rpartition('/')[2]}' could not be found."
        )
    return group


def unlocked(cloud, path, *, whole=False):
    """Raises the refusal for what is locked, itself or by what it is in; *whole* for what takes others with it."""
    target = path.lower()
    for scope in cloud.locks:
        if target == scope or target.startswith(f"{scope}/") or (whole and scope.startswith(f"{target}/")):
            message = (
                f"The scope '{path}' cannot perform delete operation because following scope(s) are locked: '{scope}'."
                " Please remove the lock and try again."
            )
            raise Refusal(409, "ScopeLocked", message)


def group(cloud, asked):
    found, path = cloud.find(asked.path), asked.path
    if asked.verb == "PUT":
        if found and found["location"] != asked.body["location"]:
            raise Refusal(409, "InvalidResourceGroupLocation", f"The group is in location '{found['location']}'")
        made = {
            "id": path,
            "name": asked.parts["group"],
            "type": "Microsoft.Resources/resourceGroups",
            "properties": {"provisioningState": "Succeeded"},
            **asked.body,
        }
        cloud.resources[path.lower()] = made
        return made, {}, 200 if found else 201
    found = existing(cloud, path)
    if asked.verb == "PATCH":
        found.update(asked.body)
    if asked.verb == "DELETE":
        unlocked(cloud, path, whole=True)
        found["properties"] = {"provisioningState": "Deleting"}
        return None, cloud.start(path, lambda: cloud.remove(path), plain=True), 202
    return found, {}, 200


def inside(cloud, asked):
    existing(cloud, asked.path)
    prefix = f"{group_of(asked.path).lower()}/providers/"
    below = [one for key, one in cloud.resources.items() if key.startswith(prefix) and key.count("/") == 8]
    return {"value": [{name: one[name] for name in ("id", "name", "type")} for one in below]}, {}, 200


def locks(cloud, asked):
    existing(cloud, asked.path)
    found = [
        {
            "id": f"{scope}/providers/Microsoft.Authorization/locks/{name}",
            "name": name,
            "type": "Microsoft.Authorization/locks",
            "properties": {"level": "CanNotDelete"},
        }
        for scope, name in cloud.locks.items()
        if scope.startswith(group_of(asked.path).lower())
    ]
    return {"value": found}, {}, 200


ROUTES = (
    Route(
        "groups",
        PATH,
        VERSION,
        {"GET": None, "PUT": "ResourceGroup", "PATCH": "ResourceGroupPatchable", "DELETE": None},
        "ResourceGroup",
        group,
    ),
    Route("resources", f"{PATH}/resources", VERSION, {"GET": None}, "", inside),
    Route("locks", f"{PATH}/providers/Microsoft.Authorization/locks", "2016-09-01", {"GET": None}, "", locks),
)
