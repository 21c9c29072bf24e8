"""Which tool a source is for, and what lies beside its files."""

import pytest
from tests.render.samples import request_for, source_of

from plumbline.base.errors import BadDocument, InvalidInput
from plumbline.render.detection import explicit_type, prepared
from plumbline.render.requests import App, Settings

DETECTED = [
    (["a.yaml"], (), "Directory", "nothing says otherwise"),
    ([], (), "Directory", "not even a file"),
    (["Chart.yaml", "values.yaml"], (), "Helm", "a chart"),
    (["MyChart.yaml"], (), "Helm", "upstream asks how the name ends"),
    (["chart.yaml"], (), "Directory", "and minds capitals"),
    (["kustomization.yaml"], (), "Kustomize", "a kustomization"),
    (["kustomization.yml"], (), "Kustomize", "by its second name"),
    (["Kustomization"], (), "Kustomize", "by its third name"),
    (["kustomization.json"], (), "Directory", "and by no other"),
    (["Chart.yaml", "kustomization.yaml"], (), "Kustomize", "of both the later name counts"),
    (["Kustomization", "MyChart.yaml"], (), "Helm", "whichever that is"),
    (["sub/Chart.yaml"], (), "Directory", "folders below do not count"),
    (["Chart.yaml/x"], (), "Directory", "nor does a folder of that name"),
    (["Chart.yaml"], ("Helm",), "Directory", "a tool that is off is not found"),
    (["Chart.yaml", "kustomization.yaml"], ("Kustomize",), "Helm", "and leaves room for the other"),
]


@pytest.mark.parametrize(("files", "disabled", "expected", "why"), DETECTED, ids=[case[3] for case in DETECTED])
def test_files_say_which_tool_it_is_for(files, disabled, expected, why):
    settings = Settings(disabled=frozenset(disabled))
    request = request_for({f"app/{name}": "" for name in files} | {"x": ""}, "app" if files else "", settings=settings)
    assert prepared(request)[1] == expected, why


def test_a_link_named_like_a_chart_counts():
    assert prepared(request_for({"c": ""}, links={"app/Chart.yaml": "../c"}, path="app"))[1] == "Helm"


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"helm": {}}, "Helm"),
        ({"kustomize": {}}, "Kustomize"),
        ({"directory": {}}, "Directory"),
        ({"plugin": {}}, "Plugin"),
    ],
)
def test_an_options_block_beats_the_files(block, expected):
    request = request_for({"kustomization.yaml": "", "Chart.yaml": ""}, **block)
    assert prepared(request)[1] == expected
    off = request_for({"Chart.yaml": ""}, settings=Settings(disabled=frozenset({expected})), **block)
    assert prepared(off)[1] == "Directory"


def test_options_for_several_tools_are_refused_with_their_names():
    with pytest.raises(InvalidInput, match="multiple application sources defined: Kustomize,Helm"):
        explicit_type(source_of(helm={}, kustomize={}))


PLACES = [
    ("", "", "the root"),
    (".", "", "the root by its other name"),
    ("apps/a", "apps/a", "a folder"),
    ("apps/../apps/a/", "apps/a", "written otherwise"),
    ("apps/l", "apps/a", "through a link"),
]


@pytest.mark.parametrize(("path", "place", "why"), PLACES, ids=[case[2] for case in PLACES])
def test_the_path_is_found(path, place, why):
    request = request_for({"apps/a/x.yaml": ""}, path, links={"apps/l": "a"})
    assert prepared(request)[0].place == place, why


UNUSABLE = [
    ("/apps/a", "absolute"),
    ("../x", "leads out"),
    ("apps/../../x", "leads out"),
    ("out", "leads out"),
    ("no", "does not exist"),
    ("apps/a/x.yaml", "not a directory"),
]


@pytest.mark.parametrize(("path", "why"), UNUSABLE)
def test_a_path_that_cannot_be_rendered_is_refused(path, why):
    request = request_for({"apps/a/x.yaml": ""}, path, links={"out": "../../etc"})
    with pytest.raises(InvalidInput, match=why):
        prepared(request)


def test_the_path_of_a_chart_from_a_repository_is_not_used():
    assert prepared(request_for({"Chart.yaml": ""}, "ignored", chart="nginx"))[0].place == ""


