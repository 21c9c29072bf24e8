"""Cloud SQL as its API behaves: one operation at a time on an instance, names that stay taken, passwords that stay hidden."""

import re

from .documents import Refusal, merged, writable

API = "sqladmin.v1"


def _path(values):
    return f"projects/{values['project']}/instances/{values['instance']}"


def _instance(cloud, values, *, running=False):
    path = _path(values)
    found = cloud.resources.get(path)
    if found is None:
        raise Refusal(404, "instanceDoesNotExist", "The Cloud SQL instance does not exist.")
    if running and found["state"] != "RUNNABLE":
        raise Refusal(400, "invalidState", "Invalid request: the instance is not in an appropriate state.")
    return path, found


def _operate(cloud, kind, values, finish):
    path = _path(values)
    if cloud.busy(path):
        message = "Operation failed because another operation was already in progress. Try your request after the current operation is complete."
        raise Refusal(409, "operationInProgress", message, code="ABORTED")
    name = f"00000000-0000-0000-0000-{next(cloud.numbers):012}"
    shown = {
        "kind": "sql#operation",
        "name": name,
        "operationType": kind,
        "status": "PENDING",
        "targetId": values["instance"],
        "targetProject": values["project"],
        "user": "vendor@example.iam.gserviceaccount.com",
        "selfLink": f"https://sqladmin.googleapis.com/v1/projects/{values['project']}/operations/{name}",
    }
    return cloud.start(shown, path, finish)


def insert(cloud, asked):
    body = writable(API, "DatabaseInstance", asked.body)
    name = body.get("name", "")
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,97}", name):
        raise Refusal(400, "invalid", "Invalid value for: Instance name")
    values = {**asked.values, "instance": name}
    _check(body)
    return _make(cloud, values, body)


def _check(body):
    settings = body.get("settings", {})
    if not settings.get("tier"):
        raise Refusal(400, "required", "Missing parameter: tier.")
    if settings.get("userLabels") and not all(
        re.fullmatch("[a-z][a-z0-9_-]{0,62}", key) for key in settings["userLabels"]
    ):
        raise Refusal(400, "invalid", "Invalid label key.")
    _reachable(settings)


def _reachable(settings):
    ips = settings.get("ipConfiguration", {})
    if ips.get("ipv4Enabled") is False and not (ips.get("privateNetwork") or ips.get("pscConfig")):
        message = "Invalid request: At least one of Public IP or Private IP or PSC connectivity must be enabled."
        raise Refusal(400, "invalid", message)


def _make(cloud, values, body):
    path, name, project = _path(values), values["instance"], values["project"]
    if path in cloud.resources or path in cloud.retired:
        message = "The Cloud SQL instance already exists. When you delete an instance, you can't reuse the name of the deleted instance until one week from the deletion date."
        raise Refusal(409, "instanceAlreadyExists", message)
    cloud.secrets[path] = body.pop("rootPassword", "")
    region = body.get("region", "us-central1")
    defaults = {
        "kind": "sql#instance",
        "name": name,
        "project": project,
        "region": region,
        "databaseVersion": "MYSQL_8_0",
        "backendType": "SECOND_GEN",
        "instanceType": "READ_REPLICA_INSTANCE" if body.get("masterInstanceName") else "CLOUD_SQL_INSTANCE",
        "connectionName": f"{project}:{region}:{name}",
        "selfLink": f"https://sqladmin.googleapis.com/v1/projects/{project}/instances/{name}",
        "serviceAccountEmailAddress": f"p1-{name}@gcp-sa-cloud-sql.iam.gserviceaccount.com",
        "gceZone": f"{region}-b",
        "etag": f"etag{next(cloud.numbers)}",
        "settings": {
            "kind": "sql#settings",
            "settingsVersion": "1",
            "activationPolicy": "ALWAYS",
            "availabilityType": "ZONAL",
            "edition": "ENTERPRISE",
            "pricingPlan": "PER_USE",
            "dataDiskSizeGb": "10",
            "dataDiskType": "PD_SSD",
            "storageAutoResize": True,
            "storageAutoResizeLimit": "0",
            "connectorEnforcement": "NOT_REQUIRED",
            "locationPreference": {"kind": "sql#locationPreference", "zone": f"{region}-b"},
            "backupConfiguration": {"kind": "sql#backupConfiguration", "enabled": False, "startTime": "09:00"},
            "ipConfiguration": {"ipv4Enabled": True, "sslMode": "ALLOW_UNENCRYPTED_AND_ENCRYPTED"},
        },
    }
    cloud.resources[path] = {**merged(defaults, body), "state": "PENDING_CREATE"}
    return _operate(
        cloud, "CREATE", values, lambda: cloud.resources[path].update(_running(cloud, cloud.resources[path]))
    )


def _running(cloud, found):
    ips, number = found["settings"]["ipConfiguration"], next(cloud.numbers)
    addresses = [{"type": "PRIMARY", "ipAddress": f"34.0.0.{number}"}] if ips.get("ipv4Enabled") else []
    if ips.get("privateNetwork"):
        addresses.append({"type": "PRIVATE", "ipAddress": f"10.0.0.{number}"})
    certificate = {
        "kind": "sql#sslCert",
        "cert": "-----BEGIN CERTIFICATE-----\nvendor\n-----END CERTIFICATE-----",
        "commonName": "C=US,O=Google\\, Inc,CN=Google Cloud SQL Server CA",
        "createTime": "2026-01-01T00:00:00Z",
        "expirationTime": "2036-01-01T00:00:00Z",
        "sha1Fingerprint": "b3a5c9",
        "instance": found["name"],
    }
    return {"state": "RUNNABLE", "ipAddresses": addresses, "serverCaCert": certificate}


