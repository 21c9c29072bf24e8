"""The example platform on one `plumb up`, driven with kubectl, git and the command line."""

import sys
from pathlib import Path

from tests.conformance.real import Spoken, programs
from tests.e2e.installation import Desk, Installation

EXAMPLES = Path(__file__).parents[3] / "examples" / "platform"
MANIFESTS = "https://github.com/company/k8s-manifests"
SERVICE = "https://github.com/yourorg/app-repo"
DATABASE = "/apis/database.company.io/v1/namespaces/commerce/postgresqlinstances/order-service-db"
COMMERCE = tuple(
    f"{group}/namespaces/commerce/{plural}"
    for group, plural in (
        ("/apis/database.company.io/v1", "postgresqlinstances"),
        ("/api/v1", "configmaps"),
        ("/api/v1", "services"),
        ("/apis/apps/v1", "deployments"),
        ("/apis/autoscaling/v2", "horizontalpodautoscalers"),
        ("/apis/networking.k8s.io/v1", "ingresses"),
    )
)


class Platform(Installation):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "data", programs=programs())

    def start(self) -> None:
        super().start()
        self.manifests = self._pushed("k8s-manifests", MANIFESTS)
        self.service = self._pushed("app-repo", SERVICE)

    def _pushed(self, name: str, stands_for: str) -> Desk:
        desk = Desk(self.folder.parent / name, f"{self.web}/git/{name}.git")
        if not (desk.folder / "README").exists():
            desk.copy(EXAMPLES / name)
            self.stand_for(name, stands_for)
            desk.push({"README": "What runs\n"})
        return desk

    def kubectl_apply(self, name: str) -> None:
        """A file of the repository, with the real kubectl."""
        said = self.kubectl("apply", "-f", str(self.manifests.folder / name))
        assert said.code == 0, said.err

    def typed(self, lines: str) -> Spoken:
        """At a shell where `argocd` is an alias of `plumb`."""
        plumb = Path(sys.executable).parent / "plumb"
        return self.shell(["bash", "-c", f"shopt -s expand_aliases\nalias argocd={plumb}\n{lines}"])

    def deployment(self, name: str = "order-service", namespace: str = "commerce"):
        return self.live(f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}")

    def image(self, name: str = "order-service", namespace: str = "commerce") -> str:
        deployment = self.deployment(name, namespace)
        return deployment["spec"]["template"]["spec"]["containers"][0]["image"] if deployment else ""
