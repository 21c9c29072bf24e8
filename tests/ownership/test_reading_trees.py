import pytest

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.ownership.declared import edges
from plumbline.ownership.declared.edges import checkout_of, read_tree


@pytest.fixture
def repo(tmp_path):
    def write(*paths):
        for path in paths:
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(path)
        return tmp_path

    write(".git/config", "infra/main.tf")
    return write


def names(tree):
    return [file.path for file in tree.files]


def test_files_that_can_say_something_are_read_in_order(repo):
    root = repo(
        "a.yaml", "b/c.yml", "README.md", "b/values.yaml", "b/Chart.yaml", "k/kustomization.yaml", "x/plan.json",
        "infra/.terraform/modules/m/main.tf", "node_modules/x/a.yaml", ".plumbline/boundaries.yaml", "s/terraform.tfstate",
    )  # fmt: skip
    tree = read_tree([root], root)
    assert names(tree) == [
        ".plumbline/boundaries.yaml",
        "a.yaml",
        "b/Chart.yaml",
        "b/c.yml",
        "infra/main.tf",
        "k/kustomization.yaml",
        "s/terraform.tfstate",
        "x/plan.json",
    ]
    assert tree.files[1].content == b"a.yaml"


def test_paths_are_those_of_the_checkout_wherever_one_stands(repo, monkeypatch):
    root = repo("deep/er/a.yaml")
    monkeypatch.chdir(root / "deep")
    tree = read_tree([root / "deep" / ".." / "deep" / "er"], root / "deep")
    assert (tree.root, names(tree)) == (root, ["deep/er/a.yaml"])


def test_several_paths_are_one_tree(repo):
    root = repo("a/a.yaml", "b/b.yaml", "c/c.yaml")
    assert names(read_tree([root / "b", root / "a" / "a.yaml", root / "b"], root)) == ["a/a.yaml", "b/b.yaml"]


def test_a_file_that_is_named_is_read_whatever_it_is_called(repo):
    root = repo("odd.txt")
    assert names(read_tree([root / "odd.txt"], root)) == ["odd.txt"]


def test_without_a_checkout_the_folder_one_stands_in_is_the_root(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.yaml").write_text("x")
    assert checkout_of(tmp_path / "a", tmp_path) == tmp_path
    assert checkout_of(tmp_path / "a", tmp_path / "elsewhere") == tmp_path / "a"
    assert checkout_of(tmp_path / "a" / "a.yaml", tmp_path / "elsewhere") == tmp_path / "a"


def test_links_are_not_followed(repo):
    root = repo("a/a.yaml")
    (root / "b").mkdir()
    (root / "b" / "folder").symlink_to(root / "a")
    (root / "b" / "file.yaml").symlink_to(root / "a" / "a.yaml")
    tree = read_tree([root / "b"], root)
    assert names(tree) == []
    assert [(each.path, each.why) for each in tree.unread] == [
        ("b/file.yaml", "it is a symbolic link, and those are not followed")
    ]


def test_paths_outside_and_paths_that_are_not_there_are_refused(repo, tmp_path_factory):
    root = repo("a.yaml")
    other = tmp_path_factory.mktemp("other") / "b.yaml"
    other.write_text("x")
    with pytest.raises(InvalidInput, match="is not in"):
        read_tree([root, other], root)
    with pytest.raises(InvalidInput, match="is not there"):
        read_tree([root / "none"], root)


def test_more_than_anybody_has_is_refused(repo, monkeypatch):
    root = repo("a.yaml", "b.yaml", "c.yaml")
    monkeypatch.setattr(edges, "_MOST_BYTES", 10)
    with pytest.raises(LimitExceeded, match="The files"):
        read_tree([root], root)
    monkeypatch.setattr(edges, "_MOST_ENTRIES", 2)
    with pytest.raises(LimitExceeded):
        read_tree([root], root)


def test_what_cannot_be_opened_is_named(repo, monkeypatch):
    root = repo("a.yaml")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(edges.Path, "open", refuse)
    with pytest.raises(InvalidInput, match=r"a\.yaml cannot be read"):
        read_tree([root / "a.yaml"], root)
    monkeypatch.setattr(edges.os, "scandir", refuse)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_tree([root], root)
