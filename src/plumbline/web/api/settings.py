"""`GET /api/v1/settings`: what a login page has to know, and to those who are logged in somewhat more."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.documents import load_document
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.delivery.settings.reading import CONTROL_PLANE
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint
from plumbline.web.operations import Operation
from plumbline.web.requests import Request, Response

_PATH: Final = "/api/v1/settings"
_OIDC: Final = ("name", "issuer", "clientID", "cliClientID", "requestedScopes", "enablePKCEAuthentication")
_PATTERN: Final = "^.{8,32}$"


class Doors(NamedTuple):
    """How people may log in."""

    passwords: bool = True


Current: TypeAlias = Callable[[], Doors]


class Settings:
    def __init__(self, desk: Desk, doors: Current) -> None:
        self._desk = desk
        self._doors = doors
        said = Operation(method="GET", path=_PATH, summary="Settings", tag="settings", anonymous=True)
        self.endpoints = (Endpoint(said, self._get),)

    async def _get(self, request: Request, _: Captured) -> Response:
        guest = await self._desk.rights.guest(request)
        known = guest is not None and bool(guest.name)
        entries = self._entries()
        return answered({**self._for_all(entries), **(self._for_known(entries) if known else {})})

    def _for_all(self, entries: Mapping[str, str]) -> JsonObject:
        settings = self._desk.installation.settings
        display, rendering = settings.display, settings.rendering
        told: JsonObject = {
            "url": display.url,
            "additionalUrls": list(display.additional_urls),
            "appLabelKey": settings.tracking.label_key,
            "trackingMethod": settings.tracking.method,
            "installationID": settings.tracking.installation_id,
            "statusBadgeEnabled": display.status_badge,
            "statusBadgeRootUrl": display.status_badge_url,
            "kustomizeOptions": {"BuildOptions": rendering.kustomize.build_options, "BinaryPath": ""},
            "kustomizeVersions": sorted(rendering.kustomize.versions),
            "googleAnalytics": {"anonymizeUsers": True},
            "help": {"chatText": entries.get("help.chatText", ""), "chatUrl": entries.get("help.chatUrl", "")},
            "userLoginsDisabled": not self._doors().passwords,
            "uiCssURL": entries.get("ui.cssurl", ""),
            "execEnabled": entries.get("exec.enabled") == "true",
            "appsInAnyNamespaceEnabled": bool(settings.application_namespaces),
            "impersonationEnabled": settings.impersonation.enabled,
            "hydratorEnabled": settings.hydrating.enabled,
            "syncWithReplaceAllowed": settings.replace_allowed,
            "dexConfig": _dex(entries),
            "oidcConfig": _oidc(entries),
        }
        return {name: value for name, value in told.items() if value not in ("", [], None, False)}

    def _for_known(self, entries: Mapping[str, str]) -> JsonObject:
        told = {
            "uiBannerContent": entries.get("ui.bannercontent", ""),
            "uiBannerURL": entries.get("ui.bannerurl", ""),
            "uiBannerPosition": entries.get("ui.bannerposition", ""),
            "uiBannerPermanent": entries.get("ui.bannerpermanent") == "true",
            "controllerNamespace": self._desk.namespace,
            "passwordPattern": entries.get("passwordPattern") or _PATTERN,
        }
        return {name: value for name, value in told.items() if value}

    def _entries(self) -> Mapping[str, str]:
        config = self._desk.installation.config_map(CONTROL_PLANE) or {}
        entries: Mapping[str, str] = config.get("data") or {}
        return entries


def _oidc(entries: Mapping[str, str]) -> JsonObject | None:
    """What a page needs to send somebody there; the client's secret is not among it."""
    said = _document(entries.get("oidc.config", ""))
    if not said:
        return None
    told = {name: said[name] for name in _OIDC if said.get(name)}
    return {"scopes" if name == "requestedScopes" else name: value for name, value in told.items()}


def _dex(entries: Mapping[str, str]) -> JsonObject | None:
    said = _document(entries.get("dex.config", ""))
    found: Json = said.get("connectors")
    if not isinstance(found, list):
        return None
    named = [each for each in found if isinstance(each, dict)]
    return {"connectors": [{part: str(each.get(part, "")) for part in ("name", "type")} for each in named]}


def _document(text: str) -> JsonObject:
    if not text:
        return {}
    try:
        value = load_document(text).value
    except InvalidInput:
        return {}
    return value if isinstance(value, dict) else {}
