"""Flexible servers of PostgreSQL, and what is in them."""

import re

from . import groups
from .refusals import Refusal
from .routes import Route, merged

VERSION = "2025-08-01"
SERVER = f"{groups.PATH}/providers/Microsoft.DBforPostgreSQL/flexibleServers/{{server}}"
TIERS = {32: "P4", 64: "P6", 128: "P10", 256: "P15", 512: "P20", 1024: "P30"}
DEFAULTS = {"log_checkpoints": ("on", True), "max_connections": ("50", False), "work_mem": ("4096", True)}


def server(cloud, asked):
    groups.existing(cloud, asked.path)
    found = cloud.find(asked.path)
    if asked.verb == "PUT":
        return _made(cloud, asked, found)
    if found is None or (cloud.hidden and found["properties"]["state"] == "Provisioning"):
        raise _missing(asked.path, "flexibleServers")
    if asked.verb == "PATCH":
        return _changed(cloud, asked, found)
    if asked.verb == "DELETE":
        groups.unlocked(cloud, asked.path)
        _idle(cloud, asked.path)
        found["properties"]["state"] = "Dropping"
        return None, cloud.start(asked.path, lambda: cloud.remove(asked.path)), 202
    return found, {}, 200


def _made(cloud, asked, found):
    body, path, name = asked.body, asked.path, asked.parts["server"]
    if found is not None:
        _idle(cloud, path)
        return _changed(cloud, asked, found)
    if any(key.endswith(f"/flexibleservers/{name.lower()}") for key in cloud.resources):
        raise Refusal(409, "ServerNameAlreadyExists", f"Specified server name '{name}' is already used.")
    said = body.get("properties", {})
    if said.get("createMode", "Default") in {"Default", "Create"}:
        _complete(body, said)
    elif not cloud.find(said.get("sourceServerResourceId", "")):
        raise Refusal(400, "InvalidParameterValue", "Invalid value given for parameter SourceServerResourceId.")
    if "maintenanceWindow" in said or "replicationRole" in said:
        raise Refusal(400, "InvalidParameterValue", "Specify the parameter after the server was created.")
    cloud.secrets[path.lower()] = said.get("administratorLoginPassword", "")
    cloud.resources[path.lower()] = _new(asked, body, said)
    for parameter, (value, dynamic) in DEFAULTS.items():
        below = f"{path}/configurations/{parameter}"
        properties = {"value": value, "defaultValue": value, "source": "system-default", "isDynamicConfig": dynamic}
        properties |= {"isReadOnly": False, "isConfigPendingRestart": False, "dataType": "Integer"}
        cloud.resources[below.lower()] = _thing(below, "configurations", properties)
    return _begun(cloud, path, lambda: _ready(cloud, path), undo=lambda: cloud.remove(path))


def _new(asked, body, said):
    size = said.get("storage", {}).get("storageSizeGB", 32)
    subnet = said.get("network", {}).get("delegatedSubnetResourceId")
    default = {
        "version": "16",
        "minorVersion": "4",
        "availabilityZone": "1",
        "replicationRole": "Primary",
        "storage": {"storageSizeGB": size, "autoGrow": "Disabled", "tier": TIERS[size], "iops": 120, "type": ""},
        "backup": {"backupRetentionDays": 7, "geoRedundantBackup": "Disabled"},
        "network": {"publicNetworkAccess": "Disabled" if subnet else "Enabled"},
        "highAvailability": {"mode": "Disabled", "state": "NotEnabled"},
        "authConfig": {"activeDirectoryAuth": "Disabled", "passwordAuth": "Enabled"},
        "maintenanceWindow": {"customWindow": "Disabled", "dayOfWeek": 0, "startHour": 0, "startMinute": 0},
        "dataEncryption": {"type": "SystemManaged"},
    }
    secret = {"administratorLoginPassword", "createMode", "pointInTimeUTC"}
    properties = merged(default, {key: value for key, value in said.items() if key not in secret})
    properties["storage"]["type"] = "Premium_LRS"
    properties |= {
        "state": "Provisioning",
        "fullyQualifiedDomainName": f"{asked.parts['server']}.postgres.database.azure.com",
    }
    made = {**_thing(asked.path, "", properties), "type": "Microsoft.DBforPostgreSQL/flexibleServers"}
    return {
        **made,
        "sku": body.get("sku", {"name": "Standard_D2s_v3", "tier": "GeneralPurpose"}),
        **{key: body[key] for key in ("location", "tags", "identity") if key in body},
    }


