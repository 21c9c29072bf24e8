"""Composites whose functions take long keep those of nobody else waiting."""

import asyncio

from tests.composition.test_stories import MODERN, composite, modern
from tests.composition.works import Function, state, story


class Slow(Function):
    async def run(self, call):
        if call.observed.composite.resource["metadata"]["namespace"] == "shop":
            await asyncio.sleep(50)
        return await super().run(call)


@story
async def test_a_namespace_whose_functions_take_long_keeps_no_other_waiting(works):
    works.functions["compose"] = Slow()
    await works.define(definition=modern())
    for at in range(150):
        await works.apply(composite(f"slow-{at}"), MODERN)
    await works.settle(30)
    await works.apply(composite("orders", "crossplane-system"), MODERN)

    async def is_ready():
        return state(await works.get(MODERN, "orders", "crossplane-system"), "Ready") == "True"

    await works.until(is_ready, within_s=10)
