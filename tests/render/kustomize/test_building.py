from types import MappingProxyType

import pytest
from tests.render.tools.programs import program, saying

from plumbline.base.errors import InvalidInput, ToolFailed, ToolMissing
from plumbline.base.tree import MemoryTree
from plumbline.kinds.application import ApplicationSource, ApplicationSourceKustomize, KustomizePatch
from plumbline.render.kustomize import Kustomize, workspace
from plumbline.render.kustomize.building import build, edited
from plumbline.render.kustomize.closure import closure
from plumbline.render.kustomize.workspace import laid_out
from plumbline.render.requests import App, Capabilities, Request, Settings
from plumbline.render.tools import Toolbox

FILES = {
    "app/kustomization.yaml": b"resources: [a.yaml]",
    "app/a.yaml": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    "other/kustomization.yaml": b"resources: [b.yaml]",
    "parts/one/kustomization.yaml": b"kind: Component",
    "parts/two/kustomization.yaml": b"kind: Component",
}
REMOTE = MappingProxyType({"kustomize_remote": True})


@pytest.fixture
def toolbox(tmp_path, monkeypatch):
    """A Kustomize that prints a.yaml, and says on the side what it was given."""
    bin_ = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")
    program(bin_, "kustomize", saying("v5.8.1", 'cd "$2"; cat a.yaml; shift 2; echo "# Warning: asked $*" >&2'))
    program(bin_, "helm", saying("v3.22.0"))
    return Toolbox(tmp_path / "cache", build=None)


def request(files=None, links=None, options="", settings=MappingProxyType({}), **wanted):
    return Request(
        source=ApplicationSource(
            repo_url="x", path="app", kustomize=ApplicationSourceKustomize(**wanted) if wanted else None
        ),
        tree=MemoryTree(FILES if files is None else files, links),
        place="app",
        app=App(name="shop"),
        settings=Settings(
            kustomize_build_options=options,
            kustomize_build_options_by_version={"v9": "--reorder none"},
            **settings,
        ),
        capabilities=Capabilities(kube_version="v1.31.2+x", api_versions=("v1", "apps/v1")),
    )


async def test_it_is_one_process_that_sees_what_it_needs_and_nothing_else(toolbox, tmp_path):
    program(
        tmp_path / "bin",
        "kustomize",
        saying("v5.8.1", 'cd "$2"/..; find . -type f | sed "s/^/# Warning: /" >&2; cat app/a.yaml'),
    )
    output = await Kustomize(toolbox).render(request())
    assert [each.object["metadata"]["name"] for each in output.found] == ["a"]
    assert output.found[0].origin.path == "app/kustomization.yaml"
    assert sorted(output.warnings) == ["./app/a.yaml", "./app/kustomization.yaml"]


async def test_overrides_are_in_the_kustomization_that_is_built(toolbox, tmp_path):
    show = saying("v5.8.1", 'sed "s/^/# Warning: /" "$2"/kustomization.yaml >&2; cat "$2"/a.yaml')
    program(tmp_path / "bin", "kustomize", show)
    output = await Kustomize(toolbox).render(request(name_prefix="x-"))
    assert output.warnings == ("namePrefix: x-", "resources:", "- a.yaml")


async def test_options_of_the_installation_are_passed_on(toolbox):
    output = await Kustomize(toolbox).render(request(options="--load-restrictor LoadRestrictionsNone"))
    assert output.warnings == ("asked --load-restrictor=LoadRestrictionsNone",)


async def test_charts_get_our_helm_and_the_cluster(toolbox, tmp_path):
    files = FILES | {"app/kustomization.yaml": b"helmCharts: [{name: c}]", "app/charts/c/Chart.yaml": b""}
    output = await Kustomize(toolbox).render(request(files, options="--enable-helm"))
    told = f"--enable-helm --helm-command {tmp_path / 'bin' / 'helm'} --helm-kube-version=1.31.2"
    assert output.warnings == (f"asked {told} --helm-api-versions=v1 --helm-api-versions=apps/v1",)


