"""The one rule that most operators share: a Ready condition that tells all."""

from plumbline.kube.health.rules import Rule, by_condition, degraded, healthy, on, progressing

MESSAGE = "{message}"


def by_ready(waiting: str, *, well: str = MESSAGE) -> Rule:
    """Ready False is Degraded, True is Healthy, anything else is still to come."""
    return (
        by_condition(on("Ready", "False", degraded(MESSAGE)), on("Ready", "True", healthy(well))),
        progressing(waiting),
    )
