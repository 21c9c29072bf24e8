"""What Argo CD does not do, or not by itself."""

import pytest

from plumbline.delivery.steps.pins import PIN, Pin
from plumbline.kube.client import Writing

from .town import config_map, story

DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: 3
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers: [{{name: web, image: "{image}"}}]
"""
IGNORED = [{"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}]
STUCK = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {{argocd.argoproj.io/sync-wave: "-1"}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata:
      labels: {{app: web}}
      annotations: {{sim.plumbline.dev/behavior: {behavior}}}
    spec:
      containers: [{{name: web, image: "web:1"}}]
"""


@story(files={"web/web.yaml": DEPLOYMENT.format(image="web:1")})
async def test_an_autoscaler_at_seven_stays_at_seven_through_an_image_push_while_git_says_three(town):
    await town.deploy(ignoreDifferences=IGNORED)
    await town.synced()
    assert (await town.get("apps/v1/deployments", "web"))["spec"]["replicas"] == 3
    await town.patch(
        "apps/v1/deployments", "web", {"spec": {"replicas": 7}}, writing=Writing(field_manager="autoscaler")
    )
    await town.settle()
    town.repository.change(web__web_yaml=DEPLOYMENT.format(image="web:2"))
    await town.synced()
    live = await town.get("apps/v1/deployments", "web")
    assert live["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"
    assert live["spec"]["replicas"] == 7


@pytest.mark.parametrize(
    "options",
    [["Replace=true"], ["Replace=true", "RespectIgnoreDifferences=true"], ["Replace=true", "Force=true"]],
    ids=" ".join,
)
def test_so_it_does_when_the_deployment_is_replaced_instead_of_applied(options):
    def written(image):
        noted = f'{{name: web, annotations: {{argocd.argoproj.io/sync-options: "{",".join(options)}"}}}}'
        return DEPLOYMENT.format(image=image).replace("{name: web}", noted, 1)

    @story(files={"web/web.yaml": written("web:1")})
    async def stays(town):
        await town.deploy(ignoreDifferences=IGNORED, options=options)
        await town.synced()
        scaling = Writing(field_manager="autoscaler")
        await town.patch("apps/v1/deployments", "web", {"spec": {"replicas": 7}}, writing=scaling)
        await town.settle()
        town.repository.change(web__web_yaml=written("web:2"))
        await town.synced()
        live = await town.get("apps/v1/deployments", "web")
        assert live["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"
        assert live["spec"]["replicas"] == 7

    stays()


@story(files={"web/web.yaml": STUCK.format(behavior="never-ready"), "web/a.yaml": config_map("a")})
async def test_a_newer_commit_takes_the_place_of_a_sync_that_is_stuck(town):
    await town.deploy()

    async def stuck():
        state = (await town.app()).get("status", {}).get("operationState", {})
        return "waiting for healthy state of apps/Deployment/web" in state.get("message", "")

    await town.until(stuck)
    assert await town.get("v1/configmaps", "a") is None
    town.repository.change(web__web_yaml=STUCK.format(behavior="run"))
    await town.synced(within_s=600)
    assert await town.get("v1/configmaps", "a") is not None


@story(files={"web/web.yaml": STUCK.format(behavior="never-ready"), "web/a.yaml": config_map("a")})
async def test_a_newer_commit_that_asks_for_the_same_leaves_a_sync_that_waits_alone(town):
    """It would help nothing, and the same again is not begun after a failure: so nothing would be begun at all."""
    await town.deploy()
    await town.settle(30)
    first = town.repository.head
    town.repository.change(other__a_yaml=config_map("other"))
    await town.settle(60)
    state = (await town.app())["status"]["operationState"]
    assert (state["phase"], state["syncResult"]["revision"]) == ("Running", first)
    assert "waiting for healthy state of apps/Deployment/web" in state["message"]
    town.repository.change(web__web_yaml=STUCK.format(behavior="run"))
    await town.synced(within_s=600)


@story(files={"db/db.yaml": STUCK.format(behavior="never-ready"), "web/a.yaml": config_map("a")})
async def test_an_application_waits_for_those_it_depends_on(town):
    await town.deploy("web", metadata={"annotations": {"plumbline.dev/depends-on": "db"}})
    await town.settle()
    state = (await town.app())["status"]["operationState"]
    assert state["message"] == "waiting for application db, which does not exist"
    await town.deploy("db")
    await town.settle(60)
    state = (await town.app())["status"]["operationState"]
    assert state["message"] == "waiting for application db to be Healthy, it is Progressing"
    assert await town.get("v1/configmaps", "a") is None
    town.repository.change(db__db_yaml=STUCK.format(behavior="run"))
    await town.synced("web", within_s=600)
    assert await town.get("v1/configmaps", "a") is not None


@story(files={"web/a.yaml": config_map("a"), "db/b.yaml": config_map("b")})
async def test_whoever_is_depended_on_goes_last_and_says_what_it_waits_for(town):
    cascading = {"finalizers": ["resources-finalizer.argocd.argoproj.io"]}
    kept = {
        "finalizers": [*cascading["finalizers"], "example.org/somebody"],
        "annotations": {"plumbline.dev/depends-on": "db"},
    }
    await town.deploy("db", metadata=cascading)
    await town.deploy("web", metadata=kept)
    await town.synced("web", within_s=600)
    for name in ("web", "db"):
        await town.delete("argoproj.io/v1alpha1/applications", name, "argocd")
    await town.settle(30)
    (condition,) = (await town.app("db"))["status"]["conditions"]
    assert condition["type"] == "DependencyWarning"
    assert "waiting for application web, which depends on it, to be gone" in condition["message"]
    assert await town.get("v1/configmaps", "b") is not None
    await town.patch("argoproj.io/v1alpha1/applications", "web", {"metadata": {"finalizers": None}}, "argocd")

    async def gone():
        return await town.app("db") is None

    await town.until(gone)
    assert await town.get("v1/configmaps", "b") is None


@story(files={"web/a.yaml": config_map("a"), "db/b.yaml": config_map("b")})
async def test_applications_that_wait_for_each_other_say_so(town):
    await town.deploy("web", metadata={"annotations": {"plumbline.dev/depends-on": "db"}})
    await town.deploy("db", metadata={"annotations": {"plumbline.dev/depends-on": "web"}})
    await town.settle()
    (condition,) = (await town.app())["status"]["conditions"]
    assert condition["type"] == "SyncError"
    assert "in a circle: web -> db -> web" in condition["message"]


@story(files={"web/a.yaml": config_map("a", "old")})
async def test_a_rollback_holds_until_it_ends_and_shows_itself(town):
    await town.deploy()
    old = (await town.synced())["status"]["sync"]["revision"]
    town.repository.change(web__a_yaml=config_map("a", "bad"))
    await town.synced()
    pin = Pin((old,), until="2026-01-01T01:00:00Z")
    await town.patch(
        "argoproj.io/v1alpha1/applications", "web", {"metadata": {"annotations": {PIN: pin.written()}}}, "argocd"
    )
    app = await town.synced(revision=old)
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "old"}
    (condition,) = app["status"]["conditions"]
    assert condition["type"] == "RollbackPinWarning"
    assert f"Rolled back to {old[:7]} and held there until 2026-01-01T01:00:00Z" in condition["message"]
    town.repository.change(web__a_yaml=config_map("a", "worse"))
    await town.settle(60)
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "old"}
    await town.settle(3600)
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "worse"}
    (condition,) = (await town.app())["status"]["conditions"]
    assert "has ended" in condition["message"]


