"""Which folders are root modules, and which of them a change concerns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadDocument, InvalidInput, NotFound
from plumbline.base.tree import MemoryTree
from plumbline.terraform.changed import RootModule, RootModules, affected, inputs_digest
from plumbline.terraform.changed.patterns import Patterns

BACKEND = 'terraform {\n  backend "s3" {\n  }\n}\n'


def tree(links=None, **files):
    return MemoryTree({path.replace("__", "/"): text.encode() for path, text in files.items()}, links)


def of(files, links=None):
    return MemoryTree({path: text.encode() for path, text in files.items()}, links)


def call(source):
    return f'module "m" {{\n  source = "{source}"\n}}\n'


def folders(files, links=None, named=()):
    return [root.folder for root in RootModules.found(of(files, links), named).roots]


CASES = [
    ({"main.tf": ""}, [""], "the root of the repository"),
    (
        {"a/main.tf": "", "b/x.tofu": "", "c/y.tf.json": "{}", "d/z.tofu.json": "{}"},
        ["a", "b", "c", "d"],
        "all endings",
    ),
    ({"a/readme.md": "", "b/x.tfvars": "", "c/.hidden.tf": ""}, [], "no code"),
    ({"live/a/main.tf": call("../../lib"), "lib/x.tf": ""}, ["live/a"], "what is called is none"),
    ({"modules/vpc/x.tf": "", "a/x.tf": ""}, ["a"], "a library of modules that nobody here calls"),
    ({"modules/vpc/x.tf": 'provider "aws" {\n}\n'}, ["modules/vpc"], "unless it configures providers"),
    ({"modules/a/x.tf": BACKEND}, ["modules/a"], "or says where its state is"),
    ({"a/x.tf": BACKEND, "b/x.tf": call("../a")}, ["a", "b"], "called, and a root by itself"),
    ({"a/x.tf": call("../b"), "b/x.tf": call("../a")}, [], "two that call each other are modules of nobody"),
    ({"a/x.tf": call("../../../etc")}, ["a"], "a source that leads out is nobody's concern here"),
    ({"a/.terraform/modules/x/x.tf": "", "a/x.tf": ""}, ["a"], "what init fetched"),
    ({"a/x.tf": call("./")}, ["a"], "a module that calls itself is for the tool to refuse"),
]


@pytest.mark.parametrize(("files", "roots", "why"), CASES, ids=[why for *_, why in CASES])
def test_root_modules_are_told_from_modules(files, roots, why):
    assert folders(files) == roots


def test_named_folders_are_root_modules_whatever_they_look_like():
    files = {"lib/x.tf": "", "a/x.tf": call("../lib")}
    assert folders(files, named=["lib"]) == ["lib"]
    assert folders(files, named=["./lib/"]) == ["lib"]
    for wrong in ("nowhere", "../a"):
        with pytest.raises(NotFound):
            folders(files, named=[wrong])


REPO = {
    "live/a/main.tf": BACKEND + call("../../lib/net"),
    "live/a/terraform.tfvars": "x = 1",
    "live/a/README.md": "",
    "live/a/.terraform.lock.hcl": "",
    "live/b/main.tf": BACKEND + 'x = file("${path.module}/../../policies/b.json")\n' + call("../../lib/app"),
    "live/c/main.tf": BACKEND,
    "lib/net/main.tf": "",
    "lib/net/README.md": "",
    "lib/net/tests/x.tftest.hcl": "",
    "lib/app/main.tf": call("../net") + 'x = templatefile("${path.module}/templates/${var.t}.tpl", {})\n',
    "lib/app/templates/one.tpl": "",
    "policies/b.json": "",
    "README.md": "",
}
CHANGES = [
    ("README.md", {}, "nobody depends on it"),
    ("live/a/README.md", {}, "nor on this one"),
    ("lib/net/README.md", {}, "nor on what modules say about themselves"),
    ("live/a/main.tf", {"live/a": ("live/a",)}, "its own code"),
    ("live/a/terraform.tfvars", {"live/a": ("live/a",)}, "its variables"),
    ("live/a/.terraform.lock.hcl", {"live/a": ("live/a",)}, "its providers"),
    (
        "lib/net/main.tf",
        {"live/a": ("live/a", "lib/net"), "live/b": ("live/b", "lib/app", "lib/net")},
        "a module, directly and through another",
    ),
    ("lib/app/templates/one.tpl", {"live/b": ("live/b", "lib/app")}, "a file that a module reads"),
    ("policies/b.json", {"live/b": ("live/b",)}, "a file elsewhere"),
    ("live/a/new.tf", {"live/a": ("live/a",)}, "a file that is new"),
    ("lib/app/templates/new.tpl", {"live/b": ("live/b", "lib/app")}, "a new one in a folder that is read"),
    ("live/a/new.auto.tfvars", {"live/a": ("live/a",)}, "new variables"),
    ("live/a/env/default.tfvars", {"live/a": ("live/a",)}, "variables by workspace"),
]


@pytest.mark.parametrize(("path", "expected", "why"), CHANGES, ids=[why for *_, why in CHANGES])
def test_what_changed_tells_who_is_concerned(path, expected, why):
    before, after = RootModules.found(of(REPO)), RootModules.found(of({**REPO, path: REPO.get(path, "") + "\n"}))
    for one, other in ((before, after), (after, before)):
        found = affected(one, other, {path})
        assert {each.root.folder: each.because[0].chain for each in found} == expected
        assert all(each.change == "changed" and each.because[0].path == path for each in found)


def test_digests_of_inputs_change_with_them_and_with_nothing_else():
    for path, expected, _ in CHANGES:
        before, after = RootModules.found(of(REPO)), RootModules.found(of({**REPO, path: REPO.get(path, "") + "\n"}))
        moved = {root.folder for root in before.roots if inputs_digest(before, root) != inputs_digest(after, root)}
        assert moved == set(expected), path


def test_given_variable_files_are_part_of_the_inputs():
    roots = RootModules.found(of({**REPO, "prod.tfvars": "a = 1"}))
    assert inputs_digest(roots, RootModule("live/a")) != inputs_digest(roots, RootModule("live/a"), ("prod.tfvars",))


def test_a_root_module_that_is_gone_is_reported_as_gone():
    after = {path: text for path, text in REPO.items() if not path.startswith("live/c/")}
    (found,) = affected(RootModules.found(of(REPO)), RootModules.found(of(after)), {"live/c/main.tf"})
    assert (found.root.folder, found.change) == ("live/c", "gone")


def test_a_root_module_that_is_new_is_planned_whatever_changed():
    before = {**REPO, "live/z/main.tf": call("../../lone"), "lone/x.tf": ""}
    after = {**REPO, "live/z/main.tf": "", "lone/x.tf": ""}
    found = affected(RootModules.found(of(before)), RootModules.found(of(after)), {"live/z/main.tf"})
    assert {each.root.folder: each.change for each in found} == {"live/z": "changed", "lone": "new"}


def test_a_renamed_module_counts_under_both_names():
    after = {("lib/web/" + path[8:] if path.startswith("lib/app/") else path): text for path, text in REPO.items()}
    after["live/b/main.tf"] = REPO["live/b/main.tf"].replace("lib/app", "lib/web")
    for only in ({"lib/app/main.tf"}, {"lib/web/main.tf"}):
        found = affected(RootModules.found(of(REPO)), RootModules.found(of(after)), only)
        assert [each.root.folder for each in found] == ["live/b"]


def test_links_are_followed_and_count_themselves():
    files = {"a/main.tf": BACKEND + call("./net"), "lib/net/x.tf": "", "common/versions.tf": "", "b/main.tf": BACKEND}
    links = {"a/net": "../lib/net", "b/versions.tf": "../common/versions.tf"}
    roots = RootModules.found(of(files, links))
    assert [root.folder for root in roots.roots] == ["a", "b", "common"]
    for path, expected in {
        "a/net": ["a"],
        "lib/net/x.tf": ["a"],
        "b/versions.tf": ["b"],
        "common/versions.tf": ["b", "common"],
    }.items():
        assert [each.root.folder for each in affected(roots, roots, {path})] == expected


@pytest.mark.parametrize("target", ["/etc", "../..", "a/net", "nowhere"])
def test_links_that_lead_nowhere_are_nobodys_concern(target):
    roots = RootModules.found(of({"a/main.tf": BACKEND + call("./net")}, {"a/net": target}))
    assert [root.folder for root in roots.roots] == ["a"]
    assert affected(roots, roots, {"a/main.tf"})


def test_a_path_that_nobody_can_tell_is_all_of_the_folder_but_not_other_modules():
    files = {"main.tf": BACKEND + "x = file(var.p)", "any/where.txt": "", "other/main.tf": BACKEND, "other/x.txt": ""}
    roots = RootModules.found(of(files))
    assert [each.root.folder for each in affected(roots, roots, {"any/where.txt"})] == [""]
    assert affected(roots, roots, {"other/x.txt"}) == ()


def test_workspaces_have_variables_of_their_own():
    files = {
        "atlantis.yaml": "version: 3\nprojects:\n- {dir: a, workspace: dev}\n- {dir: a, workspace: prod, name: a-prod}\n",
        "a/main.tf": BACKEND,
        "a/env/dev.tfvars": "",
        "a/env/prod.tfvars": "",
    }
    roots = RootModules.found(of(files))
    assert [root.label for root in roots.roots] == ["a (dev)", "a-prod (prod)"]
    assert [roots.var_files(root) for root in roots.roots] == [("a/env/dev.tfvars",), ("a/env/prod.tfvars",)]
    assert [each.root.workspace for each in affected(roots, roots, {"a/env/prod.tfvars"})] == ["prod"]
    assert [each.root.workspace for each in affected(roots, roots, {"a/main.tf"})] == ["dev", "prod"]


ATLANTIS = """version: 3
automerge: true
projects:
- dir: ./a
  execution_order_group: 2
  autoplan: {when_modified: ["*.tf", "../shared/**/*.yaml", "!skip.tf"]}
