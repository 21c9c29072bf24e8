"""Few processes for many promises: each test has applications and folders of its own."""

import pytest

from .installation import FORGE, Desk, Installation


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    """One for all tests. Those that end it start it again."""
    place = Installation(tmp_path_factory.mktemp("installation") / "data")
    place.start()
    place.stand_for("shop", FORGE)
    yield place
    place.stop()


@pytest.fixture(scope="session")
def shop(installation):
    """Its repository, checked out."""
    return Desk(installation.folder.parent / "shop", f"{installation.web}/git/shop.git")
