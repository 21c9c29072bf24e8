"""How an application is synced: which tasks there are, in which order, and what comes next. Decisions only, no hands.

    tasks = plan(sync, desired, live, facts)           what there is to do
    move = step(sync, tasks, results, view)            a Run to carry out, a Wait, or the End
    results = recorded(move.results, outcomes)         what has become of it: all that is kept between two steps

`teardown` is the way back, `losses` what a plan would take away, `superseding` and `deadlines` say when to stop.
"""

from plumbline.delivery.sync.losses import losses
from plumbline.delivery.sync.moves import End, Move, Run, View, Wait
from plumbline.delivery.sync.operation import Sync, sync_of
from plumbline.delivery.sync.planning import plan
from plumbline.delivery.sync.results import Outcome, recorded
from plumbline.delivery.sync.stepping import step

__all__ = ["End", "Move", "Outcome", "Run", "Sync", "View", "Wait", "losses", "plan", "recorded", "step", "sync_of"]
