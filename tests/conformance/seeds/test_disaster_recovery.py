"""The repository is the definition of the system: with it, and one application, all of it comes back."""

import shutil

import pytest

from .platform import Platform

pytestmark = pytest.mark.conformance
APPLICATIONS = ("infrastructure", "platform", "order-service", "api-service")


def test_a_new_platform_is_made_from_the_repositories_and_one_application_and_grows_by_files(platform, tmp_path):
    heads = dict.fromkeys(APPLICATIONS, platform.manifests.head) | {"api-service": platform.service.head}
    fresh = Platform(tmp_path)
    fresh.folder.mkdir()
    shutil.copytree(platform.folder / "git", fresh.folder / "git")
    for name in ("k8s-manifests", "app-repo"):
        shutil.copytree(platform.folder.parent / name, tmp_path / name)
    fresh.start()
    try:
        fresh.kubectl_apply("bootstrap/platform.yaml")
        for name in APPLICATIONS:
            fresh.synced(name, heads[name])
        assert fresh.deployment()["status"]["readyReplicas"] == 3
        assert fresh.deployment("api-service", "production")["status"]["readyReplicas"] == 2
        assert fresh.app("platform")["status"]["summary"]["isAppOfApps"]
        _a_new_component_is_a_new_file(fresh)
    finally:
        fresh.stop()


def _a_new_component_is_a_new_file(platform):
    desk = platform.manifests
    text = (desk.folder / "argocd/applications/api-service.yaml").read_text()
    another = text.replace("name: api-service", "name: another").replace("namespace: production", "namespace: commerce")
    platform.synced("platform", desk.push({"argocd/applications/another.yaml": another}))
    platform.synced("another", platform.service.head)
    desk.revert()  # it has no finalizer, so it goes alone, and nobody has to agree
    platform.synced("platform", desk.head)
    platform.until(lambda: platform.app("another") is None)
