"""The sample platform of the first `plumb up`: alive by itself, somebody's own from then on, and the tour through it."""

import base64
import fcntl
import re
import shutil
import sys
from pathlib import Path

import psycopg
import pytest
from tests.conformance.real import programs
from tests.docs.pages import ROOT, section

from .installation import Desk, Installation

pytestmark = pytest.mark.conformance

APPLICATIONS = ("platform", "infrastructure", "network", "monitoring", "order-service", "foundation")
SIMULATED = "plumbline.dev/simulated"
DEFAULT = "http://127.0.0.1:8080/git/platform.git"
CLAIMS = {
    "/apis/database.company.io/v1/namespaces/commerce/postgresqlinstances/order-service-db": False,
    "/apis/messaging.company.io/v1/namespaces/commerce/queues/order-events": True,
    "/apis/storage.company.io/v1/namespaces/commerce/objectbuckets/order-invoices": True,
}
FOUNDATION = "/apis/infra.contrib.fluxcd.io/v1alpha2/namespaces/terraform-system/terraforms/foundation"


class Sampled(Installation):
    """`plumb up` as a newcomer types it."""

    def __init__(self, folder):
        super().__init__(folder / "data", programs=programs(), sample=True)

    def sown(self):
        """The first commit, once there is one."""
        self.until(lambda: self.app("platform"))
        return self.desk("first").head

    @property
    def repository(self):
        return f"{self.web}/git/platform.git"

    def desk(self, name):
        folder = self.folder.parent / name
        desk = Desk(folder, self.repository)
        desk.git("pull", "-q", self.repository, "main")
        return desk

    def settled(self, revision):
        for name in APPLICATIONS:
            self.synced(name, revision, health="Suspended" if name == "foundation" else "Healthy")

    def annotations(self, path):
        return self.live(path)["metadata"].get("annotations", {})

    def secret(self, name, namespace="commerce"):
        found = self.live(f"/api/v1/namespaces/{namespace}/secrets/{name}") or {}
        return {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}

    def typed(self, text):
        """A section of the tour, at a shell: each line has to work, but for those that say that they are refused."""
        plumb = self.folder.parent / "bin"
        plumb.mkdir(exist_ok=True)
        if not (plumb / "plumb").exists():
            (plumb / "plumb").symlink_to(Path(sys.executable).with_name("plumb"))
        blocks = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
        lines = [f"if {line}; then exit 99; fi" if line.endswith("# refused") else line for line in blocks.splitlines()]
        script = "\n".join(line.replace("  # refused; then", "; then") for line in lines)
        identity = "export GIT_AUTHOR_NAME=Jane GIT_AUTHOR_EMAIL=j@example.com GIT_COMMITTER_NAME=Jane GIT_COMMITTER_EMAIL=j@example.com"
        begins = f"set -eu -o pipefail\nexport PATH={plumb}:$PATH\n{identity}\ncd ~\n"
        said = self.shell(["bash", "-c", begins + script.replace(DEFAULT, self.repository)])
        assert said.code == 0, f"{script}\n{said.out}\n{said.err}"
        return said


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    place = Sampled(tmp_path_factory.mktemp("sampled"))
    place.start()
    place.sown()
    yield place
    place.stop()


@pytest.fixture
def fresh(tmp_path):
    place = Sampled(tmp_path)
    yield place
    place.stop()


def connected(given):
    """With what a pod was given."""
    return psycopg.connect(
        host=given["endpoint"],
        port=int(given["port"]),
        dbname=given["database"],
        user=given["username"],
        password=given["password"],
    )


def given_to(place, deployment, namespace="commerce"):
    """The Secret that the pods of a Deployment take their connection from, as they name it."""
    pods = place.live(f"/api/v1/namespaces/{namespace}/pods")["items"]
    mine = [each for each in pods if each["metadata"]["labels"].get("app") == deployment]
    assert {each["status"]["phase"] for each in mine} == {"Running"}
    sources = mine[0]["spec"]["containers"][0]["envFrom"]
    (name,) = [each["secretRef"]["name"] for each in sources if each.get("prefix") == "DATABASE_"]
    return place.secret(name, namespace)


