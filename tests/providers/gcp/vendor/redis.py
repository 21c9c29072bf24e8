"""Memorystore for Redis as its API behaves: masks say what changes, states say what happens."""

from .documents import Refusal, merged, writable

API = "redis.v1"


def _operate(cloud, target, finish):
    if cloud.busy(target):
        raise Refusal(409, "aborted", "another operation is in progress", code="ABORTED")
    place = target.rpartition("/instances/")[0]
    return cloud.start({"name": f"{place}/operations/operation-{next(cloud.numbers)}", "done": False}, target, finish)


def _find(cloud, asked):
    path = asked.values["name"]
    if path not in cloud.resources:
        raise Refusal(404, "notFound", f"Resource '{path}' was not found")
    return path, cloud.resources[path]


def create(cloud, asked):
    body = writable(API, "Instance", asked.body)
    name = asked.values.get("instanceId", "")
    path = f"{asked.values['parent']}/instances/{name}"
    if not name or not body.get("memorySizeGb"):
        raise Refusal(400, "badRequest", "instanceId and memorySizeGb are required")
    if path in cloud.resources:
        raise Refusal(409, "alreadyExists", f"Resource '{path}' already exists")
    region = path.split("/")[3]
    defaults = {
        "name": path,
        "tier": "BASIC",
        "redisVersion": "REDIS_7_0",
        "connectMode": "DIRECT_PEERING",
        "transitEncryptionMode": "DISABLED",
        "readReplicasMode": "READ_REPLICAS_DISABLED",
        "locationId": f"{region}-a",
        "currentLocationId": f"{region}-a",
        "createTime": "2026-01-01T00:00:00Z",
        "reservedIpRange": "10.1.0.0/29",
    }
    cloud.resources[path] = {**merged(defaults, body), "state": "CREATING"}

    def finish():
        found = cloud.resources[path]
        found.update({"state": "READY", "host": f"10.1.0.{next(cloud.numbers)}", "port": 6379})
        if found["transitEncryptionMode"] == "SERVER_AUTHENTICATION":
            found.update({"port": 6378, "serverCaCerts": [{"cert": "vendor certificate", "serialNumber": "1"}]})
        cloud.secrets[path] = f"auth-{next(cloud.numbers)}"

    return _operate(cloud, path, finish)


def get(cloud, asked):
    return _find(cloud, asked)[1]


def _change(cloud, path, found, change):
    if found["state"] != "READY":
        raise Refusal(400, "failedPrecondition", f"The instance is {found['state']}", code="FAILED_PRECONDITION")
    operation = _operate(cloud, path, lambda: cloud.resources.__setitem__(path, {**found, **change, "state": "READY"}))
    cloud.resources[path] = {**found, "state": "UPDATING"}
    return operation


def patch(cloud, asked):
    path, found = _find(cloud, asked)
    mask = asked.values.get("updateMask", "")
    if not mask:
        raise Refusal(400, "badRequest", "updateMask is required")
    for name in mask.split(","):
        if name in {"tier", "locationId", "authorizedNetwork", "redisVersion"}:
            raise Refusal(400, "badRequest", f"update_mask: {name} cannot be updated")
    return _change(cloud, path, found, {name: asked.body.get(name) for name in mask.split(",")})


def upgrade(cloud, asked):
    path, found = _find(cloud, asked)
    return _change(cloud, path, found, {"redisVersion": asked.body["redisVersion"]})


def auth_string(cloud, asked):
    path, found = _find(cloud, asked)
    return {"authString": cloud.secrets[path] if found.get("authEnabled") else ""}


def delete(cloud, asked):
    path, found = _find(cloud, asked)
    operation = _operate(cloud, path, lambda: cloud.resources.pop(path, None))
    found["state"] = "DELETING"
    return operation


def operation(cloud, asked):
    found = cloud.operations.get(asked.values["name"])
    if found is None:
        raise Refusal(404, "notFound", "Operation not found")
    return found.shown


_PREFIX = "projects.locations."
METHODS = {
    f"{_PREFIX}instances.create": create,
    f"{_PREFIX}instances.get": get,
    f"{_PREFIX}instances.patch": patch,
    f"{_PREFIX}instances.upgrade": upgrade,
    f"{_PREFIX}instances.getAuthString": auth_string,
    f"{_PREFIX}instances.delete": delete,
    f"{_PREFIX}operations.get": operation,
}
