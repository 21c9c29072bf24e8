import pytest

from plumbline.base.errors import InvalidInput
from plumbline.render.kustomize.kustomization import parsed
from plumbline.render.kustomize.options import build_options
from plumbline.render.kustomize.references import EVERYTHING, Chart, references
from plumbline.render.kustomize.remote import fetched, remote


def read(text):
    return references(parsed(text.encode(), "kustomization.yaml"))


NAMED = [
    ("resources: [a.yaml, ../base]", [("resource", "a.yaml"), ("resource", "../base")]),
    ("bases: [../base]", [("resource", "../base")]),
    ("RESOURCES: [a.yaml]", [("resource", "a.yaml")]),
    ("components: [../c]", [("component", "../c")]),
    ("crds: [crd.json]\nconfigurations: [c.yaml]", [("file", "crd.json"), ("file", "c.yaml")]),
    ("openapi: {path: schema.json}", [("file", "schema.json")]),
    ("openapi: {version: v1.20.4}", []),
    ("patches: [{path: p.yaml}, {patch: inline}]", [("file", "p.yaml")]),
    ("patchesJson6902: [{Path: p.json}]", [("file", "p.json")]),
    ('patchesStrategicMerge: [m.yaml, \'{"kind": "X"}\', "a: b\\nc: d"]', [("perhaps", "m.yaml")]),
    ("replacements: [{path: r.yaml}, {source: {}}]", [("file", "r.yaml")]),
    (
        "configMapGenerator: [{files: [a.txt, k=b.txt], envs: [c.env], env: d.env, literals: [x=y]}]",
        [("file", "a.txt"), ("file", "b.txt"), ("file", "c.env"), ("file", "d.env")],
    ),
    ("secretGenerator: [{files: [tls.crt=certs/tls.crt]}]", [("file", "certs/tls.crt")]),
    ("namePrefix: x\nvars: []\nmetadata: {name: n}\nsortOptions: {order: fifo}\nbuildMetadata: []", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "named"), NAMED)
def test_everything_that_names_a_file_is_known(text, named):
    assert read(text) == (tuple(named), (), "listed")


def test_charts_lie_in_their_home_by_name_or_by_version():
    text = (
        "helmGlobals: {chartHome: vendored}\n"
        "helmCharts:\n"
        "- {name: a, valuesFile: v.yaml, additionalValuesFiles: [w.yaml]}\n"
        "- {name: b, version: '1.0', repo: 'https://charts.example.com'}\n"
    )
    found = read(text)
    assert found.charts == (
        Chart("vendored/a", ""),
        Chart("vendored/b-1.0/b", "https://charts.example.com"),
    )
    assert set(found.named) == {("file", "v.yaml"), ("file", "w.yaml")}
    assert read("helmCharts: [{name: a}]").charts == (Chart("charts/a", ""),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("unheard: [of]", "a field that nobody knows"),
        ("resources: a.yaml", "a text where a list belongs"),
        ("resources: [{a: b}]", "a mapping where a text belongs"),
        ("patches: {}", "a mapping where a list belongs"),
        ("patches: [text]", "a text where a mapping belongs"),
        ("patches: [{path: 1}]", "a number where a path belongs"),
        ("patches: [{path: a, Path: b}]", "a field twice"),
        ("openapi: text", "a text where a mapping belongs"),
        ("helmGlobals: text\nhelmCharts: []", "a text where a mapping belongs"),
        ("helmChartInflationGenerator: [{chartName: x}]", "a field of the old days that means many"),
        ('transformers: ["a: b\\npath: ../x"]', "a text that names something above"),
    ],
)  # fmt: skip
def test_what_is_not_understood_makes_everything_count(text, why):
    assert read(text) == EVERYTHING, why


def test_configs_that_may_name_files_make_their_folder_count():
    found = read('transformers: [label.yaml]\ngenerators: ["kind: X\\nname: y"]\n')
    assert found.bound == "folder"
    assert found.named == (("config", "label.yaml"),)


@pytest.mark.parametrize("text", ["- a", "resources: []\nResources: []", "a: ["])
def test_what_is_no_kustomization_is_refused(text):
    with pytest.raises(InvalidInput):
        parsed(text.encode(), "kustomization.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/org/repo//base?ref=v1", "http://host/x", "ssh://git@host/org/repo", "HTTPS://host/x",
        "file:///srv/repo", "git::https://host/x/y", "git@github.com:org/repo", "git@host:org/repo.git",
        "github.com/org/repo", "GitHub.com/org/repo/path", "github.com:org/repo", "user@host/org/repo", "app@v2/base/prod",
        "git@host:repo.git", "git@dev.example.com/_git/repo", "git@host/repo//path",
    ],
)  # fmt: skip
def test_addresses_are_told_from_paths(text):
    assert remote(text)


@pytest.mark.parametrize(
    "text",
    [
        "base", "../base", "./github.com/org/repo", "github.com", "github.com/org", "/github.com/org/repo", "a@b",
        "config@v1/base", "dir.git/base", "example.com/org/repo", "git@host", "",
    ],
)  # fmt: skip
def test_paths_are_told_from_addresses(text):
    assert not remote(text)
    assert not fetched(text)


def test_files_are_fetched_over_http_alone():
    assert fetched("https://host/x.yaml")
    assert fetched("Http://host/x.yaml")
    assert not fetched("ssh://host/x.yaml")


@pytest.mark.parametrize(
    ("text", "argv", "helm"),
    [
        ("", (), False),
        ("--enable-helm", ("--enable-helm",), True),
        ("--enable-helm=true --enable-managedby-label", ("--enable-helm", "--enable-managedby-label"), True),
        ("--enable-helm=false", (), False),
        ("--load-restrictor LoadRestrictionsNone", ("--load-restrictor=LoadRestrictionsNone",), False),
        ("--load_restrictor=LoadRestrictionsNone", ("--load-restrictor=LoadRestrictionsNone",), False),
        ("--reorder none", ("--reorder=none",), False),
        ("--helm-command /usr/bin/evil --enable-helm", ("--enable-helm",), True),
        ("--helm-kube-version=1.30", ("--helm-kube-version=1.30",), False),
    ],
)
def test_options_that_only_change_what_is_built_are_taken(text, argv, helm):
    assert build_options(text) == (argv, helm)


@pytest.mark.parametrize(
    "text",
    ["--enable-exec", "--enable-alpha-plugins", "-o x", "--output=x", "--load-restrictor none", "--reorder", "--mount x",
     "--enable-helm=perhaps", "extra", "--env X=y"],
)  # fmt: skip
def test_all_others_are_refused_with_what_is_allowed(text):
    with pytest.raises(InvalidInput) as raised:
        build_options(text)
    assert "--load-restrictor" in raised.value.hint
