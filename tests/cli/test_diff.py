import pytest

from plumbline.base.json import decode

LIVE = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  managedFields:
    - manager: hpa
      operation: Update
      apiVersion: apps/v1
      fieldsType: FieldsV1
      fieldsV1: {"f:spec": {"f:replicas": {}}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}
"""
WANTED = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  paused: true
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:2"}]}
"""
DRAWN = """\
Deployment.apps/shop/web
  ~ .spec.replicas: 2 → 3  (held by hpa)
  + .spec.paused: true
  ~ .spec.template.spec.containers[name="web"].image: "web:1" → "web:2"
"""


@pytest.fixture
def files(tmp_path):
    def write(wanted, live):
        (tmp_path / "wanted.yaml").write_text(wanted)
        (tmp_path / "live.yaml").write_text(live)
        return "diff", "-f", tmp_path / "wanted.yaml", "--live", tmp_path / "live.yaml"

    return write


def test_one_line_per_field_with_whoever_holds_it(run, files):
    said = run(*files(WANTED, LIVE))
    assert said.out == DRAWN
    assert (said.code, said.err) == (1, "1 of 1 objects differ.\n")


def test_no_difference_is_zero_and_says_so(run, files):
    said = run(*files(LIVE, LIVE))
    assert (said.code, said.out, said.err) == (0, "", "No differences in 1 objects.\n")


def test_fields_that_the_manifest_does_not_mention_are_no_difference(run, files):
    assert run(*files(LIVE.replace("  replicas: 2\n", ""), LIVE)).code == 0


def test_what_is_not_there_yet_is_a_difference(run, files):
    said = run(*files(WANTED, LIVE.replace("name: web\n  namespace", "name: other\n  namespace")))
    assert said.code == 1
    assert "+ does not exist yet" in said.out


def test_fields_that_we_once_applied_are_removed(run, files):
    ours = LIVE.replace("manager: hpa", "manager: argocd-controller").replace("operation: Update", "operation: Apply")
    wanted = LIVE.replace("  replicas: 2\n", "")
    assert "- .spec.replicas: 2" in run(*files(wanted, ours)).out
    assert run(*files(wanted, ours), "--field-manager", "somebody").code == 0


SECRET = """
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: shop}
%s
"""


@pytest.mark.parametrize("form", ["text", "json"])
def test_values_of_secrets_are_never_shown(run, files, form):
    live = SECRET % "data: {a: czNjcjN0LWxpdmU=, b: czNjcjN0LWdvbmU=}"
    wanted = SECRET % "stringData: {a: s3cr3t-wanted, c: s3cr3t-new}"
    said = run(*files(wanted, live), "-o", form)
    assert said.code == 1
    assert ".data.a" in said.out
    for value in ("s3cr3t", "czNjcjN0"):
        assert value not in said.out + said.err


def test_the_answer_for_programs(run, files):
    (item,) = decode(run(*files(WANTED, LIVE), "-o", "json").out)["items"]
    assert (item["kind"], item["name"], item["exists"]) == ("Deployment", "web", True)
    assert item["differences"][0] == {
        "path": ".spec.replicas",
        "change": "change",
        "managers": ["hpa"],
        "live": 2,
        "desired": 3,
    }
    assert "live" not in item["differences"][1]


def test_a_namespace_that_is_meant_need_not_be_named(run, files):
    bare = WANTED.replace(", namespace: shop", "")
    assert "does not exist" in run(*files(bare, LIVE)).out
    assert run(*files(bare, LIVE), "-n", "shop").out.startswith("Deployment.apps/web\n  ~ .spec.replicas")


PROJECT = """
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: shop, namespace: argocd}
spec: {description: %s}
"""


def test_our_own_kinds_are_known_offline(run, files):
    said = run(*files(PROJECT % "new", PROJECT % "old"))
    assert said.out == 'AppProject.argoproj.io/argocd/shop\n  ~ .spec.description: "old" → "new"\n'


def test_kinds_that_nobody_knows_are_compared_all_the_same(run, files):
    odd = "apiVersion: example.org/v1\nkind: Odd\nmetadata: {name: a}\nspec: {size: %d}\n"
    assert ".spec.size: 1 → 2" in run(*files(odd % 2, odd % 1)).out


def test_long_values_are_cut(run, files):
    said = run(*files(PROJECT % ("x" * 200), PROJECT % "old"))
    assert "…" in said.out
    assert max(map(len, said.out.splitlines())) < 200


def test_files_are_needed(run):
    assert run("diff").code == 2


def test_the_real_program_says_no_with_1(program, files):
    said = program(*files(WANTED, LIVE))
    assert (said.code, said.out) == (1, DRAWN)
