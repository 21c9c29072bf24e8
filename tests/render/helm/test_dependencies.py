import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import MemoryTree
from plumbline.render.helm.dependencies import Dependency, local, missing

HEAD = b"apiVersion: v2\nname: c\nversion: '1'\n"


def chart(dependencies, **files):
    listed = "".join(f"- {each}\n" for each in dependencies)
    return MemoryTree({"c/Chart.yaml": HEAD + (f"dependencies:\n{listed}".encode() if listed else b""), **files})


A = "{name: a, version: ^1, repository: 'https://charts.example.com'}"


def test_a_chart_without_dependencies_misses_nothing():
    assert missing(chart([]), "c") == ()


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"c/charts/a/Chart.yaml": b"name: a"}, "unpacked"),
        ({"c/charts/other/Chart.yaml": b"name: a"}, "unpacked under another name"),
        ({"c/charts/a-1.2.3.tgz": b""}, "packed"),
        ({"c/charts/a-v1.2.3-rc.1.tgz": b""}, "packed with another version"),
    ],
)
def test_what_is_in_charts_is_not_missing(files, why):
    assert missing(chart([A], **files), "c") == (), why


@pytest.mark.parametrize(
    "files",
    [
        {}, {"c/charts/b/Chart.yaml": b"name: b"}, {"c/charts/a-b-1.0.tgz": b""}, {"c/charts/_a/Chart.yaml": b"name: a"},
        {"c/charts/a/Chart.yaml": b"["}, {"c/charts/a/readme": b""}, {"c/charts/a.txt": b""},
    ],
)  # fmt: skip
def test_what_is_not_there_is_missing(files):
    assert missing(chart([A], **files), "c") == (Dependency("a", "^1", "https://charts.example.com"),)


def test_the_lock_fixes_the_version():
    lock = b"dependencies:\n- {name: a, version: 1.4.2, repository: 'https://charts.example.com'}\n- {name: b, version: 9}\n"
    found = missing(chart([A, "{name: b, version: 2, repository: 'oci://x'}"], **{"c/Chart.lock": lock}), "c")
    assert [each.version for each in found] == ["1.4.2", "2"]


def test_one_chart_under_two_aliases_is_missing_once():
    assert len(missing(chart([A, A.replace("}", ", alias: x}")]), "c")) == 1


def test_one_chart_in_two_versions_is_missing_twice_and_each_is_fixed_by_the_lock():
    newer = A.replace("^1", "^2").replace("}", ", alias: x}")
    lock = "dependencies:\n- {name: a, version: 1.4.2, repository: 'https://charts.example.com'}\n- {name: a, version: 2.0.1, repository: 'https://charts.example.com'}\n"
    for locked, versions in (("", ["^1", "^2"]), (lock, ["1.4.2", "2.0.1"])):
        found = missing(chart([A, newer], **{"c/Chart.lock": locked.encode()}), "c")
        assert [(each.name, each.version) for each in found] == [("a", versions[0]), ("a", versions[1])]


def test_charts_of_the_old_kind_have_a_file_of_their_own():
    tree = MemoryTree({
        "c/Chart.yaml": b"apiVersion: v1\nname: c\n", "c/requirements.yaml": b"dependencies: [{name: a, version: 1}]",
        "c/requirements.lock": b"dependencies: [{name: a, version: 1.1.1}]",
    })  # fmt: skip
    assert missing(tree, "c") == (Dependency("a", "1.1.1", ""),)


@pytest.mark.parametrize("name", ["../x", "", "a/b", ".hidden"])
def test_a_name_that_is_a_path_is_refused(name):
    with pytest.raises(InvalidInput, match="a dependency has no name"):
        missing(chart([f"{{name: '{name}', version: 1}}"]), "c")


def test_what_is_no_chart_at_all_is_for_helm_to_say():
    assert missing(MemoryTree({"c/Chart.yaml": b"["}), "c") == ()
    assert missing(MemoryTree({"c/x": b""}), "c") == ()


def test_charts_beside_it_are_in_the_same_tree():
    assert local(Dependency("a", "", "file://../lib"), "charts/c") == "charts/lib"
    assert local(Dependency("a", "", "https://x"), "c") is None
    for path in ("file:///etc", "file://../../x"):
        with pytest.raises(InvalidInput, match="leads out of the source"):
            local(Dependency("a", "", path), "c")