- {dir: b, execution_order_group: 1, workflow: custom}
- {dir: c, autoplan: {enabled: false}}
- dir: gone
"""


def test_atlantis_says_which_are_planned_when_and_in_which_order():
    files = {"atlantis.yaml": ATLANTIS, "a/x.tf": "", "a/skip.tf": "", "b/x.tf": "", "c/x.tf": "", "d/x.tf": ""}
    roots = RootModules.found(of(files))
    assert [(root.folder, root.order) for root in roots.roots] == [("b", 1), ("a", 2)]
    assert [each.root.folder for each in affected(roots, roots, {"shared/x/y.yaml"})] == ["a"]
    assert affected(roots, roots, {"a/skip.tf"}) == ()
    assert affected(roots, roots, {"d/x.tf"}) == ()
    assert roots.notes == (
        "atlantis.yaml: automerge has no effect here",
        "atlantis.yaml: workflow of b has no effect here",
    )
    named = RootModules.found(of(files), ["c", "d"])
    assert [root.folder for root in named.roots] == ["c", "d"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("version: 3\nautodiscover: {mode: enabled, ignore_paths: ['x/**']}\nprojects: [{dir: a}]", ["a", "b"]),
        ("version: 3\nautodiscover: {mode: disabled}", []),
        ("version: 3", ["a", "b", "x/y"]),
    ],
)
def test_atlantis_says_whether_others_are_looked_for(said, expected):
    assert folders({"atlantis.yaml": said, "a/x.tf": "", "b/x.tf": "", "x/y/x.tf": ""}) == expected


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("version: 2", InvalidInput),
        ("version: 3\nprojects: [{dir: ../x}]", InvalidInput),
        ("version: 3\nprojects: {}", InvalidInput),
        ("version: 3\nprojects: [{name: x}]", InvalidInput),
        ("a: b: c", BadDocument),
    ],
)
def test_an_atlantis_file_that_cannot_be_used_is_refused(said, error):
    with pytest.raises(error):
        folders({"atlantis.yaml": said, "a/x.tf": ""})


PATTERNS = [
    (["**/*.tf*"], "", "main.tf", True, "no folder is a folder too"),
    (["**/*.tf*"], "a", "a/b/c/x.tfvars", True, "any depth"),
    (["*.tf"], "a", "a/b/x.tf", None, "one level only"),
    (["../modules/**"], "a", "modules/x/y.tf", True, "beside the folder"),
    (["b"], "a", "a/b/c/d.txt", True, "a folder stands for what is in it"),
    (["**", "!b/x.tf"], "", "b/x.tf", False, "the last one decides"),
    (["!b/x.tf", "**"], "", "b/x.tf", True, "in either direction"),
    (["{a}.tf"], "", "{a}.tf", True, "braces are letters"),
    (["", "# note"], "", "note", None, "nothing is said"),
]


@pytest.mark.parametrize(("patterns", "folder", "path", "verdict", "why"), PATTERNS, ids=[why for *_, why in PATTERNS])
def test_patterns_are_read_as_docker_does(patterns, folder, path, verdict, why):
    assert Patterns(patterns, folder).verdict(path) is verdict


_SEGMENT = st.sampled_from(["a", "b", "c"])


@given(st.dictionaries(_SEGMENT, st.lists(_SEGMENT, max_size=3), min_size=1), _SEGMENT)
def test_whatever_a_root_module_uses_concerns_it(calls, changed):
    """Modules call each other as they like; a change in one concerns all who reach it, and nobody else."""
    files = {
        f"{name}/main.tf": BACKEND + "".join(call(f"../{to}") for to in targets) for name, targets in calls.items()
    }
    roots = RootModules.found(of(files))

    def reaches(at, seen=()):
        return at == changed or any(reaches(to, (*seen, at)) for to in calls.get(at, ()) if to not in seen)

    found = {each.root.folder for each in affected(roots, roots, {f"{changed}/main.tf"})}
    assert found == {name for name in calls if changed in calls and reaches(name)}
