"""Pod specs: the deepest schema there is, shared by seven kinds."""

from tests.conformance.differential.spots import Entries, Items, Spot, Value, atomic

from plumbline.base.json import Json, JsonObject

from .subject import LABELS, WORDS


def container(name: str, image: str = "example.org/app:1", **more: Json) -> JsonObject:
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        **more,
    }


def pod_spec(restart: str = "Always") -> JsonObject:
    return {
        "containers": [container("web", env=[{"name": "A", "value": "1"}])],
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": restart,
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
        "volumes": [{"name": "scratch", "emptyDir": {}}],
    }


def pod_template(app: str = "web", restart: str = "Always") -> JsonObject:
    return {"metadata": {"labels": {"app": app}}, "spec": pod_spec(restart)}


def toleration(key: str, **more: Json) -> JsonObject:
    return {"key": key, "operator": "Exists", "effect": "NoSchedule", **more}


IMAGES = ("example.org/app:1", "example.org/app:2", "example.org/other:1")

_CONTAINER_SPOTS: tuple[Spot, ...] = (
    Value("image", IMAGES),
    Value("stdin", (True,), optional=True),
    Value("workingDir", ("/srv", "/opt"), optional=True),
    Entries("resources.requests", ("cpu", "memory"), ("1", "1000m", "1Gi", "1024Mi", "0.5", 2)),
    Value("securityContext.runAsUser", (1000, 2000), optional=True),
    atomic("command", ["sh"], ["sh", "-c"]),
    atomic("args", ["a"], ["a", "b"], ["b", "a", "a"]),
    Items(
        "env",
        ("name",),
        ({"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "C"}),
        (Value("value", ("1", "2", "3"), optional=True),),
        patch_key="name",
    ),
    Items(
        "ports",
        ("containerPort", "protocol"),
        (
            {"containerPort": 80, "protocol": "TCP"},
            {"containerPort": 443, "protocol": "TCP"},
            {"containerPort": 53, "protocol": "UDP"},
        ),
        (Value("name", ("http", "web"), optional=True),),
        patch_key="containerPort",
    ),
    Items(
        "volumeMounts",
        ("mountPath",),
        ({"mountPath": "/a", "name": "scratch"}, {"mountPath": "/b", "name": "scratch", "readOnly": True}),
        (Value("subPath", ("x", "y"), optional=True),),
        patch_key="mountPath",
    ),
)

_SPREAD = {"matchLabels": {"app": "web"}}

POD_SPOTS: tuple[Spot, ...] = (
    Items(
        "containers",
        ("name",),
        (container("web"), container("proxy"), container("log")),
        _CONTAINER_SPOTS,
        patch_key="name",
    ),
    Items("initContainers", ("name",), (container("init"),), (Value("image", IMAGES),), patch_key="name"),
    Value("terminationGracePeriodSeconds", (30, 60)),
    Value("hostname", ("alpha", "beta"), optional=True),
    Entries("nodeSelector", ("disk", "zone"), WORDS),
    atomic("tolerations", [toleration("a")], [toleration("b", tolerationSeconds=5, effect="NoExecute")]),
    Items(
        "hostAliases",
        ("ip",),
        ({"ip": "10.0.0.1", "hostnames": ["a"]}, {"ip": "10.0.0.2", "hostnames": ["b"]}),
        (atomic("hostnames", ["a"], ["b", "c"], optional=False),),
        patch_key="ip",
    ),
    Items("imagePullSecrets", ("name",), ({"name": "pull-a"}, {"name": "pull-b"}), patch_key="name"),
    Items(
        "volumes",
        ("name",),
        (
            {"name": "tmp", "emptyDir": {}},
            {"name": "config", "configMap": {"name": "settings", "defaultMode": 420}},
        ),
        patch_key="name",
    ),
    Items(
        "topologySpreadConstraints",
        ("topologyKey", "whenUnsatisfiable"),
        (
            {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1, "labelSelector": _SPREAD},
            {"topologyKey": "host", "whenUnsatisfiable": "ScheduleAnyway", "maxSkew": 2, "labelSelector": _SPREAD},
        ),
        (Value("maxSkew", (1, 2, 3)),),
        patch_key="topologyKey",
    ),
)

TEMPLATE_SPOTS: tuple[Spot, ...] = (
    Entries("metadata.labels", LABELS, WORDS),
    Entries("metadata.annotations", ("note",), WORDS),
)
