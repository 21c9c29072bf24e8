"""Services by name, each able to send."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.ids import Ids
from plumbline.delivery.notifications.configuration import Configuration, Service
from plumbline.delivery.notifications.messages import Message
from plumbline.delivery.notifications.services.outbound import Outbound
from plumbline.delivery.notifications.services.slack import SlackService, Threads
from plumbline.delivery.notifications.services.webhook import WebhookService
from plumbline.delivery.notifications.subscriptions import Destination
from plumbline.delivery.settings.problems import Problem


class Sender(Protocol):
    async def send(self, message: Message, destination: Destination) -> None:
        """Raises why it was not sent: Transient where it may be tried again, else Refused. Never with a secret in it."""


class Senders:
    """The services of a configuration. Threads of Slack outlive it."""

    def __init__(
        self, configuration: Configuration, outbound: Outbound, threads: Threads, clock: Clock, ids: Ids
    ) -> None:
        self._senders: dict[str, Sender] = {}
        self._unknown: dict[str, str] = {}
        self._tools = (outbound, threads, clock, ids)
        problems: list[Problem] = []
        for name, service in configuration.services.items():
            make = _KINDS.get(service.kind)
            if make is None:
                why = f"services of type {service.kind} are not supported; slack and webhook are"
                problems.append(Problem(f"service.{service.kind}", why))
                self._unknown[name] = why
                continue
            try:
                self._senders[name] = make(self, service)
            except (InvalidInput, msgspec.ValidationError) as fault:
                # What it says may quote an option, and options hold secrets.
                why = fault.why if isinstance(fault, InvalidInput) else "its options are not what the service takes"
                problems.append(Problem(f"service.{service.kind}", why))
        self.problems = tuple(problems)

    def of(self, name: str) -> Sender:
        """Raises NotFound."""
        if name not in self._senders:
            raise NotFound(f"notification service '{name}' is not supported", why=self._unknown.get(name, ""))
        return self._senders[name]

    def _slack(self, service: Service) -> Sender:
        outbound, threads, _, _ = self._tools
        return SlackService(service.options, outbound, threads)

    def _webhook(self, service: Service) -> Sender:
        outbound, _, clock, ids = self._tools
        return WebhookService(service.options, outbound, clock, ids)


_KINDS: Final[Mapping[str, Callable[[Senders, Service], Sender]]] = {
    "slack": Senders._slack,  # noqa: SLF001 - a table of this class's own methods
    "webhook": Senders._webhook,  # noqa: SLF001 - same
}
