"""Containers that are refused."""

from .case import GONE, table

_HTTP = {"path": "/", "port": 80, "scheme": "HTTP"}
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_MOUNT = {"name": "scratch", "mountPath": "/x"}


def _ref(kind, **held):
    return {"env": [{"name": "A", "valueFrom": {kind: held}}]}


def _limited(**amounts):
    return {"limits": amounts, "requests": amounts}


_NAMES = table(
    "pod",
    ("no name", {"name": ""}),
    ("a name with a capital", {"name": "Main"}),
    ("a name with a dot", {"name": "a.b"}),
    ("a name that is too long", {"name": "a" * 64}),
    ("the name of another", {"name": "other"}),
    ("no image", {"image": ""}),
    ("an image with a space at its end", {"image": "nginx "}),
    ("an unknown message policy", {"terminationMessagePolicy": "Shout"}),
    ("an unknown pull policy", {"imagePullPolicy": "Sometimes"}),
    ("a pull policy that JSON escapes", {"imagePullPolicy": "<b>&\n"}),
    ("no port number", {"ports": [{"protocol": "TCP"}]}),
    ("a port that is too high", {"ports": [{"containerPort": 65536, "protocol": "TCP"}]}),
    ("a port below zero", {"ports": [{"containerPort": -1, "hostPort": 70000, "protocol": "TCP"}]}),
    ("an unknown protocol", {"ports": [{"containerPort": 80, "protocol": "ICMP"}]}),
    ("a port name that is too long", {"ports": [{"containerPort": 80, "protocol": "TCP", "name": "a" * 16}]}),
    ("a port name of digits", {"ports": [{"containerPort": 80, "protocol": "TCP", "name": "80"}]}),
    ("a port name with everything wrong", {"ports": [{"containerPort": 80, "protocol": "TCP", "name": "-A--_"}]}),
    (
        "two ports of one name",
        {"ports": [{"containerPort": each, "protocol": "TCP", "name": "a"} for each in (80, 81)]},
    ),
    (
        "two ports on one host port",
        {"ports": [{"containerPort": each, "hostPort": 8080, "protocol": "TCP"} for each in (80, 81)]},
    ),
    at="spec|containers|0|",
)
_ENVIRONMENT = table(
    "pod",
    ("a variable without a name", {"env": [{"name": "", "value": "x"}]}),
    ("a variable with a dash is fine", {"env": [{"name": "a-b", "value": "x"}]}),
    ("a variable with an equals sign", {"env": [{"name": "a=b", "value": "x"}]}),
    ("a variable with an umlaut", {"env": [{"name": "Ä", "value": "x"}]}),
    ("a source without anything", {"env": [{"name": "A", "valueFrom": {}}]}),
    (
        "a value and a source",
        {"env": [{"name": "A", "value": "x", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]},
    ),
    (
        "two sources",
        {
            "env": [
                {
                    "name": "A",
                    "valueFrom": {
                        "secretKeyRef": {"name": "s", "key": "k"},
                        "configMapKeyRef": {"name": "s", "key": "k"},
                    },
                }
            ]
        },
    ),
    ("a Secret without a name", _ref("secretKeyRef", name="", key="k")),
    ("a Secret without a key", _ref("secretKeyRef", name="s", key="")),
    ("a ConfigMap with a bad key", _ref("configMapKeyRef", name="s", key="a/b")),
    ("a ConfigMap with dots for a key", _ref("configMapKeyRef", name="s", key="..")),
    ("a ConfigMap with a key that climbs", _ref("configMapKeyRef", name="s", key="..a")),
    ("a ConfigMap with a dot for a key", _ref("configMapKeyRef", name="s", key=".")),
    ("a ConfigMap with a long key", _ref("configMapKeyRef", name="s", key="a" * 254)),
    ("a field of no version", _ref("fieldRef", apiVersion="v2", fieldPath="metadata.name")),
    ("no field", _ref("fieldRef", apiVersion="v1", fieldPath="")),
    ("an unknown field", _ref("fieldRef", apiVersion="v1", fieldPath="spec.bogus")),
    ("a field that is for volumes", _ref("fieldRef", apiVersion="v1", fieldPath="metadata.labels")),
    ("a field that is for nobody", _ref("fieldRef", apiVersion="v1", fieldPath="status.phase")),
    ("a label", _ref("fieldRef", apiVersion="v1", fieldPath="metadata.labels['app']")),
    ("a label that is none", _ref("fieldRef", apiVersion="v1", fieldPath="metadata.labels['a b']")),
    ("an annotation that is none", _ref("fieldRef", apiVersion="v1", fieldPath="metadata.annotations['A b']")),
    ("a part of a name", _ref("fieldRef", apiVersion="v1", fieldPath="metadata.name['a']")),
    ("the old name of a field", _ref("fieldRef", apiVersion="v1", fieldPath="spec.host")),
    ("a resource without a name", _ref("resourceFieldRef", resource="", divisor="0")),
    ("an unknown resource", _ref("resourceFieldRef", resource="limits.gpu", divisor="0")),
    ("huge pages", _ref("resourceFieldRef", resource="limits.hugepages-2Mi", divisor="1Mi")),
    ("a divisor that is not for CPU", _ref("resourceFieldRef", resource="limits.cpu", divisor="1k")),
    ("a divisor that is not for memory", _ref("resourceFieldRef", resource="requests.memory", divisor="1m")),
    ("a divisor not for storage", _ref("resourceFieldRef", resource="limits.ephemeral-storage", divisor="3")),
    ("a divisor not for huge pages", _ref("resourceFieldRef", resource="limits.hugepages-2Mi", divisor="3")),
    ("a file", _ref("fileKeyRef", volumeName="scratch", path="a/b", key="K", optional=False)),
    ("a file without anything", _ref("fileKeyRef", volumeName="", path="", key="", optional=False)),
    ("a file that climbs", _ref("fileKeyRef", volumeName="Nope", path="../a", key="a=b", optional=False)),
    ("a file in somebody's volume", _ref("fileKeyRef", volumeName="claimed", path="a", key="K", optional=False)),
    ("variables from nowhere", {"envFrom": [{}]}),
    ("variables from two places", {"envFrom": [{"configMapRef": {"name": "a"}, "secretRef": {"name": "b"}}]}),
    ("variables from a place without a name", {"envFrom": [{"configMapRef": {"name": ""}}]}),
    ("variables from a place with a bad name", {"envFrom": [{"secretRef": {"name": "A"}, "prefix": "a=b"}]}),
    at="spec|containers|0|",
)
_MOUNTS = table(
    "pod",
    ("no such volume", {"volumeMounts": [{"name": "nope", "mountPath": "/x"}]}),
    ("no path", {"volumeMounts": [{"name": "scratch", "mountPath": ""}]}),
    ("no name", {"volumeMounts": [{"name": "", "mountPath": "/x"}]}),
    ("one path twice", {"volumeMounts": [_MOUNT, {**_MOUNT, "name": "claimed"}]}),
    ("a sub path that climbs", {"volumeMounts": [{**_MOUNT, "subPath": "../a"}]}),
    ("a sub path from the root", {"volumeMounts": [{**_MOUNT, "subPath": "/a"}]}),
    ("two sub paths", {"volumeMounts": [{**_MOUNT, "subPath": "a", "subPathExpr": "/b"}]}),
    ("an unknown propagation", {"volumeMounts": [{**_MOUNT, "mountPropagation": "Upward"}]}),
    ("a propagation for the privileged", {"volumeMounts": [{**_MOUNT, "mountPropagation": "Bidirectional"}]}),
    ("recursion that is unknown", {"volumeMounts": [{**_MOUNT, "recursiveReadOnly": "Maybe"}]}),
    ("recursion of what is written", {"volumeMounts": [{**_MOUNT, "recursiveReadOnly": "Enabled"}]}),
    (
        "recursion with propagation",
        {
            "volumeMounts": [
                {
                    **_MOUNT,
                    "readOnly": True,
                    "recursiveReadOnly": "IfPossible",
                    "mountPropagation": "HostToContainer",
                }
            ]
        },
    ),
    ("a device that is a folder", {"volumeDevices": [{"name": "scratch", "devicePath": "/dev/a"}]}),
    ("a device that is no volume", {"volumeDevices": [{"name": "nope", "devicePath": "/dev/a"}]}),
    ("a device without anything", {"volumeDevices": [{"name": "", "devicePath": ""}]}),
    ("a device that climbs", {"volumeDevices": [{"name": "claimed", "devicePath": "/dev/../a"}]}),
    ("one device twice", {"volumeDevices": [{"name": "claimed", "devicePath": "/dev/a"}] * 2}),
    (
        "a device that is mounted too",
        {
            "volumeMounts": [{"name": "claimed", "mountPath": "/x"}],
            "volumeDevices": [{"name": "claimed", "devicePath": "/x"}],
        },
    ),
    at="spec|containers|0|",
)
_RESOURCES = table(
    "pod",
    ("less than nothing", _limited(cpu="-1")),
    ("more than the limit", {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}),
    ("an unknown resource", _limited(gpu="1")),
    ("a resource of pods", _limited(pods="1")),
    ("a resource that is no name", _limited(**{"a b": "1"})),
    ("a resource of somebody else", {"limits": {"example.com/gpu": "1"}, "requests": {"example.com/gpu": "1"}}),
    ("half of somebody else's", _limited(**{"example.com/gpu": "500m"})),
    ("less than the limit of somebody else's", {"limits": {"e.com/g": "2"}, "requests": {"e.com/g": "1"}}),
    ("somebody else's without a limit", {"requests": {"example.com/gpu": "1"}}),
    ("a name that quotas cannot count", _limited(**{f"{'a' * 250}/gpu": "1"})),
    ("requests of requests", _limited(**{"requests.example.com/gpu": "1"})),
    ("huge pages alone", _limited(**{"hugepages-2Mi": "2Mi"})),
    ("huge pages that do not divide", {**_limited(**{"hugepages-2Mi": "3Mi"}), "limits|cpu": "1", "requests|cpu": "1"}),
    ("huge pages of no size", {**_limited(**{"hugepages-a": "3Mi"}), "limits|cpu": "1", "requests|cpu": "1"}),
    ("huge pages unlike their limit", {"limits": {"hugepages-2Mi": "4Mi"}, "requests": {"hugepages-2Mi": "2Mi"}}),
    ("a claim nobody made", {"claims": [{"name": "nope"}]}),
    ("a claim without a name", {"claims": [{"name": ""}]}),
    ("storage", _limited(storage="1Gi")),
    ("local storage", _limited(**{"ephemeral-storage": "1Gi"})),
    at="spec|containers|0|resources|",
)
_RESIZING = table(
    "pod",
    ("an unknown resource to resize", {"resizePolicy": [{"resourceName": "gpu", "restartPolicy": "NotRequired"}]}),
    ("an unknown policy to resize", {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "Maybe"}]}),
    ("one resource twice", {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}] * 2}),
    ("nothing to resize", {"resizePolicy": [{"resourceName": "", "restartPolicy": ""}]}),
    ("an unknown restart policy", {"restartPolicy": "Sometimes"}),
    ("rules without a policy", {"restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In"}}]}),
    (
        "rules that are unknown",
        {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Jump", "exitCodes": {"operator": "Is"}}, {}]},
    ),
    (
        "too many rules and codes",
        {
            "restartPolicy": "Never",
            "restartPolicyRules": [
                {"action": "Restart", "exitCodes": {"operator": "In", "values": list(range(256))}},
                *[{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}] * 20,
            ],
        },
    ),
    at="spec|containers|0|",
)
_CALLS = table(
    "pod",
    ("a probe without a handler", {"livenessProbe": _PROBE}),
    ("a probe with two handlers", {"livenessProbe": {**_PROBE, "httpGet": _HTTP, "tcpSocket": {"port": 80}}}),
    ("a probe of no port", {"readinessProbe": {**_PROBE, "httpGet": {**_HTTP, "port": 0}}}),
    ("a probe of a bad port name", {"startupProbe": {**_PROBE, "tcpSocket": {"port": "_"}}}),
    ("a probe of a port too high", {"startupProbe": {**_PROBE, "grpc": {"port": 65536, "service": ""}}}),
    ("a probe of an unknown scheme", {"livenessProbe": {**_PROBE, "httpGet": {**_HTTP, "scheme": "FTP"}}}),
    (
        "a probe with a bad header",
        {"livenessProbe": {**_PROBE, "httpGet": {**_HTTP, "httpHeaders": [{"name": "A:", "value": ""}]}}},
    ),
    ("a probe of no command", {"livenessProbe": {**_PROBE, "exec": {}}}),
    (
        "a probe with counts below zero",
        {
            "readinessProbe": {
                "httpGet": _HTTP,
                "initialDelaySeconds": -1,
                "timeoutSeconds": -2,
                "periodSeconds": -3,
                "successThreshold": -4,
                "failureThreshold": -5,
            }
        },
    ),
    (
        "a liveness probe that must succeed twice",
        {"livenessProbe": {**_PROBE, "exec": {"command": ["a"]}, "successThreshold": 2}},
    ),
    (
        "a startup probe that must succeed twice",
        {"startupProbe": {**_PROBE, "exec": {"command": ["a"]}, "successThreshold": 2}},
    ),
    (
        "a readiness probe with a grace period",
        {"readinessProbe": {**_PROBE, "exec": {"command": ["a"]}, "terminationGracePeriodSeconds": 5}},
    ),
    (
        "a probe with no grace",
        {"livenessProbe": {**_PROBE, "exec": {"command": ["a"]}, "terminationGracePeriodSeconds": 0}},
    ),
    ("a hook without a handler", {"lifecycle": {"preStop": {}}}),
    ("a hook that sleeps too long", {"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}}),
    ("a hook that sleeps not at all", {"lifecycle": {"preStop": {"sleep": {"seconds": 0}}}}),
    ("a hook with two handlers", {"lifecycle": {"postStart": {"sleep": {"seconds": 1}, "exec": {"command": ["a"]}}}}),
    at="spec|containers|0|",
)
_INIT = table(
    "pod",
    ("the name of one that runs", {"name": "main"}),
    ("a probe", {"livenessProbe": {**_PROBE, "httpGet": _HTTP}}),
    ("hooks and probes", {"lifecycle": {}, "readinessProbe": _PROBE, "startupProbe": _PROBE}),
    ("an unknown restart policy", {"restartPolicy": "Sometimes"}),
    ("a restart policy", {"restartPolicy": "OnFailure"}),
    ("rules without a policy", {"restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In"}}]}),
    ("a sidecar with a bad probe", {"restartPolicy": "Always", "livenessProbe": _PROBE}),
    (
        "a resize policy that restarts",
        {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]},
    ),
    (
        "two ports on one host port",
        {"ports": [{"containerPort": each, "hostPort": 8080, "protocol": "TCP"} for each in (80, 81)]},
    ),
    at="spec|initContainers|0|",
)
_NONE = table(
    "pod",
    ("no containers", {"containers": []}),
    ("a second image with a space", {"initContainers|0|image": " busybox"}),
    (
        "a restarting resize policy in a pod that never restarts",
        {
            "restartPolicy": "Never",
            "containers|0|resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
        },
    ),
    (
        "a visitor",
        {
            "ephemeralContainers": [
                {"name": "visitor", "image": "busybox", "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}
            ]
        },
    ),
    ("nothing wrong", {"nodeSelector": GONE}),
    at="spec|",
)

CASES = [*_NAMES, *_ENVIRONMENT, *_MOUNTS, *_RESOURCES, *_RESIZING, *_CALLS, *_INIT, *_NONE]
