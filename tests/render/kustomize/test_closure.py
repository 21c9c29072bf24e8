import pytest

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree import MemoryTree
from plumbline.render.kustomize import closure as module
from plumbline.render.kustomize.closure import closure

FILES = {
    "base/kustomization.yaml": b"resources: [a.yaml]",
    "base/a.yaml": b"a",
    "base/unused.yaml": b"u",
    "overlay/kustomization.yaml": b"resources: [../base]\ncomponents: [../part]\nconfigMapGenerator: [{files: [k=c.txt]}]",
    "overlay/c.txt": b"c",
    "part/kustomization.yml": b"kind: Component\npatches: [{path: p.yaml}]",
    "part/p.yaml": b"p",
    "other/kustomization.yaml": b"resources: [x.yaml]",
}


def seen(files, root, links=None, extra=()):
    return closure(MemoryTree(files, links), root, extra)


def test_it_holds_what_is_named_however_far_away():
    found = seen(FILES, "overlay")
    assert {place for place, entry in found.entries.items() if entry} == {
        "overlay/kustomization.yaml", "overlay/c.txt", "base/kustomization.yaml", "base/a.yaml",
        "part/kustomization.yml", "part/p.yaml",
    }  # fmt: skip
    assert not found.whole
    assert not found.charts


@pytest.mark.parametrize(
    ("path", "matters"),
    [
        ("base/a.yaml", True),
        ("part/p.yaml", True),
        ("overlay/c.txt", True),
        ("base/unused.yaml", False),
        ("other/kustomization.yaml", False),
        ("overlay/new.yaml", False),
        ("overlay/kustomization.yml", True),
        ("base/Kustomization", True),
    ],
)
def test_the_digest_changes_with_what_it_holds_and_with_what_appears_beside(path, matters):
    assert (seen(FILES | {path: b"changed"}, "overlay").digest != seen(FILES, "overlay").digest) is matters


def test_a_file_that_is_named_and_missing_counts_once_it_is_there():
    files = {"kustomization.yaml": b"resources: [later.yaml]"}
    assert seen(files, "").digest != seen(files | {"later.yaml": b"x"}, "").digest
    assert seen(files, "").entries["later.yaml"] is None


def test_what_the_application_adds_counts():
    found = seen(FILES, "base", extra=(("component", "../part"), ("file", "unused.yaml")))
    assert {"part/p.yaml", "base/unused.yaml"} <= found.entries.keys()


@pytest.mark.parametrize("text", [b"unheard: of", b"a: [", b"resources: text"])
def test_what_is_not_understood_makes_the_whole_tree_count(text):
    files = {"app/kustomization.yaml": text, "elsewhere.txt": b"1"}
    found = seen(files, "app")
    assert found.whole
    assert found.charts
    assert found.digest != seen(files | {"elsewhere.txt": b"2"}, "app").digest


def test_circles_end():
    files = {"a/kustomization.yaml": b"resources: [../b]", "b/kustomization.yaml": b"resources: [../a]"}
    assert len([entry for entry in seen(files, "a").entries.values() if entry]) == 2


def test_chains_are_bounded(monkeypatch):
    monkeypatch.setattr(module, "_KUSTOMIZATIONS", 2)
    files = {f"{n}/kustomization.yaml": f"resources: [../{n + 1}]".encode() for n in range(4)}
    with pytest.raises(LimitExceeded):
        seen(files, "0")


def test_configs_make_their_folder_count_and_what_they_name_above_everything():
    files = {"app/kustomization.yaml": b"transformers: [t.yaml]", "app/t.yaml": b"kind: X", "app/any": b"1", "x": b"1"}
    near = seen(files, "app")
    assert near.entries.keys() >= {"app"}
    assert near.digest != seen(files | {"app/any": b"2"}, "app").digest
    assert near.digest == seen(files | {"x": b"2"}, "app").digest
    assert seen(files | {"app/t.yaml": b"path: ../x"}, "app").whole
    assert seen({"app/kustomization.yaml": b"transformers: [t]", "app/t/kustomization.yaml": b""}, "app").whole


def test_a_folder_where_a_file_is_named_counts_as_a_whole():
    files = {"kustomization.yaml": b"configMapGenerator: [{files: [folder]}]", "folder/x": b"1"}
    assert seen(files, "").digest != seen(files | {"folder/y": b""}, "").digest


def test_charts_count_with_everything_in_them():
    files = {
        "app/kustomization.yaml": b"helmCharts: [{name: c}]",
        "app/charts/c/Chart.yaml": b"x",
        "app/charts/d": b"1",
    }
    found = seen(files, "app")
    assert found.charts
    assert "app/charts/c" in found.entries
    assert found.digest == seen(files | {"app/charts/d": b"2"}, "app").digest


def test_what_would_be_fetched_is_known_by_name():
    text = (
        b"resources: ['https://host/x.yaml', github.com/org/repo, local@v1/a/b, a.yaml]\n"
        b"helmCharts: [{name: c, version: '1', repo: 'https://charts.example.com'}, {name: d}]\n"
    )
    found = seen({"app/kustomization.yaml": text, "app/local@v1/a/b": b""}, "app")
    assert found.remotes == [
        ("app", "https://host/x.yaml"),
        ("app", "github.com/org/repo"),
        ("app", "https://charts.example.com (chart c)"),
    ]
    assert found.digest != seen({"app/kustomization.yaml": b"resources: [a.yaml]"}, "app").digest


def test_links_are_part_of_it():
    files = {"real/base/kustomization.yaml": b"resources: [../n.yaml]", "real/n.yaml": b"n",
             "app/kustomization.yaml": b"resources: [link]", "k.yaml": b"resources: []"}  # fmt: skip
    found = seen(files, "app", {"app/link": "../to/base", "to": "real"})
    assert found.links == {"app/link", "to"}
    assert "real/n.yaml" in found.entries
    linked = seen({"k.yaml": b"resources: [x]", "app/y": b""}, "app", {"app/kustomization.yaml": "../k.yaml"})
    assert linked.links == {"app/kustomization.yaml"}


def test_links_within_folders_bring_what_they_point_to():
    files = {"kustomization.yaml": b"helmCharts: [{name: c}]", "charts/c/Chart.yaml": b"x", "shared/deep/v": b"1",
             "one.yaml": b"1"}  # fmt: skip
    links = {"charts/c/values.yaml": "../../one.yaml", "charts/c/shared": "../../shared"}
    found = seen(files, "", links)
    assert {"one.yaml", "shared", "charts/c"} <= found.entries.keys()
    assert found.digest != seen(files | {"shared/deep/v": b"2"}, "", links).digest


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "..\\\\x"])
def test_what_leads_out_is_refused(path):
    with pytest.raises(InvalidInput, match="leads out of the source"):
        seen({"kustomization.yaml": f'resources: ["{path}"]'.encode()}, "")


def test_what_a_kustomization_names_is_read_once_for_each_content(monkeypatch):
    reads = []
    real = module.parsed
    monkeypatch.setattr(module, "parsed", lambda text, source: reads.append(source) or real(text, source))
    unique = {"kustomization.yaml": b"resources: [once-only.yaml]"}
    for content in (b"1", b"2", b"3"):
        seen(unique | {"once-only.yaml": content}, "")
    assert reads == ["kustomization.yaml"]
