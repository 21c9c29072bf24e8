import pytest

from plumbline.providers.sandbox import backend
from plumbline.providers.sandbox.sparing import spare

from .aws import Town

# As its process does, where nothing of moto is loaded yet; here others may have done so.
spare()


@pytest.fixture(scope="module")
def still():
    """A cloud for requests that leave it as it is."""
    backend.forget()
    yield Town()
    backend.forget()


@pytest.fixture
def town():
    backend.forget()
    yield Town()
    backend.forget()