def get(cloud, asked):
    return _instance(cloud, asked.values)[1]


def patch(cloud, asked):
    path, found = _instance(cloud, asked.values, running=True)
    body = {key: value for key, value in asked.body.items() if key != "name"}
    settings = body.get("settings", {})
    version = found["settings"]["settingsVersion"]
    if settings.get("settingsVersion", version) != version:
        raise Refusal(412, "staleData", "The settings version does not match the current one.")
    for fixed in ("region", "diskEncryptionConfiguration"):
        if fixed in body and body[fixed] != found.get(fixed):
            raise Refusal(400, "invalid", f"{fixed} cannot be changed.")
    size = settings.get("dataDiskSizeGb")
    if size is not None and int(size) < int(found["settings"]["dataDiskSizeGb"]):
        raise Refusal(400, "invalid", "Invalid request: Disk size cannot be decreased.")
    result = merged(found, body)
    _reachable(result["settings"])
    result["settings"]["settingsVersion"] = str(int(version) + 1)
    return _operate(cloud, "UPDATE", asked.values, lambda: cloud.resources.__setitem__(path, result))


def delete(cloud, asked):
    path, found = _instance(cloud, asked.values)
    if found["settings"].get("deletionProtectionEnabled"):
        raise Refusal(
            400, "invalid", "The instance is protected. Please disable the deletion protection and try again."
        )

    def finish():
        for below in [key for key in cloud.resources if key == path or key.startswith(f"{path}/")]:
            del cloud.resources[below]
        cloud.retired.add(path)

    operation = _operate(cloud, "DELETE", asked.values, finish)
    found["state"] = "PENDING_DELETE"
    return operation


def clone(cloud, asked):
    _, source = _instance(cloud, asked.values, running=True)
    name = asked.body.get("cloneContext", {}).get("destinationInstanceName", "")
    if not name:
        raise Refusal(400, "required", "Missing parameter: destinationInstanceName.")
    copied = {key: source[key] for key in ("databaseVersion", "region", "settings")}
    return _make(cloud, {**asked.values, "instance": name}, copied)


def operation(cloud, asked):
    found = cloud.operations.get(asked.values["operation"])
    if found is None or "targetProject" not in found.shown:
        raise Refusal(404, "operationDoesNotExist", "The Cloud SQL operation does not exist.")
    return found.shown


class _Below:
    """What is inside of an instance: databases and users."""

    def __init__(self, kind, name_of, called):
        self.kind = kind
        self.name_of = name_of
        self.called = called

    def path_of(self, values):
        return f"{_path(values)}/{self.kind}/{self.name_of(values)}"

    def find(self, cloud, asked):
        _instance(cloud, asked.values)
        path = self.path_of(asked.values)
        if path not in cloud.resources:
            raise Refusal(404, "notFound", f"The {self.called} does not exist.")
        return path

    def insert(self, cloud, asked):
        _instance(cloud, asked.values, running=True)
        body = {name: value for name, value in asked.body.items() if value is not None}
        if not body.get("name"):
            raise Refusal(400, "required", f"Missing parameter: {self.called} name.")
        path = self.path_of({**asked.values, **body})
        if path in cloud.resources:
            raise Refusal(409, "alreadyExists", f"The {self.called} already exists.")
        password = body.pop("password", "")

        def finish():
            cloud.secrets[path] = password
            own = {"selfLink": f"https://sqladmin.googleapis.com/v1/{path}"} if self.kind == "databases" else {}
            cloud.resources[path] = {**_DEFAULTS[self.kind], **own, **body}

        return _operate(cloud, f"CREATE_{self.called.upper()}", asked.values, finish)

    def get(self, cloud, asked):
        return cloud.resources[self.find(cloud, asked)]

    def update(self, cloud, asked):
        path = self.find(cloud, asked)
        body = dict(asked.body)
        password = body.pop("password", None)
        roles = asked.repeated.get("databaseRoles")

        def finish():
            if password is not None:
                cloud.secrets[path] = password
            cloud.resources[path] = merged(cloud.resources[path], body)
            if roles is not None:
                cloud.resources[path]["databaseRoles"] = roles

        return _operate(cloud, f"UPDATE_{self.called.upper()}", asked.values, finish)

    def delete(self, cloud, asked):
        path = self.find(cloud, asked)
        return _operate(cloud, f"DELETE_{self.called.upper()}", asked.values, lambda: cloud.resources.pop(path, None))


_DEFAULTS = {
    "databases": {"kind": "sql#database", "charset": "UTF8", "collation": "en_US.UTF8"},
    "users": {"kind": "sql#user", "type": "BUILT_IN"},
}
_databases = _Below("databases", lambda values: values.get("database") or values.get("name"), "database")
_users = _Below("users", lambda values: f"{values.get('name')}@{values.get('host', '')}", "user")


def update_user(cloud, asked):
    """The password of the first user is that of the instance."""
    values = asked.values
    if values.get("name") in {"postgres", "root", "sqlserver"}:
        path, _ = _instance(cloud, values, running=True)
        password = asked.body["password"]
        return _operate(cloud, "UPDATE_USER", values, lambda: cloud.secrets.__setitem__(path, password))
    return _users.update(cloud, asked)


METHODS = {
    "instances.insert": insert,
    "instances.get": get,
    "instances.patch": patch,
    "instances.delete": delete,
    "instances.clone": clone,
    "operations.get": operation,
    "databases.insert": _databases.insert,
    "databases.get": _databases.get,
    "databases.patch": _databases.update,
    "databases.delete": _databases.delete,
    "users.insert": _users.insert,
    "users.get": _users.get,
    "users.update": update_user,
    "users.delete": _users.delete,
}
