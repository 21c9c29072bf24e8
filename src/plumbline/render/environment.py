"""The build environment: what `$ARGOCD_APP_NAME` and its like stand for in parameters."""

import re
from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject, encode
from plumbline.kinds.application import ApplicationSourcePlugin
from plumbline.render.requests import Request

# As Go's os.Expand reads it: `${}` and an open `${` vanish, `$1` and `$$` are names of one character, and a dollar that
# no name follows stays.
_NAME: Final = r"(?P<name>[*#$@!?0-9-]|[A-Za-z_][A-Za-z0-9_]*)"
_CLOSED: Final = re.compile(r"\$(?:\{(?P<braced>[^}]*)\}|" + _NAME + ")")
_OPEN: Final = re.compile(r"\$(?:(?P<braced>\{)|" + _NAME + ")")
_UNFIT: Final = re.compile(r"[^A-Z0-9_]")
_SHORT: Final = 7


class Environment:
    """Variables, and texts with references to them replaced."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = variables

    def substituted(self, text: str) -> str:
        """*text* with `$NAME` and `${NAME}` replaced; nothing stands where no such variable is, and `$$` is a dollar."""
        if "$" not in text:
            return text
        # After the last brace there is none to look for, again and again.
        end = text.rfind("}") + 1
        return _CLOSED.sub(self._value, text[:end]) + _OPEN.sub(self._value, text[end:])

    def _value(self, match: re.Match[str]) -> str:
        name = match["name"] or match["braced"]
        return "$" if name == "$" else self.variables.get(name, "")


def environment(request: Request) -> Environment:
    """What a source may refer to."""
    app, source = request.app, request.source
    return Environment(
        {
            "ARGOCD_APP_NAME": app.known_as,
            "ARGOCD_APP_NAMESPACE": app.namespace,
            "ARGOCD_APP_PROJECT_NAME": app.project,
            "ARGOCD_APP_REVISION": app.revision,
            "ARGOCD_APP_REVISION_SHORT": app.revision[:_SHORT],
            "ARGOCD_APP_REVISION_SHORT_8": app.revision[: _SHORT + 1],
            "ARGOCD_APP_SOURCE_REPO_URL": app.repo_url,
            "ARGOCD_APP_SOURCE_PATH": source.path,
            "ARGOCD_APP_SOURCE_TARGET_REVISION": source.target_revision,
        }
    )


def plugin_environment(request: Request) -> dict[str, str]:
    """Everything that a plugin finds in its environment: the above, the destination, its own variables and parameters."""
    can = request.capabilities
    known = Environment(
        {
            **environment(request).variables,
            "KUBE_VERSION": can.kube_version,
            "KUBE_API_VERSIONS": ",".join(can.api_versions),
        }
    )
    plugin = request.source.plugin
    if plugin is None:
        return dict(known.variables)
    for each in plugin.env:
        if "=" in each.name or "\0" in each.name + each.value:
            raise InvalidInput(
                f"Cannot give {each.name!r} to the plugin", why="no variable can have that name or value"
            )
    own = {f"ARGOCD_ENV_{each.name}": known.substituted(each.value) for each in plugin.env}
    return {**known.variables, **own, **_parameters(plugin)}


def _parameters(plugin: ApplicationSourcePlugin) -> dict[str, str]:
    announced: list[JsonObject] = []
    out: dict[str, str] = {}
    for each in plugin.parameters:
        shown: JsonObject = {"name": each.name}
        base = f"PARAM_{_fit(each.name)}"
        if each.string_ is not None:
            shown["string"] = out[base] = each.string_
        if each.map is not None:
            shown["map"] = each.map
            out.update({f"{base}_{_fit(key)}": value for key, value in each.map.items()})
        if each.array is not None:
            shown["array"] = each.array
            out.update({f"{base}_{index}": value for index, value in enumerate(each.array)})
        announced.append(dict(sorted(shown.items())))
    return {"ARGOCD_APP_PARAMETERS": encode(announced).decode(), **out}


def _fit(name: str) -> str:
    return _UNFIT.sub("_", name.upper())
