"""Links that the settings put beside applications and projects. A template says where each leads; only to web pages."""

from collections.abc import Iterable, Mapping
from typing import Final

from plumbline.base.errors import BadExpression, EvaluationFailed, LimitExceeded
from plumbline.base.json import Json, JsonObject
from plumbline.base.log import logger
from plumbline.delivery.notifications.expressions import compiled
from plumbline.delivery.settings.values import Link
from plumbline.gotemplate import Surroundings, Template, sprig
from plumbline.gotemplate.values import Failed

_SCHEMES: Final = ("https://", "http://")

_log = logger("web.api.links")


class Links:
    """*surroundings* give templates the time and chance."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._functions = sprig(surroundings)

    def of(self, links: Iterable[Link], variables: Mapping[str, Json]) -> JsonObject:
        """Those whose condition holds. One that cannot be worked out is left out and logged, as upstream does."""
        found: list[JsonObject] = []
        for link in links:
            try:
                url = self._url(link, variables)
            except (BadExpression, EvaluationFailed, LimitExceeded, Failed) as fault:
                _log.warning("link left out", title=link.title, error=str(fault))
                continue
            if url:
                said = {"title": link.title, "url": url, "description": link.description, "iconClass": link.icon}
                found.append({name: value for name, value in said.items() if value is not None})
        return {"items": found}

    def _url(self, link: Link, variables: Mapping[str, Json]) -> str:
        if link.condition is not None and compiled(link.condition).evaluate(variables) is not True:
            return ""
        url = Template("deep-link", link.url, self._functions).execute(dict(variables))
        # Whoever can name an application would otherwise have others run what is behind `javascript:`.
        return url if is_page(url) else ""


def is_page(url: str) -> bool:
    return url.lower().startswith(_SCHEMES)
