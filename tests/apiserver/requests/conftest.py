"""A plane that serves the subresources which reach beyond the store."""

import pytest
from tests.apiserver.webhooks.planes import HookedPlane


@pytest.fixture
async def plane():
    made = HookedPlane()
    await made.start()
    yield made
    await made.close()