async def test_what_would_be_fetched_is_refused_unless_that_is_allowed(toolbox):
    files = FILES | {"app/kustomization.yaml": b"resources: ['https://example.com/x.yaml']"}
    with pytest.raises(InvalidInput, match=r"https://example\.com/x\.yaml"):
        await Kustomize(toolbox).render(request(files))
    files = FILES | {"app/kustomization.yaml": b"resources: [a.yaml, 'https://example.com/x.yaml']"}
    assert (await Kustomize(toolbox).render(request(files, settings=REMOTE))).found


async def test_git_takes_a_revision_for_a_revision(toolbox, tmp_path):
    program(tmp_path / "bin", "git", 'echo "git: $*"')
    run = "cd \"$2\"; for each in 'fetch --depth=1 repo --upload-pack=x' 'fetch elsewhere' 'init .'; do git $each 2>&1; done"
    program(tmp_path / "bin", "kustomize", saying("v5.8.1", f'({run}) | sed "s/^/# Warning: /" >&2; cat "$2"/a.yaml'))
    files = FILES | {"app/kustomization.yaml": b"resources: [a.yaml, 'https://example.com/x']"}
    output = await Kustomize(toolbox).render(request(files, settings=REMOTE))
    assert output.warnings == (
        "git: fetch --depth=1 --end-of-options repo --upload-pack=x",
        "this way of fetching is not known to be safe",
        "git: init .",
    )


async def test_a_version_has_to_be_here(toolbox, tmp_path):
    assert (await Kustomize(toolbox).render(request(version="5.8.1"))).found
    with pytest.raises(ToolMissing, match="kustomize version v9 is not registered"):
        await Kustomize(toolbox).render(request(version="v9"))
    other = program(tmp_path / "other", "kustomize", 'shift 2; echo "# Warning: nine $*" >&2')
    programs = {"kustomize_programs": {"v9": str(other)}}
    output = await Kustomize(toolbox).render(request(settings=programs, version="v9"))
    assert output.warnings == ("nine --reorder=none",)


async def test_a_registered_program_that_is_gone_is_told_of(toolbox, tmp_path):
    programs = {"kustomize_programs": {"v9": str(tmp_path / "gone")}}
    with pytest.raises(ToolMissing):
        await Kustomize(toolbox).render(request(settings=programs, version="v9"))


def test_allowing_remote_bases_is_an_input_of_those_who_have_some(toolbox):
    tool = Kustomize(toolbox)
    assert tool.inputs(request()) == tool.inputs(request(settings=REMOTE))
    files = FILES | {"app/kustomization.yaml": b"resources: ['https://example.com/x.yaml']"}
    assert tool.inputs(request(files)) != tool.inputs(request(files, settings=REMOTE))


def test_inputs_change_with_what_decides_and_with_nothing_else(toolbox):
    tool = Kustomize(toolbox)
    base = tool.inputs(request())
    assert base == tool.inputs(request(FILES | {"other/b.yaml": b"b"}))
    others = [
        request(FILES | {"app/a.yaml": b"changed"}),
        request(name_prefix="x-"),
        request(version="v9"),
        request(options="--reorder none"),
        request(options="--enable-helm"),
        request(patches=(KustomizePatch(path="../other/kustomization.yaml"),)),
    ]
    assert len({base, *map(tool.inputs, others)}) == len(others) + 1


def test_what_changes_with_every_commit_counts_where_it_is_used(toolbox):
    tool = Kustomize(toolbox)

    def at(revision, **wanted):
        asked = request(**wanted)
        return tool.inputs(type(asked)(**{name: getattr(asked, name) for name in asked.__struct_fields__}
                                        | {"app": App(name="shop", revision=revision)}))  # fmt: skip

    assert at("1", name_prefix="x") == at("2", name_prefix="x")
    assert at("1", images=("a:$ARGOCD_APP_REVISION",)) != at("2", images=("a:$ARGOCD_APP_REVISION",))


@pytest.mark.parametrize(
    ("components", "ignore", "found"),
    [
        (("../parts/*",), False, ("../parts/one", "../parts/two")),
        (("../parts/one",), False, ("../parts/one",)),
        (("../parts/none", "../parts/one", "../../x", "https://example.com/x"), True, ("../parts/one",)),
    ],
)
def test_components_are_looked_up(components, ignore, found):
    made = build(request(components=components, ignore_missing_components=ignore))
    assert made.wanted.components == found


