"""Sources that a config management plugin renders."""

from tests.delivery.town import AtHand, Repository
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
