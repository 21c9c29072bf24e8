import pytest

from plumbline.base.json import decode

DEGRADED = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, generation: 1}
spec: {replicas: 1, selector: {matchLabels: {app: web}}}
status:
  observedGeneration: 1
  conditions: [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded}]
"""
HEALTHY = """
apiVersion: v1
kind: Service
metadata: {name: front}
spec: {type: ClusterIP}
"""
NOTHING = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
"""
DRAWN = [
    "KIND         NAMESPACE   NAME       HEALTH       MESSAGE",
    'Deployment   shop        web        ✗ Degraded   Deployment "web" exceeded its progress deadline',
    "Service                  front      ✔ Healthy",
    "ConfigMap                settings   -            this kind has no health",
]


def test_many_objects_from_a_file_as_a_table(run, tmp_path):
    (tmp_path / "all.yaml").write_text(f"{DEGRADED}---{HEALTHY}---{NOTHING}")
    said = run("health", "-f", tmp_path / "all.yaml")
    assert said.out.splitlines() == DRAWN
    assert (said.code, said.err) == (1, "")


def test_nothing_degraded_is_zero(run, tmp_path):
    (tmp_path / "fine.yaml").write_text(HEALTHY + "---" + NOTHING)
    assert run("health", "-f", tmp_path / "fine.yaml").code == 0


def test_the_answer_for_programs(run):
    said = run("health", "-f", "-", "-o", "json", stdin=DEGRADED + "---" + NOTHING)
    assert said.code == 1
    web, settings = decode(said.out)["items"]
    assert web == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "namespace": "shop",
        "name": "web",
        "health": {
            "status": "Degraded",
            "message": 'Deployment "web" exceeded its progress deadline',
            "basis": "rule",
        },
    }
    assert settings["health"] is None


def test_neither_names_nor_files_is_usage(run):
    said = run("health")
    assert (said.code, said.out) == (2, "")
    assert "plumb health --help" in said.err


@pytest.mark.parametrize("name", ["web", "deployment/", "/web"])
def test_a_name_without_kind_is_refused_before_anything_is_asked(run, name, tmp_path):
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(KUBECONFIG % "http://127.0.0.1:9")
    said = run("health", name, "--kubeconfig", kubeconfig)
    assert said.code == 2
    assert "KIND/NAME" in said.err


def test_without_a_kubeconfig_a_cluster_cannot_be_asked(run):
    said = run("health", "deployment/web")
    assert (said.code, said.out) == (2, "")
    assert "error[bad-kubeconfig]" in said.err


def test_a_file_that_is_not_there_is_usage(run):
    assert run("health", "-f", "gone.yaml").code == 2


def test_the_real_program_answers_on_stdout_alone(program):
    said = program("health", "-f", "-", stdin=DEGRADED)
    assert (said.code, said.err) == (1, "")
    assert "✗ Degraded" in said.out


def test_a_message_from_an_object_cannot_steer_the_terminal(run):
    hostile = DEGRADED.replace("name: web", 'name: "web\\e[2J"')
    assert "\x1b" not in run("health", "-f", "-", stdin=hostile).out


KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a}}]
clusters: [{name: a, cluster: {server: "%s"}}]
"""
