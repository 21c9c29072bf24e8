"""Pub/Sub as its API behaves."""

from .documents import Refusal, writable

API = "pubsub.v1"


def _find(cloud, path):
    if path not in cloud.resources:
        raise Refusal(404, "notFound", f"Resource not found (resource={path.rpartition('/')[2]}).")
    return cloud.resources[path]


def create(cloud, asked):
    path = asked.values["name"]
    if path in cloud.resources:
        raise Refusal(
            409, "alreadyExists", f"Resource already exists in the project (resource={path.rpartition('/')[2]})."
        )
    cloud.resources[path] = {**writable(API, "Topic", asked.body), "name": path}
    return cloud.resources[path]


def get(cloud, asked):
    return _find(cloud, asked.values["topic"])


def patch(cloud, asked):
    path = asked.values["name"]
    found = _find(cloud, path)
    mask, topic = asked.body.get("updateMask", ""), asked.body.get("topic", {})
    if not mask or topic.get("name") != path:
        raise Refusal(
            400,
            "badRequest",
            "The update_mask in the UpdateTopicRequest must be set, and must contain a non-empty paths list.",
        )
    changed = {**found, **{name: topic.get(name) for name in mask.split(",")}}
    cloud.resources[path] = {name: value for name, value in changed.items() if value is not None}
    return cloud.resources[path]


def delete(cloud, asked):
    _find(cloud, asked.values["topic"])
    del cloud.resources[asked.values["topic"]]
    return {}


METHODS = {
    "projects.topics.create": create,
    "projects.topics.get": get,
    "projects.topics.patch": patch,
    "projects.topics.delete": delete,
}
