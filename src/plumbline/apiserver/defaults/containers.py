"""Containers of every sort: how they are pulled, probed and ended if nobody says."""

from typing import Final

from plumbline.apiserver.defaults.images import pull_policy
from plumbline.apiserver.defaults.quantities import REQUIREMENTS
from plumbline.apiserver.defaults.rules import Rule, each, record
from plumbline.base.json import Json

FIELD_REF: Final = record(zero={"apiVersion": "v1"})
"""A reference to a field of the pod."""

_HTTP_GET: Final = record(zero={"path": "/", "scheme": "HTTP"})
_PROBE: Final = record(
    zero={"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3},
    fields={"httpGet": _HTTP_GET, "grpc": record(absent={"service": ""})},
)
_HOOK: Final = record(fields={"httpGet": _HTTP_GET})
_SOURCE: Final = record(fields={"fieldRef": FIELD_REF, "fileKeyRef": record(absent={"optional": False})})

_SAID_LESS: Final = record(
    zero={"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"},
    fields={
        "ports": each(record(zero={"protocol": "TCP"})),
        "env": each(record(fields={"valueFrom": _SOURCE})),
        "resources": REQUIREMENTS,
        "livenessProbe": _PROBE,
        "readinessProbe": _PROBE,
        "startupProbe": _PROBE,
        "lifecycle": record(fields={"postStart": _HOOK, "preStop": _HOOK}),
    },
)


def _container(value: Json) -> Json:
    held = _SAID_LESS(value)
    if type(held) is not dict or held.get("imagePullPolicy"):
        return held
    return {**held, "imagePullPolicy": pull_policy(held.get("image"))}


CONTAINERS: Final[Rule] = each(_container)