def _complete(body, said):
    missing = [name for name in ("version",) if name not in said] + ([] if "sku" in body else ["sku"])
    if said.get("authConfig", {}).get("passwordAuth", "Enabled") == "Enabled":
        missing += [name for name in ("administratorLogin", "administratorLoginPassword") if not said.get(name)]
    if missing:
        details = tuple(
            (f"Missing{name[0].upper()}{name[1:]}", f"The parameter {name} is missing.") for name in missing
        )
        raise Refusal(400, "InvalidParameterValue", "One or more parameters are missing.", details=details)
    _strong(said.get("administratorLoginPassword"))
    if said.get("storage", {}).get("storageSizeGB", 32) not in TIERS:
        raise Refusal(400, "InvalidParameterValue", "Invalid value given for parameter StorageSizeGB.")


def _strong(password):
    kinds = (r"[a-z]", r"[A-Z]", r"[0-9]", r"[^A-Za-z0-9]")
    if password is not None and (len(password) < 8 or sum(bool(re.search(kind, password)) for kind in kinds) < 3):
        raise Refusal(400, "PasswordNotComplex", "Password validation failed. The password is not complex enough.")


def _changed(cloud, asked, found):
    said = dict(asked.body.get("properties", {}))
    now = found["properties"]
    if said.get("storage", {}).get("storageSizeGB", now["storage"]["storageSizeGB"]) < now["storage"]["storageSizeGB"]:
        raise Refusal(400, "InvalidParameterValue", "The storage size cannot be smaller than before.")
    if int(said.get("version", now["version"])) < int(now["version"]):
        raise Refusal(400, "InvalidParameterValue", "The server version cannot be lower than before.")
    if "standbyAvailabilityZone" in said.get("highAvailability", {}):
        raise Refusal(400, "InvalidParameterValue", "The zone of the standby cannot change.")
    _idle(cloud, asked.path)
    password = said.pop("administratorLoginPassword", None)
    _strong(password)
    said.pop("createMode", None)
    if said.get("replicationRole") == "None":
        said["replicationRole"] = "Primary"
    if "storage" in said and "tier" not in said["storage"] and "storageSizeGB" in said["storage"]:
        said["storage"] = {**said["storage"], "tier": TIERS[said["storage"]["storageSizeGB"]]}
    change = {**{key: value for key, value in asked.body.items() if key != "properties"}, "properties": said}
    cloud.change(asked.path, {"properties": {"state": "Updating"}})

    def finish():
        whole = {key: change.pop(key) for key in ("tags",) if key in change}
        cloud.change(asked.path, change)
        cloud.find(asked.path).update(whole)
        if password is not None:
            cloud.secrets[asked.path.lower()] = password
        _ready(cloud, asked.path)

    return _begun(cloud, asked.path, finish, undo=lambda: _ready(cloud, asked.path))


def _ready(cloud, path):
    mode = cloud.find(path)["properties"]["highAvailability"]["mode"]
    state = "NotEnabled" if mode == "Disabled" else "Healthy"
    zone = {} if mode == "Disabled" else {"standbyAvailabilityZone": "2"}
    found = cloud.find(path)["properties"]["highAvailability"]
    cloud.change(path, {"properties": {"state": "Ready", "highAvailability": {**zone, **found, "state": state}}})


def restart(cloud, asked):
    path = asked.path.rpartition("/")[0]
    if cloud.find(path) is None:
        raise _missing(path, "flexibleServers")
    _idle(cloud, path)
    cloud.change(path, {"properties": {"state": "Restarting"}})

    def finish():
        for key in [key for key in cloud.resources if key.startswith(f"{path.lower()}/configurations/")]:
            cloud.change(key, {"properties": {"isConfigPendingRestart": False}})
        _ready(cloud, path)

    return _begun(cloud, path, finish)


