"""plumb app: edit, sources, objects of an application, and deletions that wait to be confirmed."""

import pytest
from tests.cli.installed import REPO, SERVER, config_map

from plumbline.base.json import decode


@pytest.fixture
def held(shop, installed):
    installed.push(
        {"held/a.yaml": config_map("held-a"), "held/b.yaml": config_map("held-b"), "more/c.yaml": config_map("held-c")}
    )
    shop.create("held", "--upsert")
    shop.done("app", "sync", "held", "--timeout", "60")
    yield "held"
    shop.done("app", "delete", "held", "--yes", "--wait")


def test_objects_are_shown_changed_and_deleted(shop, held):
    one = ("--kind", "ConfigMap", "--resource-name", "held-a")
    assert ["data.value", "1"] in [line.split() for line in shop.done("app", "get-resource", held, *one).splitlines()]
    narrowed = decode(shop.done("app", "get-resource", held, *one, "--filter-fields", "data.value", "-o", "json"))
    assert narrowed == {"metadata": {"name": "held-a"}, "data": {"value": "1"}}
    assert shop.done("app", "get-resource", held, "--kind", "ConfigMap", "-o", "yaml").count("---") == 1
    assert "RESOURCE NAME" in shop.done("app", "get-resource", held, "--kind", "ConfigMap")
    patch = ("--patch", '{"data": {"value": "2"}}')
    assert "patched" in shop.done("app", "patch-resource", held, *one, *patch)
    assert shop("app", "patch-resource", held, "--kind", "ConfigMap", *patch).code == 2, "two match"
    assert shop.done("app", "patch-resource", held, "--kind", "ConfigMap", *patch, "--all").count("patched") == 2
    assert shop("app", "patch-resource", held, *one, "--patch", "{").code == 2
    assert shop("app", "get-resource", held, "--kind", "Secret").code == 5
    assert "deleted" in shop.done("app", "delete-resource", held, *one, "--force", "--orphan", "-y")
    shop.until(lambda: shop("app", "get-resource", held, *one).code == 5)


def test_a_deletion_is_confirmed(shop, held):
    assert "updated successfully" in shop.done("app", "confirm-deletion", held)
    assert "argocd.argoproj.io/deletion-approved" in shop.app(held)["metadata"]["annotations"]
    assert "Did you mean held?" in shop("app", "confirm-deletion", "hled").err


def test_sources_are_added_and_taken_away(shop, held, monkeypatch, tmp_path):
    assert shop("app", "add-source", held, "--repo", REPO, "--path", "more").code == 2, "it has spec.source"
    editor = tmp_path / "editor"
    editor.write_text(
        f"#!/bin/sh\nprintf 'project: default\\ndestination: {{server: {SERVER}, namespace: default}}\\n"
        f"sources: [{{repoURL: {REPO}, path: held, targetRevision: main}}]\\n' > $1\ntouch $1 -d '+5 seconds'\n"
    )
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    assert shop("app", "edit", held).code == 0
    assert "Nothing was changed" in shop("app", "edit", held).err
    shop.done(
        "app", "add-source", held, "--repo", REPO, "--path", "more", "--revision", "main", "--source-name", "more"
    )
    assert [each["path"] for each in shop.app(held)["spec"]["sources"]] == ["held", "more"]
    assert shop("app", "add-source", held).code == 2
    assert shop("app", "remove-source", held).code == 2
    assert shop("app", "remove-source", held, "--source-name", "none").code == 2
    shop.done("app", "remove-source", held, "--source-name", "more", "-y")
    assert shop("app", "remove-source", held, "--source-position", "1").code == 2, "the last one stays"
    assert [each["path"] for each in shop.app(held)["spec"]["sources"]] == ["held"]