def merged(files, **options):
    return prepared(request_for({f"app/{name}": text for name, text in files.items()}, "app", **options))[0].source


def test_overrides_are_merged_the_common_ones_first():
    source = merged(
        {
            ".argocd-source.yaml": "helm:\n  releaseName: common\n  valueFiles: [a.yaml, b.yaml]\n",
            ".argocd-source-app.yaml": "helm:\n  releaseName: own\n",
            ".argocd-source-other.yaml": "helm:\n  releaseName: other\n",
        },
        helm={"skipCrds": True},
    )
    assert (source.helm.release_name, source.helm.value_files, source.helm.skip_crds) == (
        "own",
        ("a.yaml", "b.yaml"),
        True,
    )


def test_overrides_may_choose_the_tool():
    request = request_for({"app/.argocd-source.yaml": "directory: {recurse: true}\n", "app/Chart.yaml": ""}, "app")
    ready, source_type = prepared(request)
    assert source_type == "Directory"
    assert ready.source.directory.recurse


def test_lists_are_replaced_and_maps_are_merged():
    source = merged(
        {".argocd-source.yaml": "kustomize:\n  images: [b:2]\n  commonLabels: {b: two}\n"},
        kustomize={"images": ["a:1"], "commonLabels": {"a": "one"}},
    )
    assert source.kustomize.images == ("b:2",)
    assert source.kustomize.common_labels == {"a": "one", "b": "two"}


def test_overrides_do_not_say_where_the_files_come_from():
    source = merged(
        {".argocd-source.yaml": "repoURL: elsewhere\npath: other\ntargetRevision: z\nchart: c\nref: r\nname: given\n"},
    )
    assert (source.repo_url, source.path, source.target_revision, source.chart) == (
        "https://git.example/shop.git", "app", "main", "",
    )  # fmt: skip
    assert (source.ref, source.name) == ("r", "given")


def test_null_takes_nothing_away_outside_of_values():
    source = merged(
        {".argocd-source.yaml": "helm:\n  releaseName: null\n  valuesObject: {a: null, b: 2}\n"},
        helm={"releaseName": "kept", "valuesObject": {"a": 1}},
    )
    assert source.helm.release_name == "kept"
    assert source.helm.values_object == {"b": 2}


@pytest.mark.parametrize("text", ["", "# nothing\n", "null\n", "unknown: field\n"])
def test_overrides_that_say_nothing_change_nothing(text):
    assert merged({".argocd-source.yaml": text, "x.yaml": ""}) == source_of("app")


def test_a_folder_named_like_the_file_is_passed_over():
    assert merged({".argocd-source.yaml/x": "helm: {}\n"}) == source_of("app")


def test_a_link_to_nothing_is_passed_over():
    request = request_for({"app/x": ""}, "app", links={"app/.argocd-source.yaml": "gone"})
    assert prepared(request)[0].source == source_of("app")


def test_a_link_is_followed_and_never_out_of_the_tree():
    inside = request_for(
        {"app/x": "", "o.yaml": "name: given\n"}, "app", links={"app/.argocd-source.yaml": "../o.yaml"}
    )
    assert prepared(inside)[0].source.name == "given"
    outside = request_for({"app/x": ""}, "app", links={"app/.argocd-source.yaml": "../../o.yaml"})
    with pytest.raises(InvalidInput, match="leads out"):
        prepared(outside)


@pytest.mark.parametrize(
    "text", ["[1]\n", "text\n", "helm: 1\n", "name: a\n---\nname: b\n", "helm: {parameters: {}}\n"]
)
def test_overrides_of_the_wrong_shape_are_refused_by_name(text):
    with pytest.raises(InvalidInput, match=r"app/\.argocd-source\.yaml"):
        merged({".argocd-source.yaml": text})


def test_overrides_that_cannot_be_read_say_where():
    with pytest.raises(BadDocument) as refused:
        merged({".argocd-source.yaml": "a: [\n"})
    assert refused.value.source == "app/.argocd-source.yaml"


def test_an_application_elsewhere_has_a_file_by_both_its_names():
    request = request_for(
        {".argocd-source-team_app.yaml": "name: mine\n"}, app=App(name="app", instance_name="team_app")
    )
    assert prepared(request)[0].source.name == "mine"
