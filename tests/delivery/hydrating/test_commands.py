"""How the same is made by hand."""

import pytest

from plumbline.base.tree import MemoryTree
from plumbline.delivery.hydrating.commands import commands
from plumbline.kinds.application.sources import (
    ApplicationSource,
    ApplicationSourceHelm,
    ApplicationSourceKustomize,
    HelmFileParameter,
    HelmParameter,
    KustomizePatch,
    KustomizeReplica,
)
from plumbline.render.requests import App, Capabilities, Request

CHART = ApplicationSourceHelm(
    parameters=(HelmParameter(name="a", value="x y"), HelmParameter(name="b", value="1", force_string=True)),
    file_parameters=(HelmFileParameter(name="c", path="files/c"),),
    value_files=("values-prod.yaml", "/shared/values.yaml", "https://values.example/v.yaml"),
    values_object={"d": 1},
    skip_crds=True,
    skip_tests=True,
)
EDITED = ApplicationSourceKustomize(
    name_prefix="prod-",
    name_suffix="-v1",
    images=("a=b:1", "c:2"),
    replicas=(KustomizeReplica(name="web", count=3),),
    common_labels={"b": "2", "a": "1"},
    common_annotations={"n": "v"},
    force_common_labels=True,
    label_without_selector=True,
    namespace="shop",
    patches=(KustomizePatch(path="p.yaml"),),
    components=("../component",),
)


def made(source_type, path="apps/web", **said):
    source = ApplicationSource(repo_url="https://a.example/b", path=path, **said)
    app = App(name="web", namespace="shop")
    request = Request(source=source, tree=MemoryTree({}), app=app, capabilities=Capabilities(kube_version="1.34.0"))
    return list(commands(request, source_type))


def test_plain_manifests_are_what_they_are():
    assert made("Directory") == []


@pytest.mark.parametrize(("path", "shown"), [("apps/web", "./apps/web"), (".", "."), ("./a//b/", "./a/b")])
def test_a_kustomization_is_built_where_it_is(path, shown):
    assert made("Kustomize", path) == [f"kustomize build {shown}"]


def test_what_the_application_changes_is_changed_first():
    assert made("Kustomize", kustomize=EDITED) == [
        "cd ./apps/web",
        "kustomize edit set nameprefix -- prod-",
        "kustomize edit set namesuffix -- -v1",
        "kustomize edit set image a=b:1 c:2",
        "kustomize edit set replicas web=3",
        "kustomize edit add label --force --without-selector a:1,b:2",
        "kustomize edit add annotation n:v",
        "kustomize edit set namespace -- shop",
        "# Add the patches that the Application has to kustomization.yaml: no command does that.",
        "kustomize edit add component ../component",
        "kustomize build .",
    ]


def test_a_chart_is_rendered_as_it_was_for_the_cluster():
    assert made("Helm") == [
        "helm template ./apps/web --name-template web --namespace shop --kube-version 1.34.0 --include-crds"
    ]
    assert made("Helm", helm=CHART) == [
        "# Save the values that the Application has as values-of-the-application.yaml: they are in no file.",
        (
            "helm template ./apps/web --name-template web --namespace shop --kube-version 1.34.0 --set 'a=x y' --set-string b=1"
            " --set-file c=./apps/web/files/c --values ./apps/web/values-prod.yaml --values ./shared/values.yaml"
            " --values https://values.example/v.yaml --values values-of-the-application.yaml --skip-tests"
        ),
    ]
