"""Where an Application's manifests come from, and how they are made."""

from typing import Annotated

from msgspec import Meta, field

from plumbline.kinds.fields import Fields, FreeObject, IntOrString


class NameValue(Fields):
    """A name and its value."""

    name: str
    value: str


class HelmParameter(Fields):
    """A value of a chart, as `helm --set` takes it."""

    name: str = ""
    """Path of the value, such as image.tag."""
    value: str = ""
    force_string: bool = False
    """Whether the value is text even where it looks like a number or a boolean."""


class HelmFileParameter(Fields):
    """A value of a chart that is the content of a file."""

    name: str = ""
    path: str = ""
    """Path of the file, relative to the chart."""


class ApplicationSourceHelm(Fields):
    """How a Helm chart is rendered."""

    value_files: tuple[str, ...] = ()
    """Files of values, later ones beating earlier ones; patterns are allowed, and $NAME/ begins in another source."""
    parameters: tuple[HelmParameter, ...] = ()
    """Single values; they beat everything else."""
    release_name: str = ""
    """Name of the release; the application's if empty."""
    values: str = ""
    """Values as a YAML text; they beat value files."""
    file_parameters: tuple[HelmFileParameter, ...] = ()
    """Values that are contents of files."""
    version: str = ""
    """Version of Helm. Only v3 is left."""
    pass_credentials: bool = False
    """Whether the repository's credentials also go to other hosts that its index names."""
    ignore_missing_value_files: bool = False
    """Whether a value file that is not there is skipped instead of an error."""
    skip_crds: bool = False
    """Whether the chart's CRDs are left out."""
    values_object: FreeObject | None = None
    """Values as an object; they beat values and value files."""
    namespace: str = ""
    """Namespace the chart is rendered for; the destination's if empty."""
    kube_version: str = ""
    """Version of Kubernetes that the chart sees; the destination's if empty."""
    api_versions: tuple[str, ...] = ()
    """API versions that the chart sees; the destination's if empty."""
    skip_tests: bool = False
    """Whether the chart's tests are left out."""
    skip_schema_validation: bool = False
    """Whether values are not checked against the chart's schema."""


class KustomizeReplica(Fields):
    """How many replicas a workload has."""

    name: str
    count: IntOrString


class KustomizeSelector(Fields):
    """Which objects a patch is for."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    annotation_selector: str = ""
    label_selector: str = ""


class KustomizePatch(Fields):
    """A patch, inline or from a file."""

    path: str = ""
    patch: str = ""
    target: KustomizeSelector | None = None
    options: dict[str, bool] = field(default_factory=dict)


class ApplicationSourceKustomize(Fields):
    """What is changed in a kustomization before it is built."""

    name_prefix: str = ""
    name_suffix: str = ""
    images: tuple[str, ...] = ()
    """Images to use instead, as [old=]name[:tag|@digest]."""
    common_labels: dict[str, str] = field(default_factory=dict)
    version: str = ""
    """Version of Kustomize, as argocd-cm names it."""
    common_annotations: dict[str, str] = field(default_factory=dict)
    force_common_labels: bool = False
    """Whether labels that are there already are replaced."""
    force_common_annotations: bool = False
    """Whether annotations that are there already are replaced."""
    namespace: str = ""
    common_annotations_envsubst: bool = False
    """Whether $ARGOCD_APP_NAME and its like are replaced in annotations."""
    replicas: tuple[KustomizeReplica, ...] = ()
    patches: tuple[KustomizePatch, ...] = ()
    components: tuple[str, ...] = ()
    ignore_missing_components: bool = False
    """Whether a component that is not there is skipped instead of an error."""
    label_without_selector: bool = False
    """Whether common labels stay out of selectors."""
    label_include_templates: bool = False
    """Whether common labels go into pod templates, where they stay out of selectors."""
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


class JsonnetVar(Fields):
    """A variable of Jsonnet."""

    name: str
    value: str
    code: bool = False
    """Whether the value is Jsonnet itself and not a text."""


class ApplicationSourceJsonnet(Fields):
    """How Jsonnet files are evaluated."""

    ext_vars: tuple[JsonnetVar, ...] = ()
    """External variables."""
    tlas: tuple[JsonnetVar, ...] = ()
    """Top-level arguments."""
    libs: tuple[str, ...] = ()
    """Folders of the repository that imports are looked up in."""


class ApplicationSourceDirectory(Fields):
    """Which files of a folder are manifests."""

    recurse: bool = False
    """Whether folders in the folder count too."""
    jsonnet: ApplicationSourceJsonnet = ApplicationSourceJsonnet()
    exclude: str = ""
    """Pattern for files that are left out."""
    include: str = ""
    """Pattern for files that are taken."""


class PluginParameter(Fields):
    """A parameter of a plugin: a text, a list or a map."""

    name: str = ""
    string_: str | None = field(name="string", default=None)
    map: dict[str, str] | None = None
    array: tuple[str, ...] | None = None


class ApplicationSourcePlugin(Fields):
    """A plugin that makes the manifests."""

    name: str = ""
    env: tuple[NameValue, ...] = ()
    parameters: tuple[PluginParameter, ...] = ()


class ApplicationSource(Fields):
    """One place that manifests come from."""

    repo_url: str = field(name="repoURL")
    """Address of the Git, Helm or OCI repository."""
    path: str = ""
    """Folder in the repository."""
    target_revision: str = ""
    """Branch, tag, commit or range of versions; HEAD if empty."""
    helm: ApplicationSourceHelm | None = None
    kustomize: ApplicationSourceKustomize | None = None
    directory: ApplicationSourceDirectory | None = None
    plugin: ApplicationSourcePlugin | None = None
    chart: str = ""
    """Name of the chart in a Helm repository."""
    ref: str = ""
    """Name under which other sources may use files of this one."""
    name: str = ""
    """Name of the source, for people."""
    tag_prefix: str = ""
    """What tags begin with before the version, where the revision is a range of versions."""

    @property
    def charted(self) -> bool:
        """Whether it is a chart, or anything else out of a registry, and so no folder of a Git repository."""
        return bool(self.chart) or self.repo_url.startswith("oci://")


class DrySource(Fields):
    """Where manifests are made from before they are written to a branch."""

    repo_url: str = field(name="repoURL")
    target_revision: str
    path: str
    helm: ApplicationSourceHelm | None = None
    kustomize: ApplicationSourceKustomize | None = None
    directory: ApplicationSourceDirectory | None = None
    plugin: ApplicationSourcePlugin | None = None


class SyncSource(Fields):
    """Where the written manifests are synced from."""

    target_branch: str
    path: Annotated[str, Meta(min_length=1, pattern=r"^.{2,}|[^./]$")]
    """Folder in the repository, which is not its root."""
    repo_url: str = field(name="repoURL", default="")


class HydrateTo(Fields):
    """Where manifests are written, if not to where they are synced from."""

    target_branch: str


class SourceHydrator(Fields):
    """Manifests that are rendered, written to a branch, and synced from there."""

    dry_source: DrySource
    sync_source: SyncSource
    hydrate_to: HydrateTo | None = None