def test_a_pattern_that_matches_nothing_is_refused():
    with pytest.raises(InvalidInput, match="it has no match"):
        build(request(components=("../none/*",)))


def test_nothing_is_written_through_a_link(tmp_path):
    tree = MemoryTree({"k.yaml": b"unheard: of"}, {"app/kustomization.yaml": "../k.yaml"})
    laid_out(tree, closure(tree, "app"), tmp_path, {"app/kustomization.yaml": b"edited"})
    assert (tmp_path / "k.yaml").read_bytes() == b"unheard: of"


@pytest.mark.parametrize("files", [{"app/x": b""}, FILES | {"app/Kustomization": b""}])
def test_only_one_kustomization_can_be_changed(files):
    with pytest.raises(InvalidInput, match="Cannot change the kustomization in app"):
        edited(request(files), ApplicationSourceKustomize(namespace="n"))


def test_files_links_and_folders_lie_where_they_lie_in_the_tree(tmp_path):
    tree = MemoryTree(
        {"app/kustomization.yaml": b"resources: [l/base]\nhelmCharts: [{name: c}]", "real/base/kustomization.yaml": b"",
         "app/charts/c/Chart.yaml": b"c", "app/charts/c/run": b"r"},
        {"app/l": "../real", "app/charts/c/link": "../../../real/base"}, frozenset({"app/charts/c/run"}),
    )  # fmt: skip
    laid_out(tree, closure(tree, "app"), tmp_path, {"app/kustomization.yaml": b"edited"})
    assert (tmp_path / "app" / "kustomization.yaml").read_bytes() == b"edited"
    assert (
        tmp_path / "app" / "l" / "base" / "kustomization.yaml"
    ).resolve() == tmp_path / "real/base/kustomization.yaml"
    assert (tmp_path / "app/charts/c/link/kustomization.yaml").exists()
    assert (tmp_path / "app/charts/c/run").stat().st_mode & 0o100
    assert not (tmp_path / "app/charts/c/Chart.yaml").stat().st_mode & 0o100


def test_a_linked_kustomization_is_edited_in_its_own_place(tmp_path):
    tree = MemoryTree({"k.yaml": b"resources: []"}, {"app/kustomization.yaml": "../k.yaml"})
    laid_out(tree, closure(tree, "app"), tmp_path, {"app/kustomization.yaml": b"edited"})
    assert (tmp_path / "k.yaml").read_bytes() == b"resources: []"
    assert not (tmp_path / "app" / "kustomization.yaml").is_symlink()


def test_files_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(workspace, "_TOTAL_BYTES", 10)
    tree = MemoryTree(FILES)
    with pytest.raises(InvalidInput, match="bytes of files"):
        laid_out(tree, closure(tree, "app"), tmp_path, {})


def test_a_submodule_that_is_not_here_is_an_empty_folder(tmp_path):
    class WithModule(MemoryTree):
        def entry(self, path):
            found = super().entry(path)
            return found._replace(kind="module") if path == "app/module" else found

    tree = WithModule({"app/kustomization.yaml": b"resources: [module]", "app/module": b""})
    laid_out(tree, closure(tree, "app"), tmp_path, {})
    assert (tmp_path / "app" / "module").is_dir()


async def test_a_whole_tree_is_written_outside_of_the_loop(toolbox):
    files = FILES | {"app/kustomization.yaml": b"unheard: of"}
    assert (await Kustomize(toolbox).render(request(files))).found


async def test_row_21_nothing_of_a_secret_is_said_of_literals_that_are_wrong(toolbox, tmp_path):
    said = "loading KV pairs: literal sources [hunter2 a=hunter3]: invalid literal source hunter2, expected key=value"
    program(tmp_path / "bin", "kustomize", saying("v5.8.1", f"echo 'Error: {said}' >&2; exit 1"))
    with pytest.raises(ToolFailed) as refused:
        await Kustomize(toolbox).render(request())
    assert "hunter" not in str(refused.value)
    assert "key=value" in str(refused.value)
