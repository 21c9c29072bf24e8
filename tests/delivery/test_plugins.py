"""Sources that a config management plugin renders."""

from tests.delivery.town import REPO, AtHand, Repository, story
from tests.render.samples import config_map, names

from plumbline.base.clock import VirtualClock
from plumbline.delivery.targets import Targets, Wanted
from plumbline.kinds.application import ApplicationSource
from plumbline.kinds.values import converted
from plumbline.render import App, Renderer
from plumbline.render.directory import Directory
from plumbline.render.plugins import Discovery, PluginTool
from plumbline.render.requests import Capabilities, Settings


class Wants:
    """A plugin that wants what has a file of its own."""

    name = "wants"

    def identity(self):
        return "1"

    async def discovers(self):
        return True

    async def claims(self, request):
        return request.tree.entry(f"{request.place}/wants.txt") is not None

    async def generated(self, request):
        return config_map("from-the-plugin").encode()

    def all(self):
        return [self]

    def named(self, name):
        return self if name == self.name else None


def wanted(path, **options):
    source = converted({"repoURL": "https://git.example/shop.git", "path": path, **options}, ApplicationSource)
    return Wanted((source,), (), App(name=path), Capabilities(), Settings())


async def made(path, **options):
    repository = Repository()
    plain = config_map("plain")
    repository.push({"a/cm.yaml": plain, "b/cm.yaml": plain, "b/wants.txt": "please"})
    tools = {"Directory": Directory(AtHand()), "Plugin": PluginTool(Wants())}
    targets = Targets(repository, None, Renderer(tools, VirtualClock(), discovering=Discovery(Wants())))
    sourced = await targets.sourced(wanted(path, **options))
    (rendered,) = await targets.rendered(sourced)
    assert rendered.key == sourced.keys[0]
    return rendered.source_type, names(rendered)


async def test_an_application_is_rendered_by_the_plugin_that_wants_it():
    assert await made("b") == ("Plugin", ["from-the-plugin"])


async def test_others_are_rendered_as_ever():
    assert await made("a") == ("Directory", ["plain"])


async def test_who_says_how_is_not_asked():
    assert await made("b", directory={"recurse": True}) == ("Directory", ["plain"])


APPS = "argoproj.io/v1alpha1/applications"
FILES = {"web/wants.txt": "please", "db/other.txt": "nothing"}


class Counts(Wants):
    """Makes something else each time, as who looks things up elsewhere does."""

    def __init__(self):
        self.made = 0

    async def generated(self, request):
        self.made += 1
        return config_map("made", count=f'"{self.made}"').encode()


async def counted(town, **annotations):
    """A plugin that has made manifests once, for an application with *annotations*."""
    plugin = Counts()
    town.renderer._tools = {"Plugin": PluginTool(plugin)}
    source = {"repoURL": REPO, "path": "web", "targetRevision": "main", "plugin": {"name": "wants"}}
    named = {f"argocd.argoproj.io/{name.replace('_', '-')}": value for name, value in annotations.items()}
    await town.deploy(source=source, metadata={"annotations": named})
    await town.synced()
    assert plugin.made == 1
    return plugin


@story(files=FILES)
async def test_a_hard_refresh_runs_the_plugin_again_though_nothing_changed(town):
    plugin = await counted(town)
    for kind, made in (("normal", 1), ("hard", 2), ("normal", 2), ("hard", 3)):
        await town.patch(APPS, "web", {"metadata": {"annotations": {"argocd.argoproj.io/refresh": kind}}}, "argocd")
        await town.settle(10)
        assert plugin.made == made
    assert (await town.get("v1/configmaps", "made"))["data"] == {"count": "3"}


@story(files=FILES)
async def test_a_commit_elsewhere_runs_it_again_unless_the_application_says_what_counts(town):
    plugin = await counted(town)
    await town.synced(revision=town.repository.push({**FILES, "db/other.txt": "something"}))
    assert plugin.made == 2


@story(files=FILES)
async def test_a_commit_that_touches_nothing_of_what_counts_is_taken_over_without_running_it(town):
    plugin = await counted(town, manifest_generate_paths=" . ;")
    await town.synced(revision=town.repository.push({**FILES, "db/other.txt": "something"}))
    assert plugin.made == 1
    await town.synced(revision=town.repository.push({**FILES, "web/wants.txt": "now"}))
    assert plugin.made == 2
