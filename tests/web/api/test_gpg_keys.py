"""Keys that sign, by the API: Argo CD's shapes, who may, what is written, and that signatures count at once."""

import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.source.signatures.signing import Repo, exported, made, run

from plumbline.base.clock import SystemClock
from plumbline.base.errors import Forbidden
from plumbline.base.json import decode
from plumbline.delivery.integrity import KEYS, Integrity
from plumbline.delivery.projects.project import Project
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read

from .yard import CONFIG_MAPS, until

PATH = "/api/v1/gpgkeys"
URL = "https://git.example.org/shop.git"


@pytest.fixture(scope="module")
def ann():
    """Its agent listens in the home, so that has to have a short name."""
    home = Path(tempfile.mkdtemp(prefix="plg-"))
    try:
        yield made(home, "ann")
    finally:
        run("gpgconf", "--homedir", str(home), "--kill", "all")
        shutil.rmtree(home, ignore_errors=True)


async def added(place, ann):
    answer = await place.ask("POST", PATH, {"keyData": exported(ann)})
    assert answer.status == 200, answer.body
    return answer.json


def told(ann, **more):
    return {
        "keyID": ann.id,
        "fingerprint": ann.fingerprint,
        "owner": "ann <ann@example.org>",
        "trust": "unknown",
        "subType": "ed25519",
        **more,
    }


async def test_a_key_is_added_told_listed_and_removed(place, ann):
    assert (await place.ask("GET", PATH)).json == {"metadata": {}, "items": []}
    whole = told(ann, keyData=exported(ann).rstrip("\n"))
    assert await added(place, ann) == {"created": {"metadata": {}, "items": [whole]}}
    assert await added(place, ann) == {"created": {"metadata": {}, "items": []}, "skipped": [ann.id]}
    assert (await place.ask("GET", PATH)).json["items"] == [told(ann)]
    for name in (ann.id, ann.fingerprint):
        assert (await place.ask("GET", f"{PATH}/{name}")).json == whole
    assert (await place.get(CONFIG_MAPS, KEYS))["data"] == {ann.id: whole["keyData"]}
    removed = await place.ask("DELETE", f"{PATH}?keyID={ann.id}")
    assert (removed.status, removed.json) == (200, {})
    assert (await place.ask("GET", f"{PATH}/{ann.id}")).status == 404
    assert (await place.ask("DELETE", f"{PATH}?keyID={ann.id}")).status == 404
    assert (await place.ask("GET", f"{PATH}/ann")).status == 400
    assert await place.written() == [("person:ada", "create", KEYS), ("person:ada", "update", KEYS)]


async def test_signatures_of_a_key_count_from_the_moment_that_it_is_added_until_it_is_removed(place, ann):
    repo = Repo()
    commit = repo.commit(by=ann)

    async def raw(url, sha, project):
        return await repo.read(sha)

    place_of_keys = place.desk.installation
    integrity = Integrity(SimpleNamespace(raw=raw), lambda: place_of_keys.config_map(KEYS), SystemClock())
    asked = {"signatureKeys": [{"keyID": ann.id}], "sourceRepos": ["*"]}
    obj = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "shop"}, "spec": asked}
    project = Project.of(read(APP_PROJECT, obj))
    located = SimpleNamespace(
        source=SimpleNamespace(repo_url=URL, name=""), commit=SimpleNamespace(commit=commit, tag=None), revision=commit
    )
    with pytest.raises(Forbidden):
        await integrity.check(project, [located])
    await added(place, ann)
    await until(lambda: place_of_keys.config_map(KEYS) is not None)
    await integrity.check(project, [located])
    await place.ask("DELETE", f"{PATH}?keyID={ann.fingerprint}")
    await until(lambda: not place_of_keys.config_map(KEYS).get("data"))
    with pytest.raises(Forbidden):
        await integrity.check(project, [located])


@pytest.mark.parametrize(("method", "action"), [("GET", "get"), ("POST", "create"), ("DELETE", "delete")])
async def test_only_who_may_does(place, ann, method, action):
    body = {"keyData": exported(ann)} if method == "POST" else None
    path = f"{PATH}?keyID={ann.id}" if method == "DELETE" else PATH
    denied = await place.ask(method, path, body, who="dev")
    assert denied.status == 403
    assert f"gpgkeys, {action}" in denied.json["message"]
    place.allow(f"p, dev, gpgkeys, {action}, *, allow\n")
    assert (await place.ask(method, path, body, who="dev")).status == (404 if method == "DELETE" else 200)


@pytest.mark.parametrize("body", [{}, {"keyData": "x"}, {"keyData": 7}, {"keyData": "x" * 1_000_001}, []])
async def test_what_is_no_key_is_refused_and_nothing_written(place, body):
    refused = await place.ask("POST", PATH, body)
    assert (refused.status, decode(refused.body)["code"]) == (400, 3)
    assert await place.written() == []
