"""Plugins behind the two questions that every tool answers."""

from typing import Protocol

from msgspec.structs import replace

from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode_sorted
from plumbline.render.environment import plugin_environment
from plumbline.render.plugins.bounds import touching
from plumbline.render.plugins.plugin import Plugin
from plumbline.render.requests import Origin, Request
from plumbline.render.tool import Output
from plumbline.render.tools.printed import objects


class _Plugins(Protocol):
    def named(self, name: str) -> Plugin | None: ...


class PluginTool:
    heavy = True

    def __init__(self, plugins: _Plugins) -> None:
        self._plugins = plugins

    def inputs(self, request: Request) -> tuple[str, ...]:
        """All that a command can see: which files and variables it looks at is not known, so every commit counts.

        Where the application says what counts, commits that touch nothing of it are as good as the one before.
        """
        plugin = self._plugin(request)
        files: tuple[str, ...] = (request.tree.digest,)
        if request.app.generate_paths:
            files = touching(request.tree, request.source.path, request.app.generate_paths)
            request = replace(request, app=replace(request.app, revision=""))
        variables = encode_sorted(plugin_environment(request)).decode()
        return plugin.name, plugin.identity(), variables, request.place, *files

    async def render(self, request: Request) -> Output:
        plugin = self._plugin(request)
        if not request.claimed and await plugin.discovers() and not await plugin.claims(request):
            raise InvalidInput(
                f"Cannot render with plugin {plugin.name}",
                why=f"could not find cmp-server plugin with name {plugin.name!r} supporting the given repository",
                hint="Its discovery does not match the files of the source: correct one of them.",
            )
        began = Origin(f"plugin {plugin.name}")
        text = await plugin.generated(request)
        found, warnings = await objects(text, began.path, lambda _: began, inline_bytes=request.settings.inline_bytes)
        return Output(found, warnings)

    def _plugin(self, request: Request) -> Plugin:
        name = request.claimed or (request.source.plugin.name if request.source.plugin else "")
        if not name:
            raise InvalidInput(
                "Cannot render with a plugin",
                why="could not find plugin supporting the given repository",
                hint="Name the plugin in spec.source.plugin.name.",
            )
        plugin = self._plugins.named(name)
        if plugin is None:
            raise InvalidInput(
                f"Cannot render with plugin {name}",
                why=f"could not find cmp-server plugin with name {name!r}",
                hint="A plugin with a version is called NAME-VERSION. Put its definition or its socket into the folder of plugins.",
            )
        return plugin
