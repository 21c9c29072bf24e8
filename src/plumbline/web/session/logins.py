"""How often somebody came in, or tried to, under upstream's name."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter

from plumbline.web.requests import Request, Response
from plumbline.web.routes import Serve

_REFUSALS: Final = 400
"""Answers from here on let nobody in."""


class Logins:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter("argocd_login_request", "Logins", ("status",), registry=registry)

    def counted(self, serve: Serve) -> Serve:
        """*serve*, of which each answer is a login or the refusal of one."""

        async def served(request: Request) -> Response:
            outcome = "failure"
            try:
                answered = await serve(request)
                if answered.status < _REFUSALS:
                    outcome = "success"
                return answered
            finally:
                self._requests.labels(outcome).inc()

        return served
