"""What a Terraform object says about the pod that runs it. Parts of pods that only the cluster reads stay as they are."""

from typing import Annotated, Final

from msgspec import Meta, field

from plumbline.kinds.fields import DEFAULTED, Fields, FreeObject, IntOrString
from plumbline.kinds.flux.common import ONE_MAP

_QUANTITY: Final = Meta(
    extra_json_schema={
        "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
        r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
    }
)


class KeySelector(Fields):
    """A key of a ConfigMap or a Secret."""

    name: Annotated[str, DEFAULTED] = ""
    key: str
    """Which key of it."""
    optional: bool | None = None
    """Whether it may be missing."""


class FieldSelector(Fields):
    """A field of the pod itself."""

    api_version: str = ""
    """In whose words the path is; v1 if empty."""
    field_path: str
    """Such as metadata.name."""


class FileKeySelector(Fields):
    """A variable in a file of a volume."""

    volume_name: str
    """Which volume the file is in."""
    path: str
    key: str
    """Which variable in the file."""
    optional: Annotated[bool, DEFAULTED] = False
    """Whether it may be missing."""


class ResourceFieldSelector(Fields):
    """A limit or request of the container itself."""

    container_name: str = ""
    """Of which container."""
    resource: str
    """Such as limits.cpu."""
    divisor: Annotated[IntOrString | None, _QUANTITY] = None
    """The unit in which it is told."""


class EnvVarSource(Fields):
    """Where a value comes from."""

    field_ref: Annotated[FieldSelector | None, ONE_MAP] = None
    resource_field_ref: Annotated[ResourceFieldSelector | None, ONE_MAP] = None
    config_map_key_ref: Annotated[KeySelector | None, ONE_MAP] = None
    secret_key_ref: Annotated[KeySelector | None, ONE_MAP] = None
    file_key_ref: Annotated[FileKeySelector | None, ONE_MAP] = None


class EnvVar(Fields):
    """A variable of the environment."""

    name: str
    value: str = ""
    value_from: EnvVarSource | None = None


class EnvSource(Fields):
    """A ConfigMap or a Secret whose keys become variables."""

    name: Annotated[str, DEFAULTED] = ""
    optional: bool | None = None
    """Whether it may be missing."""


class EnvFromSource(Fields):
    """Variables of the environment, all at once."""

    prefix: str = ""
    """Stands before each key."""
    config_map_ref: Annotated[EnvSource | None, ONE_MAP] = None
    secret_ref: Annotated[EnvSource | None, ONE_MAP] = None


class RunnerPodMetadata(Fields):
    """Labels and annotations of the pod."""

    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)


class RunnerPodSpec(Fields):
    """What the pod is made of."""

    image: str = ""
    """The image that has the tool."""
    env_from: tuple[EnvFromSource, ...] = ()
    """Variables of the environment, all of a ConfigMap or a Secret."""
    env: tuple[EnvVar, ...] = ()
    node_selector: dict[str, str] = field(default_factory=dict)
    """Labels of nodes that it may run on."""
    affinity: FreeObject | None = None
    """As pods have it."""
    tolerations: tuple[FreeObject, ...] = ()
    """As pods have them."""
    volume_mounts: tuple[FreeObject, ...] = ()
    """As containers have them."""
    volumes: tuple[FreeObject, ...] = ()
    """As pods have them."""
    init_containers: tuple[FreeObject, ...] = ()
    """As pods have them."""
    host_aliases: tuple[FreeObject, ...] = ()
    """As pods have them."""
    priority_class_name: str = ""
    """As pods have it."""
    security_context: FreeObject | None = None
    """As containers have it."""
    resources: FreeObject | None = None
    """As containers have them."""


class RunnerPodTemplate(Fields):
    """The pod that runs the tool."""

    metadata: RunnerPodMetadata = RunnerPodMetadata()
    spec: RunnerPodSpec = RunnerPodSpec()
