"""Two repositories, one project: the application whose manifests are beside its code."""

import pytest

pytestmark = pytest.mark.conformance
PATH = "argocd/applications/api-service.yaml"
IMAGE = "ghcr.io/yourorg/api-service"


def test_it_follows_the_head_of_its_own_repository_and_manual_changes_are_reverted(production):
    platform, desk = production, production.service
    platform.kubectl_apply(PATH)
    platform.synced("api-service", desk.head)
    assert platform.deployment("api-service", "production")["status"]["readyReplicas"] == 2
    assert platform.image("api-service", "production") == f"{IMAGE}:2.3.1"
    assert platform.kubectl("-n", "production", "scale", "deployment", "api-service", "--replicas=5").code == 0
    platform.until(lambda: platform.deployment("api-service", "production")["spec"]["replicas"] == 2)
    desk.edit("k8s/overlays/production/kustomization.yaml", "2.3.1", "2.4.0")
    platform.synced("api-service", desk.push())
    assert platform.image("api-service", "production") == f"{IMAGE}:2.4.0"


def test_without_a_finalizer_what_it_delivered_stays(production):
    platform = production
    platform.kubectl_apply(PATH)
    platform.synced("api-service", platform.service.head)
    assert platform.kubectl("-n", "argocd", "delete", "application", "api-service").code == 0
    assert platform.app("api-service") is None
    assert platform.deployment("api-service", "production")


def test_the_project_refuses_another_repository_and_says_so(production):
    platform = production
    text = (platform.manifests.folder / PATH).read_text()
    said = platform.kubectl(
        "apply", "-f", "-", stdin=text.replace("yourorg", "somebody").replace("name: api", "name: x")
    )
    assert said.code == 0, said.err

    def refused():
        conditions = (platform.app("x-service") or {}).get("status", {}).get("conditions", [])
        return [each for each in conditions if each["type"] == "InvalidSpecError"]

    assert "is not permitted in project 'production'" in platform.until(refused)[0]["message"]
    assert platform.kubectl("-n", "argocd", "delete", "application", "x-service").code == 0
