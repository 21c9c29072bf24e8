"""What is refused is tried again, and is still called what it is."""

import asyncio

from plumbline.base.errors import NotFound
from plumbline.kernel.execution import execute
from plumbline.kernel.outcomes import Wait
from plumbline.kernel.patience import patient


async def refused(run, state):
    raise NotFound("The Secret is not written", why='namespaces "late" not found', hint="Make the namespace.")


def test_a_step_that_is_refused_waits_under_the_name_of_what_refused_it():
    executed = asyncio.run(execute(None, patient(refused)))
    outcome = executed.reported.outcome
    assert isinstance(outcome, Wait)
    assert outcome.reason == "NotFound"
    assert outcome.message == 'The Secret is not written: namespaces "late" not found'
    assert executed.failed, "so that it is tried again with growing patience"