def test_all_of_it_is_well_by_itself_and_what_is_simulated_says_so(sampled):
    sampled.settled(sampled.desk("looking").head)
    for path, simulated in CLAIMS.items():
        assert (SIMULATED in sampled.annotations(path)) is simulated
    assert SIMULATED in sampled.annotations("/apis/apps/v1/namespaces/commerce/deployments/order-service")
    assert SIMULATED in sampled.annotations(FOUNDATION)
    assert len(sampled.secret("payment-provider")["api-key"]) >= 32
    dashboards = sampled.live("/api/v1/namespaces/monitoring/configmaps")["items"]
    assert sum(each["metadata"].get("labels", {}).get("grafana_dashboard") == "1" for each in dashboards) == 2
    roles = sampled.live("/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/production")["spec"]["roles"]
    assert [each["name"] for each in roles] == ["deployer", "viewer"]
    message = sampled.live(FOUNDATION)["status"]["conditions"]
    assert any("It waits: 1 approval missing" in each["message"] for each in message)
    with connected(given_to(sampled, "order-service")) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_its_first_commit_is_ours_and_the_key_in_it_is_sealed(sampled):
    desk = sampled.desk("reading")
    root = desk.git("rev-list", "--max-parents=0", "HEAD")
    assert (
        desk.git("show", "-s", "--format=%an <%ae> %s", root) == "Plumbline <plumbline@localhost> The sample platform"
    )
    key = sampled.secret("payment-provider")["api-key"]
    assert desk.git("grep", "-c", "kind: SealedSecret").startswith("services/order-service/overlays/production/")
    assert key not in desk.git("show", root)
    assert key not in sampled.log


def test_the_tour(sampled):
    """The commands of docs/tour.md, in its order."""
    sampled.settled(sampled.desk("touring").head)
    sampled.typed(section("tour.md", "## 1. Edit"))
    sampled.typed(section("tour.md", "## 2. Drift"))
    said = sampled.typed(section("tour.md", "## 3. Conflict"))
    assert "is owned by Application argocd/order-service" in said.out + said.err
    assert sampled.app("second") is None
    said = sampled.typed(section("tour.md", "## 4. Approve"))
    assert "cluster_endpoint" in said.out
    head = sampled.desk("touring").head
    for name in APPLICATIONS:
        sampled.synced(name, head)


def renamed(text, name):
    return text.replace("order-service", name).replace("order-events", f"{name}-events").replace(
        "order-invoices", f"{name}-invoices"
    )  # fmt: skip


def pull_request(desk, name):
    """What somebody adds who makes a service out of the sample's: manifests, claims, an application. On a branch."""
    desk.git("switch", "-q", "-c", f"add-{name}")
    files = {}
    for folder in ("services/order-service/base", "services/order-service/overlays/production"):
        for path in sorted((desk.folder / folder).iterdir()):
            if path.name != "payment-provider.yaml":
                files[renamed(f"{folder}/{path.name}", name)] = renamed(path.read_text(), name)
    overlay = f"services/{name}/overlays/production"
    for path in sorted((desk.folder / "infrastructure/claims").iterdir()):
        files[f"{overlay}/claims/{path.name}"] = renamed(path.read_text(), name)
    kustomization = files[f"{overlay}/kustomization.yaml"].replace("  - payment-provider.yaml\n", "")
    files[f"{overlay}/kustomization.yaml"] = kustomization.replace("../../../../infrastructure/claims", "claims")
    files[f"{overlay}/deployment.yaml"] = files[f"{overlay}/deployment.yaml"].partition("          env:\n")[0]
    application = (desk.folder / "argocd/applications/order-service.yaml").read_text()
    files[f"argocd/applications/{name}.yaml"] = renamed(application, name)
    desk.write(files)
    desk.git("add", "-A")
    desk.git("commit", "-q", "-m", f"Add {name}")


