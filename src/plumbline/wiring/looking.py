"""Delivery asked a question by somebody else: what it would render, and how that differs from what is there."""

from plumbline.delivery.compare import Comparer
from plumbline.delivery.delivery import Delivery
from plumbline.delivery.integrity import KEYS
from plumbline.delivery.looks import Looking
from plumbline.delivery.looks.looking import Tools
from plumbline.delivery.named import Named
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.orphans import Orphans
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.valuesfrom import ValueSources
from plumbline.delivery.valuesfrom.reading import Reading
from plumbline.kube.client import Client


def looking_with(delivery: Delivery, client: Client) -> Looking:
    """With what delivery renders and connects with, and nothing that it remembers but what servers have told it."""
    parts = delivery.parts
    clock, evaluator = parts.world.clock, parts.evaluator
    ruling = Ruling(delivery.installation, delivery.destinations)
    orphans = Orphans(lambda _: True, clock)
    comparing = Comparing(
        Comparer(evaluator), evaluator, orphans, ruling.scoped, names=Named(), foreseer=delivery.foreseer
    )
    keys = delivery.installation.config_map
    tools = Tools(parts.commits, parts.charts, parts.renderer, lambda: keys(KEYS), clock, ValueSources(Reading(client)))
    return Looking(ruling, comparing, tools)