MANY = {f"web/{index}.yaml": config_map(f"c{index}") for index in range(30)}


@story(files=MANY)
async def test_a_mass_prune_waits_and_shows_what_would_be_lost(town):
    await town.deploy()
    await town.synced()
    town.repository.push({"web/0.yaml": config_map("c0")})
    await town.settle(30)
    state = (await town.app())["status"]["operationState"]
    assert state["phase"] == "Running"
    assert "would destroy 29 resources" in state["message"]
    assert await town.get("v1/configmaps", "c7") is not None
    token = state["message"].split("plumbline.dev/consent=")[-1].split()[0].strip('".,')
    assert len(token) == 16, state["message"]
    note = {"metadata": {"annotations": {"plumbline.dev/consent": token}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", note, "argocd")
    await town.synced(within_s=600)
    assert await town.get("v1/configmaps", "c7") is None


@story(
    files={
        "web/app.yaml": """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: child, namespace: argocd}
spec:
  project: default
  source: {repoURL: "https://git.example.org/shop.git", path: child, targetRevision: main}
  destination: {server: "https://kubernetes.default.svc", namespace: shop}
  syncPolicy: {automated: {selfHeal: true}}
""",
        "child/web.yaml": STUCK.format(behavior="never-ready"),
    }
)
async def test_the_health_of_applications_counts_in_the_application_that_delivers_them(town):
    await town.deploy()
    await town.settle(30)
    app = await town.app()
    assert app["status"]["sync"]["status"] == "Synced"
    assert app["status"]["health"]["status"] == "Progressing"
    assert "argoproj.io/Application:argocd/child" in app["status"]["health"]["message"]
    assert app["status"]["summary"]["isAppOfApps"]
    town.repository.change(child__web_yaml=STUCK.format(behavior="run"))
    await town.settle(60)
    assert (await town.app())["status"]["health"]["status"] == "Healthy"


@story(files={"web/a.yaml": config_map("a")})
async def test_a_fight_over_a_field_is_noticed_and_both_sides_are_named(town):
    await town.deploy()
    await town.synced()
    for _ in range(30):
        await town.patch(
            "v1/configmaps", "a", {"data": {"value": "mine"}}, writing=Writing(field_manager="other-controller")
        )
        await town.settle(2)
    (condition,) = (await town.app())["status"]["conditions"]
    assert condition["type"] == "SyncError"
    assert "is fought over: other-controller keeps writing" in condition["message"]


@story(files={"web/a.yaml": config_map("settings")})
async def test_a_cause_is_named_as_people_name_it(town):
    await town.deploy(automated=False)

    async def compared():
        return (await town.app()).get("status", {}).get("health", {}).get("message")

    assert await town.until(compared) == "Caused by ConfigMap:shop/settings"
