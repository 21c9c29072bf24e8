"""The official Python client, which blocks: verbs, watches and informers, also across a restart of the plane."""

import queue
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kubernetes
import pytest
from kubernetes.informer import ADDED, DELETED, MODIFIED, SharedInformer

from .manifests import WEB, config_map
from .plane import OurPlane

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.filterwarnings("default::ResourceWarning"),  # it leaves its connections to the garbage collector
]

_WITHIN_S = 30


@pytest.fixture
def core(plane: OurPlane) -> Iterator[kubernetes.client.CoreV1Api]:
    with kubernetes.config.new_client_from_config(str(plane.kubeconfig)) as client:
        yield kubernetes.client.CoreV1Api(client)


class Heard:
    """What an informer told, in order."""

    def __init__(self, informer: SharedInformer) -> None:
        self._told: queue.Queue[tuple[str, str]] = queue.Queue()
        for kind in (ADDED, MODIFIED, DELETED):
            informer.add_event_handler(kind, self._hearing(kind))

    def _hearing(self, kind: str) -> Callable[[Any], None]:
        return lambda obj: self._told.put((kind, obj.metadata.name))

    def until(self, kind: str, name: str) -> None:
        while self._told.get(timeout=_WITHIN_S) != (kind, name):
            pass


@contextmanager
def informing(core: kubernetes.client.CoreV1Api, namespace: str) -> Iterator[tuple[SharedInformer, Heard]]:
    informer = SharedInformer(core.list_namespaced_config_map, namespace, label_selector="of=test")
    heard = Heard(informer)
    informer.start()
    try:
        yield informer, heard
    finally:
        with ThreadPoolExecutor() as pool:
            stopped = pool.submit(informer.stop)
            while not informer._stop_event.is_set():
                time.sleep(0.01)
            # It notices at the next event only.
            core.create_namespaced_config_map(namespace, config_map("wake-up"))
            stopped.result(timeout=_WITHIN_S)


def names(informer: SharedInformer) -> list[str]:
    return sorted(obj.metadata.name for obj in informer.cache.list())


def test_verbs_give_typed_objects_and_errors_with_their_reasons(core: kubernetes.client.CoreV1Api, space: str):
    made = core.create_namespaced_config_map(space, config_map("a", key="1"))
    assert made.metadata.uid
    core.patch_namespaced_config_map("a", space, {"data": {"key": "2", "more": "3"}})
    assert core.read_namespaced_config_map("a", space).data == {"key": "2", "more": "3"}
    made.data = {"key": "9"}
    with pytest.raises(kubernetes.client.ApiException) as stale:
        core.replace_namespaced_config_map("a", space, made)
    assert (stale.value.status, stale.value.reason) == (409, "Conflict")
    page = core.list_namespaced_config_map(space, limit=1)
    rest = core.list_namespaced_config_map(space, limit=5, _continue=page.metadata._continue)
    assert [each.metadata.name for each in page.items + rest.items] == ["a", "kube-root-ca.crt"]
    core.delete_collection_namespaced_config_map(space, label_selector="of=test")
    with pytest.raises(kubernetes.client.ApiException) as gone:
        core.read_namespaced_config_map("a", space)
    assert gone.value.status == 404


def test_applies_on_the_server_with_the_dynamic_client(core: kubernetes.client.CoreV1Api, space: str):
    dynamic = kubernetes.dynamic.DynamicClient(core.api_client)
    maps = dynamic.resources.get(api_version="v1", kind="ConfigMap")
    applied = maps.server_side_apply(config_map("a", key="1"), namespace=space, field_manager="me")
    assert applied.metadata.managedFields[0].manager == "me"
    with pytest.raises(kubernetes.dynamic.exceptions.ConflictError):
        maps.server_side_apply(config_map("a", key="2"), namespace=space, field_manager="you")


def test_a_watch_streams_until_its_timeout_and_goes_on_from_a_version(core: kubernetes.client.CoreV1Api, space: str):
    core.create_namespaced_config_map(space, config_map("a"))
    watch = kubernetes.watch.Watch()
    listed = watch.stream(
        core.list_namespaced_config_map, space, label_selector="of=test", timeout_seconds=1, limit=500
    )
    assert [(each["type"], each["object"].metadata.name) for each in listed] == [("ADDED", "a")]
    seen = watch.resource_version
    core.create_namespaced_config_map(space, config_map("b"))
    core.delete_namespaced_config_map("a", space)
    later = kubernetes.watch.Watch().stream(
        core.list_namespaced_config_map, space, label_selector="of=test", resource_version=seen, timeout_seconds=1
    )
    assert [(each["type"], each["object"].metadata.name) for each in later] == [("ADDED", "b"), ("DELETED", "a")]


def test_an_informer_follows(core: kubernetes.client.CoreV1Api, space: str):
    core.create_namespaced_config_map(space, config_map("before"))
    with informing(core, space) as (informer, heard):
        heard.until(ADDED, "before")
        core.create_namespaced_config_map(space, config_map("new"))
        heard.until(ADDED, "new")
        core.patch_namespaced_config_map("new", space, {"data": {"a": "b"}})
        heard.until(MODIFIED, "new")
        core.delete_namespaced_config_map("before", space)
        heard.until(DELETED, "before")
        assert names(informer) == ["new"]


def test_an_informer_catches_up_with_a_plane_that_was_away(own_plane: OurPlane):
    with kubernetes.config.new_client_from_config(str(own_plane.kubeconfig)) as client:
        core = kubernetes.client.CoreV1Api(client)
        for name in ("stays", "goes"):
            core.create_namespaced_config_map("default", config_map(name))
        with informing(core, "default") as (informer, heard):
            heard.until(ADDED, "stays")
            with own_plane.away():
                pass
            core.delete_namespaced_config_map("goes", "default")
            core.create_namespaced_config_map("default", config_map("comes"))
            heard.until(ADDED, "comes")
            assert names(informer) == ["comes", "stays"]


def test_files_are_created_like_kubectl_would(core: kubernetes.client.CoreV1Api, space: str, tmp_path: Path):
    (tmp_path / "web.yaml").write_text(WEB)
    kubernetes.utils.create_from_yaml(core.api_client, str(tmp_path / "web.yaml"), namespace=space)
    apps = kubernetes.client.AppsV1Api(core.api_client)
    assert apps.read_namespaced_deployment("web", space).spec.template.spec.containers[0].image == "web:1"
