"""One object: shown to who may see it, changed by who may change it, and never somebody else's."""

from urllib.parse import quote, urlencode

import msgspec
import pytest
from tests.web.api.resources.scene import config_map, deployment, secret, told

from plumbline.base.errors import Unreachable
from plumbline.base.json import decode, encode
from plumbline.gate.writes import Deleting
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client
from plumbline.web.api.resources.belonging import listed

FILES = {"web/a.yaml": deployment(), "web/b.yaml": secret(), "web/c.yaml": config_map("web")}
MERGE = "application/merge-patch+json"


def named(kind, name, group="", namespace="shop", version="v1", **more):
    parts = {"group": group, "kind": kind, "namespace": namespace, "resourceName": name, "version": version, **more}
    return "?" + urlencode(parts)


@told(files=FILES)
async def test_an_object_is_shown_whole(scene):
    shown = decode((await scene.json("resource" + named("Deployment", "web", "apps"), who="rita"))["manifest"])
    assert shown["spec"]["replicas"] == 1
    assert shown["metadata"]["namespace"] == "shop"


@told(files=FILES)
async def test_what_an_object_owns_is_shown_too(scene):
    (pod,) = await scene.pods()
    shown = await scene.json("resource" + named("Pod", pod["name"]), who="rita")
    assert decode(shown["manifest"])["metadata"]["uid"] == pod["uid"]


@told(files=FILES)
async def test_an_owner_that_cannot_be_asked_just_now_is_no_reason_to_refuse(scene):
    (pod,) = await scene.pods()
    get = Client.get

    async def failing(client, target, **more):
        if target.resource.resource == "replicasets":
            raise Unreachable("the cluster is away")
        return await get(client, target, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "get", failing)
        assert (await scene.ask("GET", "resource" + named("Pod", pod["name"]))).status == 503
    assert (await scene.ask("GET", "resource" + named("Pod", pod["name"]))).status == 200


@told(files=FILES)
async def test_a_secret_is_shown_without_its_values_and_without_what_tells_them(scene):
    hash_ = "reconcile.external-secrets.io/data-hash"
    applied = encode(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}, "data": {"password": "aHVudGVyMg=="}}
    )
    annotations = {hash_: "d404559f602eab6f", "kubectl.kubernetes.io/last-applied-configuration": applied.decode()}
    await scene.place.patch("v1/secrets", "key", {"metadata": {"annotations": annotations}})
    answered = await scene.ask("GET", "resource" + named("Secret", "key"))
    for hidden in (b"hunter2", b"aHVudGVyMg", b"d404559f602eab6f"):
        assert hidden not in answered.body
    shown = decode(answered.json["manifest"])
    assert shown["data"] == {"password": "++++++++"}


@told(files=FILES)
async def test_links_beside_an_object_know_it_and_its_application_and_tell_no_secrets(scene):
    links = """
- url: https://logs/{{.app.metadata.name}}/{{.resource.metadata.name}}?c={{.cluster.name}}
  title: Logs
  if: resource.kind == "Deployment"
- url: https://leak/{{.resource.data.password}}
  title: Leak
  if: resource.kind == "Secret"
"""
    body = {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"name": "argocd-cm"},
        "data": {"resource.links": links},
    }
    await scene.place.create("v1/configmaps", body, "argocd")
    await scene.place.settle(1)
    told = await scene.json("resource/links" + named("Deployment", "web", "apps"), who="rita")
    assert told == {"items": [{"title": "Logs", "url": "https://logs/web/web?c=in-cluster"}]}
    (leak,) = (await scene.json("resource/links" + named("Secret", "key"), who="rita"))["items"]
    assert leak["url"] == "https://leak/++++++++"
    assert (await scene.ask("GET", "resource/links" + named("ConfigMap", "other"))).status == 403


REFUSED = [
    ("Secret", "elsewhere", "", "shop", "it is in the namespace, and nobody's"),
    ("Secret", "nothing", "", "shop", "it is not there at all"),
    ("ConfigMap", "argocd-cm", "", "argocd", "it is the installation's"),
    ("Namespace", "shop", "", "", "it is not delivered"),
    ("Deployment", "web", "apps", "", "its kind lives in namespaces"),
    ("Nonsense", "web", "example.org", "shop", "nobody knows the kind"),
    ("ConfigMap", "other", "", "shop", "another application has marked it"),
]


@told(files={**FILES, "other/a.yaml": config_map("other")})
async def test_what_is_not_the_applications_is_refused_alike(scene):
    """Row 20: get, patch, delete, actions, diff."""
    await scene.place.deploy("other")
    await scene.place.synced("other")
    await scene.place.create(
        "v1/secrets", {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "elsewhere"}}, "shop"
    )
    for kind, name, group, namespace, why in REFUSED:
        where = named(kind, name, group, namespace)
        answers = [
            await scene.ask("GET", "resource" + where),
            await scene.ask("DELETE", "resource" + where),
            await scene.ask("POST", "resource" + where + "&patchType=" + quote(MERGE), "{}"),
            await scene.ask("GET", "resource/actions" + where),
            await scene.ask("POST", "resource/actions" + where, "restart"),
        ]
        assert [each.status for each in answers] == [403] * 5, why
        (told_,) = {each.json["message"] for each in answers}
        assert told_.startswith(f"{kind} {group} {name} not found as part of application web"), why
    assert await scene.place.get("v1/secrets", "elsewhere")


