"""Runs a composition's pipeline: function after function, each adding to what is desired. Does no IO of its own.

    outcome = await run(steps, State(composite, composed), Sources(functions=registry.function, fetch=fetch))

Whatever a function does, hang, crash, answer nonsense, is told in the outcome's `failure`; nothing is raised but the
cancellation of the whole.
"""

from plumbline.composition.pipeline.limits import Limits
from plumbline.composition.pipeline.runner import run
from plumbline.composition.pipeline.sources import Sources
from plumbline.composition.pipeline.values import Credential, Event, Failure, Outcome, Step

__all__ = ["Credential", "Event", "Failure", "Limits", "Outcome", "Sources", "Step", "run"]
