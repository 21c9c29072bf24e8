"""Whether anything comes of an Application that nobody has written yet: whoever writes it hears it then, and not from its conditions."""

from typing import Final

from plumbline.base.errors import NotYet, PlumblineError, Refused, Throttled, TimedOut, Transient, Unauthenticated
from plumbline.base.json import JsonObject
from plumbline.delivery.facts import sources_of
from plumbline.delivery.looks.looking import Look, Looking
from plumbline.kernel.reconciler import Run
from plumbline.kinds.application import APPLICATION, ApplicationSpec
from plumbline.kinds.read import read
from plumbline.render.helm.values import NO_MATCH

_LATER: Final = (NotYet, Throttled, TimedOut)
"""What says nothing about the application."""


async def fault(looking: Looking, app: JsonObject) -> str:
    """Why its repositories cannot be read, or their files not rendered; empty where they can, or where nobody can tell now."""
    run: Look = Run(read(APPLICATION, app), generation=0, deleting=False)
    if run.spec.source_hydrator is not None:
        return ""  # what it syncs from is written once it is there
    try:
        at = await looking.ruling.ruled(run, None)
        await at.destination.capabilities()
    except PlumblineError:
        return ""  # of its project and its destination others speak
    try:
        await looking.tried(run, at)
    except _LATER:
        return ""
    except (Unauthenticated, Transient) as closed:
        return f"repository not accessible: {closed}"
    except Refused as wrong:
        if wrong.why.endswith(NO_MATCH):
            return ""
        return f"Unable to generate manifests in {_places(run.spec)}: {wrong}"
    return ""


def _places(spec: ApplicationSpec) -> str:
    return ", ".join(source.path or source.chart or "." for source in sources_of(spec))
