"""Charts that the real Helm packed, indexed and pushed: found, read and rendered by us as by it."""

import pytest
from tests.conformance.render.conftest import tree_of

from plumbline.base.documents import load_document, load_documents
from plumbline.base.errors import NotFound
from plumbline.kinds.application import ApplicationSource, ApplicationSourceHelm
from plumbline.render.helm import Helm
from plumbline.render.requests import App, Capabilities, Request

from .conftest import CHARTS, files_of

pytestmark = pytest.mark.conformance

KUBE = ("--kube-version", "1.34.0")


@pytest.fixture(params=["repository", "registry"])
def place(request, repository, registry):
    """Where the charts are, and how Helm is told so."""
    if request.param == "repository":
        return repository.base, lambda name: [name, "--repo", repository.base]
    url = f"oci://{registry.host}/charts"
    return url, lambda name: [f"{url}/{name}", "--plain-http"]


@pytest.mark.parametrize("name", CHARTS)
async def test_charts_are_read_as_helm_unpacks_them_and_render_the_same(name, place, sources, cli, toolbox, tmp_path):
    url, told = place
    version = await sources.resolve(url, name, "")
    tree = await sources.tree(url, name, version)
    cli("pull", *told(name), "--version", version, "--untar", "--untardir", tmp_path)
    assert files_of(tree) == files_of(tree_of(tmp_path / name))
    theirs = cli("template", "demo", tmp_path / name, "--namespace", "apps", "--include-crds", *KUBE)
    source = ApplicationSource(repo_url=url, chart=name, helm=ApplicationSourceHelm())
    app = App(name="demo", namespace="apps", revision=version)
    capabilities = Capabilities(kube_version=KUBE[1])
    request = Request(source=source, tree=tree, place="", app=app, capabilities=capabilities)
    output = await Helm(toolbox).render(request)
    assert [each.object for each in output.found] == [
        document.value for document in load_documents(theirs, repeats="ignore") if document.value is not None
    ]


@pytest.mark.parametrize(
    "version",
    ["", "*", "1.2.0", "1.2.3+b.1", "2.0.0-rc.1", "1.2", "1", "v1.2.0", "~1.2.0", "^1", "1.x", ">=1.0.0-0", "<1", ">1.2 <1.10",
     "1.0 - 1.2", "0.9 || 2.0.0-rc.1", "7.x", "7.0.0"],
)  # fmt: skip
async def test_versions_are_found_as_helm_finds_them(version, place, sources, cli):
    url, told = place
    shown = cli("show", "chart", *told("odd"), *(["--version", version] if version else []), fails=True)
    if shown is None:
        with pytest.raises(NotFound):
            await sources.tree(url, "odd", version)
        return
    tree = await sources.tree(url, "odd", version)
    assert load_document(tree.read("Chart.yaml")).value["version"] == load_document(shown).value["version"]


async def test_both_ways_lead_to_the_same_tree(sources, repository, registry):
    one = await sources.tree(repository.base, "webshop", await sources.resolve(repository.base, "webshop", ""))
    url = f"oci://{registry.host}/charts/webshop"
    other = await sources.tree(url, "", await sources.resolve(url, "", ""))
    assert one.digest == other.digest


@pytest.mark.parametrize("wanted", ["~1.2.0", "1.10.0"])
async def test_dependencies_are_those_that_helm_would_build(wanted, place, sources, cli, tmp_path):
    url, _ = place
    umbrella = tmp_path / "umbrella"
    umbrella.mkdir()
    (umbrella / "Chart.yaml").write_text(
        "apiVersion: v2\nname: umbrella\nversion: 1.0.0\n"
        f"dependencies:\n- name: odd\n  version: {wanted!r}\n  repository: {url}\n"
    )
    cli("dependency", "update", umbrella, *(["--plain-http"] if url.startswith("oci:") else []))
    version = load_document((umbrella / "Chart.lock").read_bytes()).value["dependencies"][0]["version"]
    tree = await sources.dependency(url, "odd", wanted)
    assert load_document(tree.read("Chart.yaml")).value["version"] == version
