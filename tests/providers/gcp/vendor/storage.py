"""Cloud Storage as its API behaves: names that the whole world shares, generations of metadata."""

import re

from .documents import Refusal, merged, writable

API = "storage.v1"


def _bucket(cloud, asked):
    path = f"b/{asked.values['bucket']}"
    found = cloud.resources.get(path)
    if found is None:
        raise Refusal(404, "notFound", "The specified bucket does not exist.")
    if found.get("projectNumber") == "999":
        raise Refusal(
            403, "forbidden", "vendor does not have storage.buckets.get access to the Google Cloud Storage bucket."
        )
    expected = asked.values.get("ifMetagenerationMatch")
    if expected is not None and expected != found["metageneration"]:
        raise Refusal(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
    return path, found


def insert(cloud, asked):
    body = writable(API, "Bucket", asked.body)
    name = body.get("name", "")
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]", name):
        raise Refusal(400, "invalid", f"Invalid bucket name: '{name}'")
    path = f"b/{name}"
    if path in cloud.resources:
        message = "Your previous request to create the named bucket succeeded and you already own it."
        raise Refusal(409, "conflict", message)
    defaults = {
        "kind": "storage#bucket",
        "id": name,
        "selfLink": f"https://www.googleapis.com/storage/v1/b/{name}",
        "projectNumber": "1",
        "metageneration": "1",
        "location": "US",
        "storageClass": "STANDARD",
        "etag": "CAE=",
        "timeCreated": "2026-01-01T00:00:00Z",
        "updated": "2026-01-01T00:00:00Z",
        "locationType": "multi-region",
        "rpo": "DEFAULT",
        "iamConfiguration": {"publicAccessPrevention": "inherited", "uniformBucketLevelAccess": {"enabled": False}},
        "softDeletePolicy": {"retentionDurationSeconds": "604800"},
    }
    made = merged(defaults, body)
    made["location"] = made["location"].upper()
    if asked.values.get("enableObjectRetention") == "true":
        made["objectRetention"] = {"mode": "Enabled"}
    cloud.resources[path] = made
    return made


def get(cloud, asked):
    return _bucket(cloud, asked)[1]


def patch(cloud, asked):
    path, found = _bucket(cloud, asked)
    body = {key: value for key, value in asked.body.items() if key not in {"name", "id"}}
    if "location" in body and body["location"].upper() != found["location"]:
        raise Refusal(400, "invalid", "The location of a bucket cannot be changed.")
    result = merged(found, body)
    result["metageneration"] = str(int(found["metageneration"]) + 1)
    cloud.resources[path] = result
    return result


def lock(cloud, asked):
    path, found = _bucket(cloud, asked)
    if "retentionPolicy" not in found:
        raise Refusal(400, "invalid", "The bucket has no retention policy.")
    cloud.resources[path] = merged(found, {"retentionPolicy": {"isLocked": True}})
    return cloud.resources[path]


def delete(cloud, asked):
    path, _ = _bucket(cloud, asked)
    if any(key.startswith(f"{path}/o/") for key in cloud.resources):
        raise Refusal(409, "conflict", "The bucket you tried to delete is not empty.")
    del cloud.resources[path]


def objects(cloud, asked):
    path, _ = _bucket(cloud, asked)
    items = [value for key, value in sorted(cloud.resources.items()) if key.startswith(f"{path}/o/")]
    return {"kind": "storage#objects", "items": items[: int(asked.values.get("maxResults", 1000))]}


def delete_object(cloud, asked):
    path, _ = _bucket(cloud, asked)
    if cloud.resources.pop(f"{path}/o/{asked.values['object']}", None) is None:
        raise Refusal(404, "notFound", "No such object.")


def put_object(cloud, bucket, name):
    cloud.resources[f"b/{bucket}/o/{name}"] = {
        "kind": "storage#object",
        "name": name,
        "bucket": bucket,
        "generation": "1",
    }


METHODS = {
    "buckets.insert": insert,
    "buckets.get": get,
    "buckets.patch": patch,
    "buckets.lockRetentionPolicy": lock,
    "buckets.delete": delete,
    "objects.list": objects,
    "objects.delete": delete_object,
}