def child(kind, defaults):
    """Databases and firewall rules: made and replaced by PUT."""

    def answer(cloud, asked):
        parent, found = _parent(cloud, asked.path), cloud.find(asked.path)
        if asked.verb == "GET":
            if found is None:
                raise _missing(asked.path, f"flexibleServers/{kind}")
            return found, {}, 200
        _idle(cloud, parent)
        if asked.verb == "PUT":
            made = _thing(asked.path, kind, {**defaults, **asked.body.get("properties", {})})
            if found and kind == "databases" and found["properties"] != made["properties"]:
                raise Refusal(400, "InvalidParameterValue", "A database cannot be changed.")
            return _begun(cloud, parent, lambda: cloud.resources.__setitem__(asked.path.lower(), made))
        if found is None:
            return None, {}, 204
        groups.unlocked(cloud, asked.path)
        return None, cloud.start(parent, lambda: cloud.remove(asked.path)), 202

    return answer


def configuration(cloud, asked):
    parent, found = _parent(cloud, asked.path), cloud.find(asked.path)
    if found is None:
        raise _missing(asked.path, "flexibleServers/configurations")
    if asked.verb == "GET":
        return found, {}, 200
    _idle(cloud, parent)
    value = asked.body["properties"]["value"]
    if found["properties"]["value"] not in {"on", "off"} and not value.isdigit():
        raise Refusal(400, "ServerParameterToCMSInvalidParameter", f"The value '{value}' is not valid.")
    value = value.lower()
    waits = not found["properties"]["isDynamicConfig"] and value != found["properties"]["value"]
    source = "system-default" if value == found["properties"]["defaultValue"] else "user-override"
    change = {"value": value, "source": source, "isConfigPendingRestart": waits}
    return _begun(cloud, parent, lambda: cloud.change(asked.path, {"properties": change}))


def _begun(cloud, target, finish, *, undo=None):
    headers = cloud.start(target, finish, undo=undo)
    return {"operation": "UpsertServerManagementOperationV2", "startTime": "2026-01-01T00:00:00Z"}, headers, 202


def _parent(cloud, path):
    groups.existing(cloud, path)
    parent = "/".join(path.split("/")[:9])
    if cloud.find(parent) is None:
        raise Refusal(
            404, "ParentResourceNotFound", f"Failed to perform operation since parent resource '{parent}' is not found."
        )
    return parent


def _idle(cloud, path):
    if cloud.busy(path):
        name = path.rpartition("/")[2]
        message = (
            f"Cannot complete operation while server '{name}' is busy processing another operation. Try again later."
        )
        raise Refusal(409, "ServerIsBusy", message)


def _missing(path, kind):
    name = path.rpartition("/")[2]
    return Refusal(404, "ResourceNotFound", f"The Resource 'Microsoft.DBforPostgreSQL/{kind}/{name}' was not found.")


def _thing(path, kind, properties):
    return {
        "id": path,
        "name": path.rpartition("/")[2],
        "type": f"Microsoft.DBforPostgreSQL/flexibleServers/{kind}",
        "properties": properties,
    }


ROUTES = (
    Route(
        "servers",
        SERVER,
        VERSION,
        {"GET": None, "PUT": "Server", "PATCH": "ServerForPatch", "DELETE": None},
        "Server",
        server,
    ),
    Route("restart", f"{SERVER}/restart", VERSION, {"POST": "RestartParameter"}, "", restart),
    Route(
        "databases",
        f"{SERVER}/databases/{{name}}",
        VERSION,
        {"GET": None, "PUT": "Database", "DELETE": None},
        "Database",
        child("databases", {"charset": "UTF8", "collation": "en_US.utf8"}),
    ),
    Route(
        "firewallRules",
        f"{SERVER}/firewallRules/{{name}}",
        VERSION,
        {"GET": None, "PUT": "FirewallRule", "DELETE": None},
        "FirewallRule",
        child("firewallRules", {}),
    ),
    Route(
        "configurations",
        f"{SERVER}/configurations/{{name}}",
        VERSION,
        {"GET": None, "PUT": "ConfigurationForUpdate", "PATCH": "ConfigurationForUpdate"},
        "Configuration",
        configuration,
    ),
)
