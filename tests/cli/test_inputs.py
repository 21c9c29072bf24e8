import pytest

from plumbline.base.errors import BadDocument, InvalidInput, LimitExceeded
from plumbline.base.limits import MANIFESTS
from plumbline.cli.inputs import objects_in

CONFIGMAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"


def names(paths):
    return [given.obj["metadata"]["name"] for given in objects_in(paths)]


def test_documents_lists_and_folders_are_taken_apart(tmp_path):
    (tmp_path / "b.yaml").write_text(CONFIGMAP % "one" + "---\n" + CONFIGMAP % "two")
    (tmp_path / "a.json").write_text(
        '{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "A", "metadata": {"name": "x"}}]}'
    )
    (tmp_path / "notes.txt").write_text("not read")
    assert names([tmp_path]) == ["x", "one", "two"]
    assert names([tmp_path / "b.yaml", tmp_path / "a.json"]) == ["one", "two", "x"]


def test_a_place_is_remembered(tmp_path):
    path = tmp_path / "b.yaml"
    path.write_text(CONFIGMAP % "one" + "---\n" + CONFIGMAP % "two")
    assert [(given.source, given.line) for given in objects_in([path])] == [(str(path), 1), (str(path), 5)]


REFUSED = [
    ("- 1\n", BadDocument, "not an object"),
    ("just text\n", BadDocument, "not an object"),
    ("kind: A\nmetadata: {name: a}\n", InvalidInput, "apiVersion or kind is missing"),
    ("apiVersion: v1\nmetadata: {name: a}\n", InvalidInput, "apiVersion or kind is missing"),
    ("apiVersion: v1\nkind: A\n", InvalidInput, "no metadata.name"),
    ("apiVersion: v1\nkind: A\nmetadata: text\n", InvalidInput, "no metadata.name"),
    ("apiVersion: v1\nkind: A\nmetadata: {name: yes}\n", InvalidInput, "something else than a text"),
    ("apiVersion: v1\nkind: AList\nitems: [1]\n", InvalidInput, "not an object"),
    ("a: [\n", BadDocument, ""),
]


@pytest.mark.parametrize(("text", "error", "why"), REFUSED)
def test_what_is_no_manifest_is_refused_with_its_place(tmp_path, text, error, why):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(error) as refused:
        objects_in([path])
    assert str(path) in refused.value.what
    assert why in refused.value.why


def test_a_folder_without_manifests_is_a_mistake(tmp_path):
    with pytest.raises(InvalidInput, match="no YAML or JSON files"):
        objects_in([tmp_path])


def test_a_file_that_cannot_be_read_says_why(tmp_path):
    with pytest.raises(InvalidInput, match="No such file"):
        objects_in([tmp_path / "gone.yaml"])


def test_an_endless_file_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "zeros.yaml"
    with path.open("wb") as file:
        file.truncate(MANIFESTS.size_bytes + 2)
    with pytest.raises(LimitExceeded):
        objects_in([path])
