"""What an installation is made of besides Applications: projects, settings, repositories and clusters, followed live."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from plumbline.base.errors import InvalidInput, UnknownKind
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.delivery.projects.project import Project, effective, global_projects_of
from plumbline.delivery.settings.clusters import TYPE_LABEL, Cluster, Clusters, read_cluster, read_clusters
from plumbline.delivery.settings.connections import FROM_A_SECRET
from plumbline.delivery.settings.reading import (
    CONTROL_PLANE,
    NOTIFICATIONS,
    PARAMETERS,
    SECRETS,
    SettingsReader,
    Sources,
)
from plumbline.delivery.settings.secretdata import secret_data
from plumbline.delivery.settings.values import Settings
from plumbline.kernel.cache import Cached, cached
from plumbline.kernel.informer import Informer
from plumbline.kernel.world import World
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read
from plumbline.kube.client import Client, Selection, Target, Trust
from plumbline.kube.names import GroupVersionResource
from plumbline.source.local import Local, nowhere
from plumbline.source.secrets import Repositories
from plumbline.source.trust import CERTIFICATES_NAME, KNOWN_HOSTS_NAME, trust

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_OURS: Final = "argocd-"
_PART_OF: Final = ("app.kubernetes.io/part-of", "argocd")


class Installation:
    """Everything under one namespace. `run` keeps it true; listeners are told when something of it changed."""

    def __init__(
        self, client: Client, namespace: str, world: World, trust: Trust = FROM_A_SECRET, *, local: Local = nowhere
    ) -> None:
        self.namespace = namespace
        self._local = local
        self._trust = trust
        self._reader = SettingsReader(namespace)
        metrics = world.metrics
        self._projects = Informer(client, Target(APP_PROJECT.resource, namespace), metrics=metrics)
        self._config = Informer(client, Target(_CONFIG_MAPS, namespace), metrics=metrics)
        # Secrets that nobody marked as a setting are nobody's business here.
        self._marked = Informer(
            client, Target(_SECRETS, namespace), selection=Selection(labels=TYPE_LABEL), metrics=metrics
        )
        part = Selection(labels="=".join(_PART_OF))
        self._own = Informer(client, Target(_SECRETS, namespace), selection=part, metrics=metrics)
        self._listeners: list[Callable[[], None]] = []
        self._read: dict[Any, Any] = {}
        for informer in self._informers:
            informer.subscribe(self._config_changed if informer is self._config else self._changed)

    @property
    def _informers(self) -> tuple[Informer, ...]:
        return self._projects, self._config, self._marked, self._own

    def subscribe(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    async def run(self) -> None:
        async with task_group() as group:
            for informer in self._informers:
                group.create_task(informer.run())

    async def synced(self) -> None:
        for informer in self._informers:
            await informer.synced()

    def learn(self, target: Target, raw: bytes) -> None:
        """What a write of ours was answered with: whoever asks next need not wait until a watch has told the same."""
        if target.namespace != self.namespace:
            return
        for informer in self._informers:
            if informer.target.resource == target.resource and self._follows(informer, raw):
                informer.learn(raw)

    def _follows(self, informer: Informer, raw: bytes) -> bool:
        """Whether it tells of such an object; one that it does not tell of would be remembered for ever."""
        if informer not in (self._marked, self._own):
            return True
        labels = cached(raw, informer.cache.relevance).meta.labels
        return TYPE_LABEL in labels if informer is self._marked else labels.get(_PART_OF[0]) == _PART_OF[1]

    @property
    def settings(self) -> Settings:
        found: Settings = self._once("settings", self._settings)
        return found

    @property
    def clusters(self) -> Clusters:
        found: Clusters = self._once("clusters", self._clusters)
        return found

    def cluster(self, secret: JsonObject) -> Cluster:
        """What a cluster Secret says here, whether or not it is one of ours yet. Raises as `read_cluster` does."""
        return read_cluster(secret, self._trust)

    @property
    def repositories(self) -> Repositories:
        """What is configured for repositories, and how their hosts prove who they are."""
        found: Repositories = self._once("repositories", self._repositories)
        return found

    def secrets(self, kind: str) -> tuple[JsonObject, ...]:
        """Secrets of one `secret-type`."""
        found: tuple[JsonObject, ...] = self._once(
            ("secrets", kind),
            lambda: tuple(each.object() for each in self._marked.cache if each.meta.labels.get(TYPE_LABEL) == kind),
        )
        return found

    def config_map(self, name: str) -> JsonObject | None:
        entry = self._config.cache.get((self.namespace, name))
        return entry.object() if entry is not None else None

    @property
    def project_objects(self) -> Mapping[str, JsonObject]:
        """All projects as they are written; the same mapping for as long as nothing changes."""
        found: Mapping[str, JsonObject] = self._once(
            "project objects", lambda: {entry.meta.name: entry.object() for entry in self._projects.cache}
        )
        return found

    @property
    def projects(self) -> Mapping[str, Project]:
        """All projects that can be read, each with everything that counts in it."""
        found: Mapping[str, Project] = self._once("projects", self._projects_now)
        return found

    @property
    def unreadable_projects(self) -> Mapping[str, str]:
        """Why some cannot be."""
        found: Mapping[str, str] = self._once("own projects", self._own_projects)[1]
        return found

    def _projects_now(self) -> Mapping[str, Project]:
        own: Mapping[str, Project] = self._once("own projects", self._own_projects)[0]
        scoped: dict[str, list[str]] = {}
        for each in self.repositories.entries:
            if each.project and each.kind == "repository":
                scoped.setdefault(each.project, []).append(each.url)
        return {
            name: effective(
                project,
                repositories=scoped.get(name, ()),
                clusters=self.clusters.scoped(name),
                global_projects=global_projects_of(project, self.settings.global_projects, own),
            )
            for name, project in own.items()
        }

    def _own_projects(self) -> tuple[Mapping[str, Project], Mapping[str, str]]:
        found: dict[str, Project] = {}
        broken: dict[str, str] = {}
        for entry in self._projects.cache:
            try:
                found[entry.meta.name] = Project.of(read(APP_PROJECT, entry.object()))
            except (InvalidInput, UnknownKind) as reason:
                broken[entry.meta.name] = str(reason)
        return found, broken

    def _settings(self) -> Settings:
        secret = self._own.cache.get((self.namespace, SECRETS))
        sources = Sources(
            self.config_map(CONTROL_PLANE),
            self.config_map(PARAMETERS),
            secret.object() if secret is not None else None,
            self.config_map(NOTIFICATIONS),
        )
        version = ",".join(sorted(entry.meta.resource_version for entry in self._own.cache))
        return self._reader.read(sources, self._looked_up, secrets_version=version)

    def _looked_up(self, name: str, key: str) -> Plaintext | None:
        """A value that a setting refers to: only from Secrets that are marked as part of the installation."""
        entry = self._own.cache.get((self.namespace, name))
        return secret_data(entry.object(), name).get(key) if entry is not None else None

    def _repositories(self) -> Repositories:
        trusted = trust(self.config_map(KNOWN_HOSTS_NAME), self.config_map(CERTIFICATES_NAME))
        secrets = (each.object() for each in self._marked.cache)
        return Repositories(secrets, trusted, submodules=self.settings.rendering.submodules, local=self._local)

    def _clusters(self) -> Clusters:
        enabled = self.settings.in_cluster_enabled
        return read_clusters(self.secrets("cluster"), in_cluster_enabled=enabled, trust=self._trust)

    def _once(self, key: Any, made: Callable[[], Any]) -> Any:
        """Worked out at the first question after a change."""
        if key not in self._read:
            self._read[key] = made()
        return self._read[key]

    def _config_changed(self, before: Cached | None, after: Cached | None) -> None:
        """Other ConfigMaps may live here as well."""
        present = after or before
        if present is not None and present.meta.name.startswith(_OURS):
            self._changed(before, after)

    def _changed(self, before: Cached | None, after: Cached | None) -> None:
        del before, after
        self._read.clear()
        for listener in self._listeners:
            listener()
