"""One browser; one installation with two thousand applications, one with the sample platform; somebody who is logged in."""

import pytest
from tests.conformance.real import programs
from tests.e2e.installation import FORGE, Desk

from .browsing import Furnished, Person, chromium
from .crowd import crowd


@pytest.fixture(scope="module")
def browser():
    """No longer than a file: as long as it is there, so is its event loop, and no other test can have one."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """With two thousand applications, of which nobody syncs any, and a repository to push to."""
    house = Furnished(tmp_path_factory.mktemp("browsed") / "data", programs=programs())
    house.start()
    house.stand_for("shop", FORGE)
    crowd(house)
    yield house
    house.stop()


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """As a newcomer has it."""
    house = Furnished(tmp_path_factory.mktemp("sampled") / "data", programs=programs(), sample=True)
    house.start()
    yield house
    house.stop()


@pytest.fixture(scope="session")
def desk(place):
    return Desk(place.folder.parent / "shop", f"{place.web}/git/shop.git")


@pytest.fixture(scope="module")
def session(browser, place):
    """What a browser keeps of a login."""
    return entered(browser, place)


@pytest.fixture(scope="module")
def sample_session(browser, sample):
    return entered(browser, sample)


def entered(browser, house):
    person = Person(browser, house.web)
    page = person.visit("/login")
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill(house.password)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url("**/applications")
    state = person.context.storage_state()
    person.leave()
    return state


@pytest.fixture
def person(browser, place, session):
    somebody = Person(browser, place.web, session)
    yield somebody
    somebody.leave()


@pytest.fixture
def newcomer(browser, sample, sample_session):
    somebody = Person(browser, sample.web, sample_session)
    yield somebody
    somebody.leave()


@pytest.fixture
def stranger(browser, place):
    somebody = Person(browser, place.web)
    yield somebody
    somebody.leave()
