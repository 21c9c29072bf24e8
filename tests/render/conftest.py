"""A renderer of directories."""

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.evaluator import Evaluator
from plumbline.render import Renderer
from plumbline.render.directory import Directory


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
async def evaluator():
    async with Evaluator() as running:
        yield running


@pytest.fixture
def renderer(evaluator, clock):
    return Renderer({"Directory": Directory(evaluator)}, clock)
