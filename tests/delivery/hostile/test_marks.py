"""Marks that lie, and links that bite."""

from tests.delivery.town import config_map, story

from plumbline.base.json import encode

TRACKED = "argocd.argoproj.io/tracking-id"
FILES = {"web/a.yaml": config_map("a"), "db/victim.yaml": config_map("victim"), "db/b.yaml": config_map("b")}
CASCADE = {"finalizers": ["resources-finalizer.argocd.argoproj.io"]}


def marked(name, mark):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "annotations": {TRACKED: mark}}}


@story(files=FILES)
async def test_row_26_a_mark_that_names_another_object_is_no_mark(town):
    """As every copy of a delivered object carries one."""
    await town.create("v1/configmaps", marked("copy", "web:/ConfigMap:shop/a"), "shop")
    await town.deploy(metadata=CASCADE)
    app = await town.synced()
    assert [each["name"] for each in app["status"]["resources"]] == ["a"]
    await town.delete("argoproj.io/v1alpha1/applications", "web", "argocd")
    await town.settle(60)
    assert await town.app() is None
    assert await town.get("v1/configmaps", "copy") is not None


@story(files=FILES)
async def test_row_26_an_object_that_another_application_delivers_is_not_pruned_for_a_forged_mark(town):
    await town.deploy("db", automated=False)
    await town.settle()
    await town.sync("db")
    await town.synced("db")
    uid = (await town.get("v1/configmaps", "victim"))["metadata"]["uid"]
    await town.deploy("web")
    await town.synced("web")
    forged = {"metadata": {"annotations": {TRACKED: "web:/ConfigMap:shop/victim"}}}
    await town.patch("v1/configmaps", "victim", forged)
    await town.settle(120)
    assert (await town.get("v1/configmaps", "victim"))["metadata"]["uid"] == uid
    told = encode([(await town.app(name))["status"] for name in ("web", "db")])
    assert b"victim" in told


@story(files=FILES)
async def test_row_25_a_cascade_takes_what_is_tracked_and_nothing_else(town):
    await town.create("v1/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}}, "shop")
    await town.deploy("db", automated={"prune": True})
    await town.synced("db")
    await town.deploy("web", metadata=CASCADE)
    await town.synced("web")
    change = {"spec": {"destination": {"namespace": "kube-system"}, "source": {"path": "db"}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", {**change, "metadata": {"annotations": {"argocd.argoproj.io/skip-reconcile": "true"}}}, "argocd")  # fmt: skip
    await town.delete("argoproj.io/v1alpha1/applications", "web", "argocd")
    await town.patch("argoproj.io/v1alpha1/applications", "web", {"metadata": {"annotations": {"argocd.argoproj.io/skip-reconcile": None}}}, "argocd")  # fmt: skip
    await town.settle(120)
    assert await town.app("web") is None
    assert await town.get("v1/configmaps", "a") is None
    for name in ("mine", "victim", "b"):
        assert await town.get("v1/configmaps", name) is not None, name
    assert {name for verb, name in await town.effects() if verb == "delete"} == {"a"}


LINK = "link.argocd.argoproj.io/external-link"
INGRESS = f"""apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: site
  annotations:
    {LINK}: "javascript:alert(1)"
    a.{LINK}: "Click|javascript:alert(2)"
    b.{LINK}: " data:text/html,x"
    c.{LINK}: "vbscript:x"
spec:
  rules:
    - host: "javascript:alert(3)//"
      http: {{paths: [{{path: /, pathType: Prefix, backend: {{service: {{name: web, port: {{number: 80}}}}}}}}]}}
"""
SERVICE = f"""apiVersion: v1
kind: Service
metadata:
  name: web
  annotations: {{{LINK}: "JaVaScRiPt:alert(4)"}}
spec:
  ports: [{{port: 80}}]
"""


@story(files={"web/ingress.yaml": INGRESS.replace('"javascript:alert(3)//"', "shop.example.org"), "web/service.yaml": SERVICE})  # fmt: skip
async def test_row_19_no_link_that_a_browser_would_run_reaches_the_status(town):
    await town.deploy(info=[{"name": "docs", "value": "javascript:alert(5)"}])
    app = await town.synced(within_s=60)
    assert b"script:" not in encode(app["status"]).lower()
    assert b"data:text" not in encode(app["status"]).lower()
