"""What it takes to tell somebody: triggers, messages and services, made from one version of the configuration."""

from typing import NamedTuple, Self

from plumbline.delivery.notifications.configuration import Configuration
from plumbline.delivery.notifications.messages import Messages
from plumbline.delivery.notifications.services import Senders
from plumbline.delivery.notifications.services.outbound import Outbound
from plumbline.delivery.notifications.services.slack import Threads
from plumbline.delivery.notifications.triggers import Triggers
from plumbline.gotemplate import Surroundings
from plumbline.kernel.world import World


class Wires(NamedTuple):
    """What outlasts a configuration: connections, and which messages others are answers to."""

    outbound: Outbound
    threads: Threads

    @classmethod
    def laid(cls, outbound: Outbound | None) -> Self:
        return cls(outbound or Outbound(), Threads())


class Kit:
    def __init__(self, configuration: Configuration, world: World, wires: Wires) -> None:
        clock, ids, _ = world
        self.triggers = Triggers(configuration)
        self.messages = Messages(configuration, Surroundings(clock.now, ids))
        self.senders = Senders(configuration, wires.outbound, wires.threads, clock, ids)
        self.problems = (
            *configuration.problems,
            *self.triggers.problems,
            *self.messages.problems,
            *self.senders.problems,
        )
