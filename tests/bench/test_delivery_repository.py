import subprocess

import pytest

from bench.delivery.repository import OBJECTS, Repository, application, changed_file, files_of, folder_of, shape_of
from plumbline.base.documents import load_documents


def test_mixed_is_a_third_of_each():
    shapes = [shape_of("mixed", number) for number in range(9)]
    assert {shape: shapes.count(shape) for shape in shapes} == {"plain": 3, "kustomize": 3, "helm": 3}


@pytest.mark.parametrize("shape", ["plain", "kustomize", "helm"])
def test_a_revision_changes_one_file_and_it_is_the_one_that_the_webhook_names(shape):
    before, after = files_of(shape, 7, 0), files_of(shape, 7, 1)
    assert [path for path in after if before[path] != after[path]] == [changed_file(shape, 7)]


@pytest.mark.parametrize("shape", ["plain", "kustomize", "helm"])
def test_a_source_path_holds_what_its_tool_looks_for(shape):
    marks = {"plain": "all.yaml", "kustomize": "kustomization.yaml", "helm": "Chart.yaml"}
    assert f"{folder_of(shape, 7)}/{marks[shape]}" in files_of(shape, 7, 0)


def test_an_application_is_as_many_objects_as_are_waited_for():
    (text,) = files_of("plain", 7, 0).values()
    kinds = [document.value["kind"] for document in load_documents(text.encode())]
    assert len(kinds) == OBJECTS
    assert sorted(set(kinds)) == ["ConfigMap", "Deployment", "Service"]


def test_applications_sync_themselves():
    made = application("http://127.0.0.1/bench.git", "kustomize", 7, "argocd")
    assert made["metadata"] == {"name": "app-0007", "namespace": "argocd"}
    assert made["spec"]["source"]["path"] == "apps/app-0007/overlays/production"
    assert made["spec"]["syncPolicy"] == {"automated": {"prune": True, "selfHeal": True}}


def test_a_push_is_served_and_announced(tmp_path):
    with Repository(tmp_path, "mixed", 3) as repository:
        first = repository.revision
        assert _served(repository.url) == first
        repository.change(1, 4)
        assert repository.revision != first
        assert _served(repository.url) == first, "a commit is nobody's business before it is pushed"
        repository.push()
        assert _served(repository.url) == repository.revision
        said = repository.webhook(1)
        clone = tmp_path / "clone"
        subprocess.run(["git", "clone", "--quiet", repository.url, clone], check=True)
    assert (said["after"], said["repository"]["clone_url"]) == (repository.revision, repository.url)
    assert said["commits"][0]["modified"] == ["apps/app-0001/base/all.yaml"]
    assert 'rev: "4"' in (clone / "apps/app-0001/base/all.yaml").read_text()


def _served(url):
    done = subprocess.run(["git", "ls-remote", url, "main"], check=True, capture_output=True, text=True)
    return done.stdout.split()[0]
