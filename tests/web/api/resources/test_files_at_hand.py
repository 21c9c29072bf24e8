"""Files that somebody sends along: rendered as if they were in Git, for those who may, and without secrets on the way back."""

import io
import tarfile

from tests.web.api.resources.scene import config_map, secret, told

from plumbline.base.json import decode

GZIP = {"content-type": "application/gzip"}


def packed(files):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for path, text in files.items():
            header = tarfile.TarInfo(path)
            header.size = len(text.encode())
            archive.addfile(header, io.BytesIO(text.encode()))
    return made.getvalue()


CHANGED = packed({"web/a.yaml": config_map("web", "2"), "other/a.yaml": config_map("other"), "web/s.yaml": secret()})


async def sent(scene, tail, files=CHANGED, **more):
    return await scene.ask("POST", tail, files, **{**GZIP, **more})


def values(objects):
    return {(each["kind"], each["metadata"]["name"]): each.get("data") for each in map(decode, objects)}


@told(files={"web/a.yaml": config_map("web")})
async def test_they_are_compared_with_what_is_there(scene):
    said = (await sent(scene, "managed-resources", who="rita")).json
    states = {each["name"]: decode(each["targetState"]) for each in said["items"]}
    assert states["web"]["data"] == {"value": "2"}
    assert "hunter2" not in str(states["key"])
    assert [each["name"] for each in said["items"] if each["kind"] == "ConfigMap"] == ["web"]


@told(files={"web/a.yaml": config_map("web")})
async def test_a_folder_of_them_can_be_named(scene):
    said = (await sent(scene, "manifests?path=other", who="rita")).json
    assert set(values(said["manifests"])) == {("ConfigMap", "other")}
    assert (await sent(scene, "manifests?path=../other", who="rita")).status == 400
    assert (await sent(scene, "manifests?path=none", who="rita")).status == 400


@told(files={"web/a.yaml": config_map("web")})
async def test_who_may_hand_them_over_gets_them_whole(scene):
    said = (await sent(scene, "local-manifests", who="olga")).json
    assert values(said["manifests"])["ConfigMap", "web"] == {"value": "2"}
    assert "hunter2" in str(said)
    assert (await sent(scene, "local-manifests", who="rita")).status == 403
    scene.allow("p, sid, applications, override, default/*, allow\np, sid, applications, get, default/*, allow\n")
    assert (await sent(scene, "local-manifests", who="sid")).status == 403, "to override is not yet to sync"


@told(files={"web/a.yaml": config_map("web")})
async def test_what_is_no_archive_is_refused(scene):
    for files in (b"", b"no archive", CHANGED[:50]):
        assert (await sent(scene, "managed-resources", files)).status == 400
    assert (await scene.ask("POST", "manifests", CHANGED, **{"content-type": "text/plain"})).status == 415


@told(files={"web/a.yaml": config_map("web")})
async def test_where_sources_are_to_be_signed_they_are_refused(scene):
    await scene.project(signatureKeys=[{"keyID": "A" * 16}])
    for tail in ("managed-resources", "manifests", "local-manifests"):
        answered = await sent(scene, tail)
        assert answered.status == 403, tail
        assert "Cannot use local manifests when source integrity is enforced" in answered.json["message"]


@told(files={"web/a.yaml": config_map("web")})
async def test_what_comes_out_of_a_registry_is_signed_in_no_commit(scene):
    await scene.project(signatureKeys=[{"keyID": "A" * 16}])
    registry = {"repoURL": "oci://registry.test/web", "targetRevision": "1.0.0", "path": "web"}
    of_registry = {"spec": {"source": registry, "syncPolicy": None}}
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", of_registry, "argocd")
    await scene.place.settle(5)
    said = await sent(scene, "local-manifests")
    assert said.status == 200, said.json
    assert values(said.json["manifests"])["ConfigMap", "web"] == {"value": "2"}


@told(files={"web/a.yaml": config_map("web")})
async def test_values_from_outside_are_given_to_those_only_who_may_override_git(scene):
    noted = {"metadata": {"annotations": {"plumbline.dev/values-from": "[]"}}}
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", noted, "argocd")
    await scene.place.settle(1)
    assert (await sent(scene, "manifests", who="rita")).status == 403


@told(files={"web/a.yaml": config_map("web")})
async def test_what_was_synced_by_hand_is_what_is_shown_until_git_is_asked_for(scene):
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", {"spec": {"syncPolicy": None}}, "argocd")
    said = (await sent(scene, "local-manifests")).json
    await scene.place.sync(manifests=said["manifests"])
    await scene.place.settle(5)
    shown = values((await scene.json("manifests"))["manifests"])
    assert shown["ConfigMap", "web"] == {"value": "2"}
    assert values((await scene.json("manifests?fromGit=true"))["manifests"])["ConfigMap", "web"] == {"value": "1"}
    assert (await scene.json("diff"))["items"] == []
    assert (await scene.json("managed-resources?fromGit=true"))["items"][0]["modified"]
    assert (await scene.json("plan"))["counts"].get("update") == 1, "a sync goes back to Git"
