"""The key engine of Vault, version 1 and 2, as it answers. Part of `vaults`."""

from datetime import UTC

_VERBS = {"GET": "get", "LIST": "list", "DELETE": "delete", "PATCH": "patch"}


def failed(status, *errors):
    return status, {"errors": list(errors)}


def _children(names, folder):
    """What is directly below a folder, as LIST gives it: folders end with a slash."""
    found = set()
    for name in names:
        if name.startswith(folder):
            first, slash, _ = name[len(folder) :].partition("/")
            found.add(first + slash)
    return sorted(found)


def _folder(path):
    return f"{path.strip('/')}/" if path.strip("/") else ""


class VersionOne:
    def __init__(self, clock):
        self.secrets = {}

    def answer(self, method, path, body, query):
        if method == "LIST":
            keys = _children(self.secrets, _folder(path))
            return (200, {"data": {"keys": keys}, "mount_type": "kv"}) if keys else failed(404)
        if method == "GET":
            held = self.secrets.get(path)
            return failed(404) if held is None else (200, {"data": held, "lease_duration": 2764800, "mount_type": "kv"})
        if method == "DELETE":
            self.secrets.pop(path, None)
            return 204, None
        if not body:
            return failed(400, "missing data fields")
        self.secrets[path] = body
        return 204, None


class VersionTwo:
    """Versions are counted from 1; of more than ten, the oldest are forgotten."""

    KEPT = 10

    def __init__(self, clock):
        self.clock = clock
        self.secrets = {}
        self.values = {}

    def answer(self, method, path, body, query):
        part, _, key = path.partition("/")
        key = key.strip("/")
        if part == "metadata":
            return self._metadata(method, key, body)
        if part == "data" and key:
            return self._data(method, key, body, query)
        if part in {"delete", "undelete", "destroy"} and key and method in {"POST", "PUT"}:
            return self._marked(part, key, body.get("versions", []))
        if not key and part in {"metadata", "data", "delete", "undelete", "destroy"}:
            why = "Non-listing operations on the root of a K/V v2 mount are not supported."
        else:
            verb = _VERBS.get(method, "put")
            why = (
                "Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. "
                f"If using the Vault CLI, use 'vault kv {verb}' for this operation."
            )
        return 404, {"data": None, "warnings": [why]}

    def _data(self, method, key, body, query):
        if method == "GET":
            return self._read(key, query.get("version", ""))
        if method == "DELETE":
            if key in self.secrets:
                newest = self.secrets[key]["versions"][self.secrets[key]["current_version"]]
                newest["deletion_time"] = newest["deletion_time"] or self._now()
            return 204, None
        return self._written(key, body)

    def _read(self, key, version):
        if version and not version.lstrip("-").isdigit():
            why = f"cannot parse '' as int: strconv.ParseInt: parsing \"{version}\": invalid syntax"
            return failed(400, f'Field validation failed: error converting input for field "version": {why}')
        meta = self.secrets.get(key)
        number = meta and (int(version or 0) or meta["current_version"])
        if not meta or number not in meta["versions"]:
            return failed(404)
        about = meta["versions"][number]
        gone = about["destroyed"] or about["deletion_time"]
        told = {"version": number, **about, "custom_metadata": meta["custom_metadata"]}
        held = None if gone else self.values[key, number]
        kind = "" if gone else "kv"
        return (404 if gone else 200), {"data": {"data": held, "metadata": told}, "mount_type": kind}

    def _written(self, key, body):
        if "data" not in body:
            return failed(400, "no data provided")
        meta = self._meta(key)
        wanted = (body.get("options") or {}).get("cas")
        if wanted is not None and wanted != meta["current_version"]:
            return failed(400, "check-and-set parameter did not match the current version")
        number = meta["current_version"] = meta["current_version"] + 1
        meta["versions"][number] = {"created_time": self._now(), "deletion_time": "", "destroyed": False}
        meta["updated_time"] = self._now()
        self.values[key, number] = body["data"]
        for old in [each for each in meta["versions"] if each <= number - self.KEPT]:
            del meta["versions"][old], self.values[key, old]
            meta["oldest_version"] = old + 1
        told = {"version": number, **meta["versions"][number], "custom_metadata": meta["custom_metadata"]}
        return 200, {"data": told, "mount_type": "kv"}

    def _metadata(self, method, key, body):
        if method == "LIST":
            keys = _children(self.secrets, _folder(key))
            return (200, {"data": {"keys": keys}, "mount_type": "kv"}) if keys else failed(404)
        if method == "GET":
            meta = self.secrets.get(key)
            if meta is None:
                return failed(404)
            versions = {
                str(number): {**about, "created_by": None, "deleted_by": None}
                for number, about in meta["versions"].items()
            }
            return 200, {"data": {**meta, "versions": versions}, "mount_type": "kv"}
        if method == "DELETE":
            self.secrets.pop(key, None)
            return 204, None
        self._meta(key)["custom_metadata"] = body.get("custom_metadata")
        return 204, None

    def _marked(self, part, key, versions):
        held = self.secrets.get(key, {"versions": {}})["versions"]
        for about in (held[each] for each in map(int, versions) if each in held):
            if part == "destroy":
                about["destroyed"] = True
            elif not about["destroyed"]:
                about["deletion_time"] = self._now() if part == "delete" else ""
        return 204, None

    def _meta(self, key):
        fresh = {
            "versions": {},
            "current_version": 0,
            "oldest_version": 0,
            "created_time": self._now(),
            "updated_time": self._now(),
            "max_versions": 0,
            "cas_required": False,
            "delete_version_after": "0s",
            "custom_metadata": None,
            "last_updated_by": None,
        }
        return self.secrets.setdefault(key, fresh)

    def _now(self):
        return self.clock.now().astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
