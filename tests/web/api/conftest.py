import pytest
from tests.web.api.yard import yard


@pytest.fixture
async def place():
    async with yard() as made:
        yield made
