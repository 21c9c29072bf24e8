"""What a chart needs and its source has not comes from where the project permits sources, and from nowhere else."""

import base64

import pytest

from plumbline.base.errors import Forbidden, PlumblineError
from plumbline.base.tree import MemoryTree
from plumbline.delivery.dependencies import Dependencies
from plumbline.delivery.projects.project import Project
from plumbline.kinds.application import ApplicationSource, ApplicationSourceHelm
from plumbline.kinds.appproject import AppProjectSpec
from plumbline.render.helm import Dependency
from plumbline.render.requests import App, Request
from plumbline.source.secrets import Repositories

GIT = "https://git.example.org/shop.git"
CHART = MemoryTree({"Chart.yaml": b"name: far\n"})


class Archives:
    def __init__(self):
        self.asked = []

    async def dependency(self, url, name, version, *, project="", pass_credentials=False):
        self.asked.append((url, name, version, project, pass_credentials))
        return CHART

    async def file(self, address, *, beside, project=""):
        self.asked.append((address, beside, project))
        return b"a: 1"


@pytest.fixture
def archives():
    return Archives()


@pytest.fixture
def dependencies(archives):
    spec = AppProjectSpec(source_repos=(GIT, "https://charts.example.org/**"))
    return Dependencies(archives, lambda: {"shop": Project("shop", spec)}, lambda: Repositories(()))


def request(project="shop", **helm):
    source = ApplicationSource(repo_url=GIT, path="chart", helm=ApplicationSourceHelm(**helm))
    return Request(source=source, tree=CHART, app=App(name="web", project=project))


@pytest.mark.parametrize("passed", [False, True])
async def test_a_chart_comes_with_what_its_application_says_about_credentials(dependencies, archives, passed):
    wanted = Dependency("far", "^2", "https://charts.example.org/stable")
    assert await dependencies.dependency(request(pass_credentials=passed), wanted) is CHART
    assert archives.asked == [("https://charts.example.org/stable", "far", "^2", "shop", passed)]


async def test_all_that_may_not_come_is_said_at_once_and_before_anything_is_fetched(dependencies, archives):
    wanted = [
        Dependency("far", "^2", "https://charts.example.org/stable"),
        Dependency("a", "1", "oci://evil.example/charts"),
        Dependency("b", "1", "https://me:hunter2@evil.example/charts"),
        Dependency("c", "1", "oci://evil.example/charts"),
    ]
    with pytest.raises(Forbidden) as refused:
        dependencies.permit(request(), wanted)
    told = "helm repos evil.example/charts, https://***@evil.example/charts are not permitted in project 'shop'"
    assert str(refused.value).startswith(told)
    dependencies.permit(request(), wanted[:1])
    assert archives.asked == []


async def test_values_at_an_address_are_those_beside_the_source(dependencies, archives):
    assert await dependencies.values(request(), "https://charts.example.org/eu/values.yaml") == b"a: 1"
    assert archives.asked == [("https://charts.example.org/eu/values.yaml", GIT, "shop")]


def secret(name, url, **more):
    labels = {"argocd.argoproj.io/secret-type": "repository"}
    content = {"name": name, "url": url, "type": "helm", **more}
    data = {key: base64.b64encode(value.encode()).decode() for key, value in content.items()}
    return {"metadata": {"name": f"{name}-{more.get('project', 'all')}", "labels": labels}, "data": data}


NAMED = Repositories(
    (
        secret("vault", "https://charts.bob.example/vault", project="bob"),
        secret("inner", "https://charts.inner.example/x"),
        secret("stable", "https://charts.bob.example/stable", project="bob"),
        secret("stable", "https://charts.example.org/stable"),
    )
)


@pytest.mark.parametrize("repository", ["@vault", "alias:vault", "@inner"])
async def test_the_name_of_a_repository_tells_nobody_its_address_who_may_not_use_it(archives, repository):
    spec = AppProjectSpec(source_repos=("https://charts.example.org/**",))
    named = Dependencies(archives, lambda: {"shop": Project("shop", spec)}, lambda: NAMED)
    wanted = Dependency("far", "1", repository)
    with pytest.raises(PlumblineError) as refused:
        named.permit(request(), [wanted])
    assert "://" not in str(refused.value)
    assert "charts." not in str(refused.value)
    with pytest.raises(PlumblineError) as refused:
        await named.dependency(request(), wanted)
    assert "charts." not in str(refused.value)
    assert archives.asked == []


async def test_a_name_means_no_repository_of_another_project(archives):
    spec = AppProjectSpec(source_repos=("*",))
    named = Dependencies(archives, lambda: {"shop": Project("shop", spec)}, lambda: NAMED)
    await named.dependency(request(), Dependency("far", "1", "@stable"))
    assert [url for url, *_ in archives.asked] == ["https://charts.example.org/stable"]


@pytest.mark.parametrize("project", ["shop", "gone"])
async def test_what_the_project_does_not_permit_is_not_asked_for(dependencies, archives, project):
    with pytest.raises(Forbidden):
        await dependencies.values(request(project), "https://elsewhere.example.org/values.yaml")
    with pytest.raises(Forbidden):
        await dependencies.dependency(request(project), Dependency("far", "1", "https://elsewhere.example.org"))
    assert archives.asked == []
