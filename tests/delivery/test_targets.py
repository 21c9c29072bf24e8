"""Sources that refer to each other: who renders, and whose files others may take."""

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import MemoryTree
from plumbline.delivery.targets import Targets, Wanted
from plumbline.kinds.application import ApplicationSource, ApplicationSourceHelm
from plumbline.render.requests import App, Capabilities, Settings
from plumbline.source.git.values import Resolved

GIT = "https://git.example.org/values.git"
CHARTS = "https://charts.example.org"
SHA = "0123456789abcdef0123456789abcdef01234567"
FILES = MemoryTree({"values.yaml": b"a: 1"})


class Commits:
    async def resolved(self, url, revision, *, project="", tag_prefix="", fresh=False):
        return Resolved(SHA)

    async def tree(self, url, sha, *, project=""):
        return FILES


class Charts:
    def __init__(self):
        self.passed = []

    async def resolve(self, url, chart, version, *, project="", fresh=False):
        return version

    async def tree(self, url, chart, version, *, project="", pass_credentials=False):
        self.passed.append(pass_credentials)
        return FILES


class Keys:
    """Renders nothing."""

    async def claimed(self, request):
        return request

    def key(self, request):
        return request.source.repo_url


async def sourced(*sources, charts=None):
    read = tuple(ApplicationSource(**each) for each in sources)
    wanted = Wanted(read, (), App(name="web"), Capabilities(), Settings())
    return await Targets(Commits(), charts or Charts(), Keys()).sourced(wanted)


CHART = {"repo_url": CHARTS, "chart": "shop", "target_revision": "1.0.0"}


async def test_a_source_that_others_only_refer_to_renders_nothing():
    found = await sourced(CHART, {"repo_url": GIT, "ref": "values"})
    assert [each.source.repo_url for each in found.requests] == [CHARTS]
    assert found.requests[0].refs == {"values": FILES}


async def test_with_a_path_it_renders_too():
    found = await sourced(CHART, {"repo_url": GIT, "ref": "values", "path": "manifests"})
    assert [each.source.repo_url for each in found.requests] == [CHARTS, GIT]


async def test_a_chart_that_has_a_ref_is_rendered_and_its_files_are_nobody_elses():
    found = await sourced({**CHART, "ref": "chart"}, {"repo_url": GIT, "ref": "values"})
    assert [each.source.repo_url for each in found.requests] == [CHARTS]
    assert found.requests[0].refs == {"values": FILES}


async def test_two_of_one_name_are_refused():
    with pytest.raises(InvalidInput, match="Two sources are called values"):
        await sourced({**CHART, "ref": "values"}, {"repo_url": GIT, "ref": "values"})


@pytest.mark.parametrize("passed", [False, True])
async def test_a_chart_is_fetched_as_its_source_says(passed):
    charts = Charts()
    await sourced({**CHART, "helm": ApplicationSourceHelm(pass_credentials=passed)}, charts=charts)
    assert charts.passed == [passed]
