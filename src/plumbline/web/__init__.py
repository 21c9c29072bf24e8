"""Product HTTP API, live stream, login and the static UI.

One port, made of parts: each brings its routes, and `Web` serves them within bounds on what clients may send.

    web = Web(Settings(), [Webhooks(on_push, settings, clock), Health(checks), Metrics(collect), Git(forge, access, on_pushed)])
    async with web.running(): ...
"""

from plumbline.web.artifacts import Artifacts
from plumbline.web.health import Health
from plumbline.web.metrics import Metrics, exposed
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Part, Route
from plumbline.web.web import Settings, Web
from plumbline.web.webhooks import Webhooks, WebhookSettings

__all__ = [
    "Artifacts",
    "Health",
    "Metrics",
    "Part",
    "Request",
    "Response",
    "Route",
    "Settings",
    "Web",
    "WebhookSettings",
    "Webhooks",
    "exposed",
]