def test_from_a_merged_pull_request_to_a_query_over_the_connection_that_the_pod_was_given(sampled):
    """The ten steps of a service with a database, which nobody deploys, provisions or hands credentials to."""
    desk, name = sampled.desk("adding"), "returns"
    pull_request(desk, name)  # 1. a pull request with manifests and a database; 2. its image is there
    desk.git("push", "-q", sampled.repository, f"add-{name}")
    assert sampled.app(name) is None, "nothing happens before it is merged"
    desk.git("switch", "-q", "main")
    desk.git("merge", "-q", "--no-ff", "-m", f"Merge add-{name}", f"add-{name}")
    desk.git("push", "-q", sampled.repository, "main")  # 3. merged
    app = sampled.synced(name, desk.head)  # 4. seen at once; 10. Synced and Healthy
    kinds = {each["kind"] for each in app["status"]["resources"]}
    assert {"Deployment", "Service", "Ingress"} <= kinds  # 5.
    assert "PostgreSQLInstance" in kinds  # 6.
    tree = sampled.plumb("tree", f"postgresqlinstance/{name}-db", "-n", "commerce")
    assert tree.code == 0, tree.err
    assert f"commerce_{name}_db" in tree.out  # 7. what it is where it was made
    given = given_to(sampled, name)  # 8. and 9.: the Secret is there, and pods that name it run
    assert given.keys() == {"endpoint", "port", "username", "password", "database"}
    deployment = sampled.live(f"/apis/apps/v1/namespaces/commerce/deployments/{name}")
    assert deployment["status"]["readyReplicas"] == 3
    listed = sampled.plumb("app", "get", name)
    assert re.search(r"Sync Status: +Synced", listed.out)
    assert re.search(r"Health Status: +Healthy", listed.out)
    with connected(given) as connection:
        connection.execute("CREATE TABLE returns (id integer)")
        connection.execute("INSERT INTO returns VALUES (17)")
        assert connection.execute("SELECT id FROM returns").fetchall() == [(17,)]
    assert given["password"] not in sampled.log


def test_what_somebody_deleted_is_not_brought_back_and_another_port_changes_nothing(fresh):
    fresh.start()
    head = fresh.sown()
    fresh.settled(head)
    before = fresh.web
    fresh.stop()
    fresh.web = ""
    fresh.start()
    assert fresh.web != before
    pushed = fresh.desk("first").push({"monitoring/README.md": "Dashboards\n"})
    fresh.synced("monitoring", pushed)
    assert fresh.app("monitoring")["spec"]["source"]["repoURL"].startswith(before)
    fresh.delete_app_alone("platform")
    shutil.rmtree(fresh.folder / "git" / "platform.git")
    fresh.stop()
    fresh.start()
    fresh.stop()
    fresh.start()
    assert fresh.app("platform") is None
    assert not (fresh.folder / "git" / "platform.git").exists()


def test_without_postgresql_and_terraform_what_is_missing_is_said(fresh, monkeypatch, tmp_path):
    """Only git and Kustomize are there: the database is in the simulated AWS, and Terraform's object says what it lacks."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "bash", "sh", "env"):
        (tools / name).symlink_to(shutil.which(name))
    (tools / "kustomize").symlink_to(programs() / "kustomize")
    monkeypatch.setenv("PATH", str(tools))
    fresh._programs = None
    (fresh.folder / "postgres").mkdir(parents=True)
    with (fresh.folder / "postgres" / "lock").open("w") as lock:
        # Whatever PostgreSQL this machine has: somebody else runs the one of this folder.
        fcntl.flock(lock, fcntl.LOCK_EX)
        fresh.start()
        fresh.sown()
    head = fresh.sown()
    fresh.synced("order-service", head)
    assert SIMULATED in fresh.annotations(next(iter(CLAIMS)))
    ready = fresh.until(
        lambda: [
            each
            for each in (fresh.live(FOUNDATION) or {}).get("status", {}).get("conditions", [])
            if each["type"] == "Ready" and each["status"] == "False"
        ]
    )
    assert "tofu" in ready[0]["message"] or "terraform" in ready[0]["message"]
    assert "PATH" in ready[0]["message"]


def test_one_that_is_killed_while_it_sows_goes_on_at_the_next_start(fresh):
    fresh.start()
    fresh.kill()
    fresh.start()
    fresh.settled(fresh.sown())


def test_bare_leaves_it_out(tmp_path):
    place = Installation(tmp_path / "data")
    place.start()
    try:
        assert place.live("/apis/argoproj.io/v1alpha1/namespaces/argocd/applications")["items"] == []
        assert not (place.folder / "git" / "platform.git").exists()
        assert not (place.folder / "sample.json").exists()
    finally:
        place.stop()


def test_the_files_of_the_sample_are_in_the_checkout():
    assert (ROOT / "examples" / "sample" / "repository" / "bootstrap" / "platform.yaml").is_file()
