"""Keys: equal for what renders equally, different for the rest, and found without reading what did not change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.render.samples import COMMIT, config_map, request_for, source_of

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import MemoryTree
from plumbline.render import App, Request, Settings
from plumbline.render.keys import content_of, key_of

FILES = {"apps/a/x.yaml": config_map("x"), "apps/b/y.yaml": config_map("y"), "lib/l.libsonnet": "{}", "README": "1"}
PROGRAM = "{apiVersion: 'v1', kind: 'A', metadata: {name: (import '../../lib/l.libsonnet').name}}"


class Counting:
    """A tree that counts what is asked of it."""

    def __init__(self, tree):
        self._tree = tree
        self.digest = tree.digest
        self.reads = []
        self.lists = []

    def entry(self, path):
        return self._tree.entry(path)

    def children(self, path):
        self.lists.append(path)
        return self._tree.children(path)

    def size(self, path):
        return self._tree.size(path)

    def read(self, path):
        self.reads.append(path)
        return self._tree.read(path)


def at(revision, **others):
    return App(name="app", namespace="ns", revision=revision, **others)


NOTHING_TO_IT = [
    (FILES | {"apps/b/y.yaml": config_map("z")}, {}, "another application's files"),
    (FILES | {"README": "2"}, {}, "files outside of the path"),
    (FILES | {"apps/a/README.md": "new"}, {}, "files in the path that are no manifests"),
    (FILES | {"apps/a/deep/z.yaml": config_map("z")}, {}, "folders that are not looked into"),
    (FILES, {"app": at("f" * 40)}, "the revision"),
    (FILES, {"app": at(COMMIT, project="p", repo_url="u")}, "facts that nothing refers to"),
    (FILES, {"targetRevision": "v1"}, "how the revision was named"),
    (FILES, {"directory": {"jsonnet": {"extVars": [{"name": "a", "value": "b"}]}}}, "variables without a program"),
]


@pytest.mark.parametrize(("files", "changes", "why"), NOTHING_TO_IT, ids=[case[2] for case in NOTHING_TO_IT])
def test_what_cannot_change_the_output_does_not_change_the_key(renderer, files, changes, why):
    assert renderer.key(request_for(FILES, "apps/a")) == renderer.key(request_for(files, "apps/a", **changes)), why


SOMETHING_TO_IT = [
    (FILES | {"apps/a/x.yaml": config_map("z")}, {}, "a manifest's content"),
    (FILES | {"apps/a/z.yaml": config_map("z")}, {}, "another manifest"),
    (
        FILES | {"apps/a/.argocd-source.yaml": "directory: {include: none}\n"},
        {},
        "an override that leaves something out",
    ),
    (FILES | {"apps/a/kustomization.yaml": ""}, {"directory": {"recurse": False}}, "a file that is now a manifest"),
    (FILES, {"directory": {"exclude": "*"}}, "a pattern that leaves something out"),
    (FILES, {"settings": Settings(directory_bytes=5)}, "a limit"),
]


@pytest.mark.parametrize(("files", "changes", "why"), SOMETHING_TO_IT, ids=[case[2] for case in SOMETHING_TO_IT])
def test_what_can_change_the_output_changes_the_key(renderer, files, changes, why):
    assert renderer.key(request_for(FILES, "apps/a")) != renderer.key(request_for(files, "apps/a", **changes)), why


def test_the_same_files_elsewhere_have_another_key_because_errors_and_origins_name_them(renderer):
    twins = {"a/x.yaml": config_map("x"), "b/x.yaml": config_map("x")}
    assert renderer.key(request_for(twins, "a")) != renderer.key(request_for(twins, "b"))


def test_what_a_link_leads_to_counts(renderer):
    links = {"apps/a/l.yaml": "../../other/f"}
    one, other, gone = (
        renderer.key(request_for(FILES | {"other/f": text, "other/g": "1"}, "apps/a", links=links))
        for text in (config_map("1"), config_map("2"), "")
    )
    assert len({one, other, gone}) == 3
    elsewhere = FILES | {"other/f": config_map("1"), "other/g": "2"}
    assert renderer.key(request_for(elsewhere, "apps/a", links=links)) == one


def programmed(library="{name: 'n'}", **changes):
    files = FILES | {"apps/a/p.jsonnet": PROGRAM, "lib/l.libsonnet": library, **changes.pop("more", {})}
    return request_for(files, "apps/a", **changes)


def test_what_a_program_imports_counts_and_nothing_else_of_the_repository(renderer):
    key = renderer.key(programmed())
    assert renderer.key(programmed(library="{name: 'm'}")) != key
    assert renderer.key(programmed(more={"lib/unused.libsonnet": "{}"})) == key
    assert renderer.key(programmed(more={"lib/l.libsonnet": "{name: import 'new'}", "lib/new": "1"})) != key
    assert renderer.key(programmed()) == key


def test_a_file_that_takes_the_place_of_an_import_counts(renderer):
    files = FILES | {"apps/a/p.jsonnet": "import 'l.libsonnet'"}
    options = {"directory": {"jsonnet": {"libs": ["lib"]}}}
    before = renderer.key(request_for(files, "apps/a", **options))
    assert renderer.key(request_for(files | {"apps/a/l.libsonnet": "{}"}, "apps/a", **options)) != before


def test_an_import_that_comes_to_lead_out_is_refused(renderer):
    files = FILES | {"apps/a/p.jsonnet": "import 'new.libsonnet'"}
    renderer.key(request_for(files, "apps/a"))
    with pytest.raises(InvalidInput):
        renderer.key(request_for(files, "apps/a", links={"apps/a/new.libsonnet": "/etc/passwd"}))


def variable(value):
    return {"directory": {"jsonnet": {"tlas": [{"name": "v", "value": value}]}}}


def test_a_variable_counts_where_it_is_used(renderer):
    used, unused = variable("$ARGOCD_APP_REVISION_SHORT"), variable("$ARGOCD_APP_NAME")
    assert renderer.key(programmed(**used)) != renderer.key(programmed(app=at("f" * 40), **used))
    assert renderer.key(programmed(**unused)) == renderer.key(programmed(app=at("f" * 40), **unused))


def test_a_key_of_what_did_not_change_reads_nothing_and_lists_nothing(renderer):
    first = Counting(MemoryTree({"apps/a/only-here.yaml": b"x: 1", "apps/b/y.yaml": b"1"}))
    again = Counting(MemoryTree({"apps/a/only-here.yaml": b"x: 1", "apps/b/y.yaml": b"2"}))
    keys = [
        renderer.key(Request(source=source_of("apps/a"), tree=tree, app=at(tree.digest))) for tree in (first, again)
    ]
    assert keys[0] == keys[1]
    assert (first.reads, again.reads, again.lists) == ([], [], [])


def test_a_key_of_a_program_reads_its_imports_once(renderer):
    files = {"q/a.jsonnet": b"import 'b.libsonnet'", "q/b.libsonnet": b"{}", "x": b"1"}
    first, again = Counting(MemoryTree(files)), Counting(MemoryTree(files | {"x": b"2"}))
    for tree in (first, again):
        renderer.key(Request(source=source_of("q"), tree=tree, app=at("r")))
    assert sorted(first.reads) == ["q/a.jsonnet", "q/b.libsonnet"]
    assert again.reads == []


def test_what_is_and_what_is_not_there_are_told_apart():
    tree = MemoryTree({"f": b"1", "d/f": b"1"}, {"l": "f", "out": "/etc", "gone": "nothing"})
    assert content_of(tree, "f") == content_of(tree, "l") == content_of(tree, "d/f")
    assert content_of(tree, "no") == content_of(tree, "gone") == ""
    assert len({content_of(tree, path) for path in ("f", "d", "no", "out", "../x")}) == 4


@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_keys_are_equal_only_for_equal_inputs(one, other):
    assert (key_of("Helm", one) == key_of("Helm", other)) is (one == other)
    assert key_of("Helm", one) != key_of("Kustomize", one)
