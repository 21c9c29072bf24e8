"""Config management plugins: programs of the operator's that turn files into manifests.

They are what Argo CD's are: a folder holds definitions (`kind: ConfigManagementPlugin`), whose commands are run here and
confined, and the sockets of sidecars, which are spoken to as Argo CD does.

    plugins = Plugins(folder)
    Renderer({"Plugin": PluginTool(plugins), ...}, clock, discovering=Discovery(plugins))
"""

from plumbline.render.plugins.discovery import Discovery
from plumbline.render.plugins.folder import Plugins
from plumbline.render.plugins.tool import PluginTool

__all__ = ["Discovery", "PluginTool", "Plugins"]