@told(files={**FILES, "other/a.yaml": config_map("other")})
async def test_a_forged_status_opens_nothing(scene):
    """Who can write an Application may write any line into its status."""
    await scene.place.deploy("other")
    await scene.place.synced("other")
    row = {"version": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "other", "status": "Synced"}
    app = await scene.place.app()
    app["status"]["resources"].append(row)
    assert any(each.name == "other" for each in listed(app))

    class Forged:
        async def present(self, named):
            return app

    reception = scene.api._objects._reception
    reception._finder.present = Forged().present
    assert (await scene.ask("GET", "resource" + named("ConfigMap", "other"))).status == 403
    assert (await scene.ask("DELETE", "resource" + named("ConfigMap", "other"))).status == 403
    assert (await scene.ask("GET", "resource" + named("ConfigMap", "web"))).status == 200


@told(files=FILES)
async def test_what_git_names_and_nobody_marked_is_seen_and_not_changed(scene):
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", {"spec": {"syncPolicy": None}}, "argocd")
    unmarked = {"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": None}}}
    await scene.place.patch("v1/configmaps", "web", unmarked)
    assert (await scene.ask("GET", "resource" + named("ConfigMap", "web"))).status == 200
    assert (await scene.ask("DELETE", "resource" + named("ConfigMap", "web"))).status == 403


@told(files=FILES)
async def test_rights_are_for_one_object_and_not_implied_by_those_for_the_application(scene):
    (pod,) = await scene.pods()
    gone = "resource" + named("Pod", pod["name"])
    assert (await scene.ask("DELETE", gone, who="rita")).status == 403
    assert (await scene.ask("DELETE", "resource" + named("ConfigMap", "web"), who="walt")).status == 403
    assert (await scene.ask("DELETE", gone, who="walt")).status == 200
    await scene.place.settle(60)
    assert pod["uid"] not in {each["uid"] for each in await scene.pods()}
    scene.allow("p, old, applications, delete, default/*, allow\np, old, applications, get, default/*, allow\n")
    assert (await scene.ask("DELETE", "resource" + named("ConfigMap", "web"), who="old")).status == 403
    settings = {"server.rbac.disableApplicationFineGrainedRBACInheritance": "false"}
    await scene.place.create("v1/configmaps", {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "argocd-cm"}, "data": settings}, "argocd")  # fmt: skip
    await scene.place.settle(1)
    assert (await scene.ask("DELETE", "resource" + named("ConfigMap", "web"), who="old")).status == 200


@told(files=FILES)
async def test_a_change_is_on_record_with_who_made_it(scene):
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", {"spec": {"syncPolicy": None}}, "argocd")
    where = "resource" + named("ConfigMap", "web") + "&patchType=" + quote(MERGE)
    answered = await scene.ask("POST", where, '{"data": {"value": "2"}}', who="walt")
    assert decode(answered.json["manifest"])["data"] == {"value": "2"}
    assert (await scene.place.get("v1/configmaps", "web"))["data"] == {"value": "2"}
    page = await scene.place.journal.page(limit=50)
    by_people = [each for each in page.entries if each.actor.kind == "person"]
    assert {(each.actor.name, each.verb, each.subject.name) for each in by_people} == {("walt", "patch", "web")}


BAD_PATCHES = [
    ("{}", "text/plain", "the type is unknown"),
    ({"data": {}}, MERGE, "the body is no text"),
    ("{}", "", "there is no type"),
]


@told(files=FILES)
async def test_a_patch_that_cannot_be_read_is_refused(scene):
    for body, kind, why in BAD_PATCHES:
        where = "resource" + named("ConfigMap", "web") + "&patchType=" + quote(kind)
        assert (await scene.ask("POST", where, body)).status == 400, why
    long = "x" * ((1 << 20) + 1)
    assert (
        await scene.ask("POST", "resource" + named("ConfigMap", "web") + "&patchType=" + quote(MERGE), long)
    ).status == 400
    assert (await scene.ask("GET", "resource?kind=ConfigMap")).status == 400


@told(files=FILES)
async def test_what_the_server_says_about_a_secret_is_said_to_nobody(scene):
    """Row 21: errors echo values."""
    where = "resource" + named("Secret", "key") + "&patchType=" + quote(MERGE)
    answered = await scene.ask("POST", where, '{"data": {"password": "tell-me-not"}}')
    assert answered.status == 400
    assert b"tell-me-not" not in answered.body
    page = await scene.place.journal.page(limit=50)
    assert not any("tell-me-not" in each.summary for each in page.entries)
    answered = await scene.ask("POST", where, '{"data": {"password": "bmV3"}}')
    assert answered.status == 200
    assert b"bmV3" not in answered.body


@pytest.mark.parametrize(
    ("flags", "expected"), [("", "Foreground"), ("&force=true", "Background"), ("&orphan=true", "Orphan")]
)
def test_a_deletion_goes_as_far_as_it_is_asked_to(flags, expected):
    seen = []

    @told(files=FILES)
    async def main(scene):
        perform = Deleting.perform

        async def remembered(self):
            seen.append((self.propagation, self.grace_period_s, bool(self.uid)))
            return await perform(self)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Deleting, "perform", remembered)
            answered = await scene.ask("DELETE", "resource" + named("Deployment", "web", "apps") + flags)
        assert (answered.status, answered.json) == (200, {})

    main()
    assert seen == [(expected, 0 if flags == "&force=true" else None, True)]


@told(files=FILES)
async def test_where_the_installation_only_observes_nothing_is_changed(scene):
    gate = scene.place.delivery.parts.gate
    gate._powers = msgspec.structs.replace(gate._powers, mandate=lambda: MandateSpec(mode="Observe"))
    answered = await scene.ask("DELETE", "resource" + named("ConfigMap", "web"))
    assert answered.status == 400
    assert await scene.place.get("v1/configmaps", "web")
