"""What is to be rendered, and what came out: values that know nothing of how."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from plumbline.base.json import JsonObject, decode
from plumbline.base.limits import KIB
from plumbline.base.tree import Tree
from plumbline.kinds.application import ApplicationSource
from plumbline.render.values import Values

SourceType: TypeAlias = Literal["Helm", "Kustomize", "Directory", "Plugin"]

_MEGABYTE: Final = 1000 * 1000


class App(msgspec.Struct, frozen=True, kw_only=True):
    """The application that it is for, as far as manifests can depend on it."""

    name: str
    instance_name: str = ""
    """`<namespace>_<name>` for one that lives outside of the controller's namespace; the name if empty."""
    namespace: str = ""
    """Of the destination."""
    project: str = "default"
    revision: str = ""
    """What the target revision stands for: a commit, or the version of a chart."""
    repo_url: str = ""
    generate_paths: tuple[str, ...] = ()
    """What has to change for a plugin to run again: below the source's folder, or with a slash below the root.
    Empty for everything. Other tools know what they read.
    """

    @property
    def known_as(self) -> str:
        """The name that tools, tracking and `.argocd-source-<name>.yaml` use."""
        return self.instance_name or self.name


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the destination can do. Only Helm and Kustomize ask."""

    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What the installation allows and prefers."""

    disabled: frozenset[SourceType] = frozenset()
    """Tools that are not used: what they would render is read as a plain directory, without Jsonnet where that is off."""
    kustomize_build_options: str = ""
    kustomize_build_options_by_version: Mapping[str, str] = {}
    kustomize_programs: Mapping[str, str] = {}
    """Where those are that are used instead of the usual one, by what `kustomize.version` calls them."""
    kustomize_remote: bool = False
    """Whether kustomizations may name bases and charts elsewhere, which are fetched without any credentials."""
    helm_value_file_schemes: tuple[str, ...] = ("https", "http")
    directory_bytes: int = 10 * _MEGABYTE
    """All manifests of a directory together, Jsonnet not counted."""
    jsonnet_deadline_s: float = 10.0
    """For one file."""
    inline_bytes: int = 32 * KIB
    """More than so much text is parsed outside of the loop: reading YAML takes 0.15 s per megabyte."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One source of one application, at one revision."""

    source: ApplicationSource
    tree: Tree
    """All files of the repository, or of the chart."""
    app: App
    refs: Mapping[str, Tree] = {}
    """Other sources by their `ref`, without the dollar."""
    capabilities: Capabilities = Capabilities()
    settings: Settings = Settings()
    values: Values | None = None
    """From outside of Git and of the Application."""
    place: str = ""
    """Where in the tree the source's path is once links are followed. The renderer fills it in before a tool sees it,
    and merges `.argocd-source.yaml` into `source`; what callers put here is not looked at."""
    claimed: str = ""
    """The plugin that wants the source, where that does not name one (`Renderer.claimed`)."""

    @property
    def whose(self) -> tuple[str, str, str, str]:
        """Whose source it is, whatever changes in it: by this it is known how long it took before."""
        source = self.source
        return self.app.known_as, source.repo_url, source.path, source.chart


class Origin(NamedTuple):
    """Where an object was written. A tool that cannot tell names the file that it began with."""

    path: str
    document: int = 0
    """Counted from one within the file, empty documents left out; zero where it is not known."""
    line: int = 0

    def __str__(self) -> str:
        if self.line:
            return f"{self.path}:{self.line}"
        return f"{self.path} (document {self.document})" if self.document else self.path


class Found(NamedTuple):
    """An object as a tool gives it, not yet looked at."""

    object: JsonObject
    origin: Origin


class Manifest(msgspec.Struct, frozen=True, gc=False):
    """One object, encoded: what is kept is bytes, and whoever changes a decoded copy changes nobody else's."""

    body: bytes
    origin: Origin

    def object(self) -> JsonObject:
        return decode(self.body)


class Rendered(msgspec.Struct, frozen=True):
    """All objects of one source, in the order that they were found, duplicates included."""

    source_type: SourceType
    manifests: tuple[Manifest, ...]
    key: str
    """Equal keys mean equal manifests."""
    warnings: tuple[str, ...] = ()
    """What upstream passes over in silence and people should know."""

    @property
    def objects(self) -> tuple[JsonObject, ...]:
        return tuple(manifest.object() for manifest in self.manifests)
