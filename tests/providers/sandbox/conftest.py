import pytest

from plumbline.providers.sandbox import backend

from .aws import Town


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
