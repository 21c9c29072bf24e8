"""A plane and webhooks for it."""

import pytest
from tests.apiserver.webhooks.hookserver import hook_server
from tests.apiserver.webhooks.planes import HookedPlane


@pytest.fixture
async def plane():
    made = HookedPlane()
    await made.start()
    yield made
    await made.close()


@pytest.fixture(scope="module")
def shared_hooks():
    with hook_server() as server:
        yield server


@pytest.fixture
def hooks(shared_hooks):
    """Without memory of other tests."""
    shared_hooks.asked.clear()
    shared_hooks.released.clear()
    yield shared_hooks
    shared_hooks.released.set()
