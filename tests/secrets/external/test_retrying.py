"""What a store says about requests that fail is done before anybody hears of a failure."""

import pytest
from tests.secrets.external.scene import STORES, external, store, story

from plumbline.base.errors import InvalidInput, Throttled, Unreachable
from plumbline.kinds.externalsecrets.secretstore import RetrySettings
from plumbline.secrets.external.retrying import Patience, patience, patiently


class Slept:
    def __init__(self):
        self.naps = []

    async def sleep(self, seconds):
        self.naps.append(seconds)


def failing(times, error):
    left = [error] * times

    async def work():
        if left:
            raise left.pop()
        return "done"

    return work


@pytest.mark.parametrize(
    ("settings", "expected", "why"),
    [
        (None, Patience(0), "nothing is said"),
        (RetrySettings(max_retries=3), Patience(3, 1.0), "a second, if nothing is said"),
        (RetrySettings(max_retries=3, retry_interval="250ms"), Patience(3, 0.25), "as it is said"),
        (RetrySettings(max_retries=10**6, retry_interval="9h"), Patience(20, 30.0), "within reason"),
        (RetrySettings(max_retries=-4), Patience(0, 1.0), "not less than never"),
    ],
)
def test_settings_are_taken_within_reason(settings, expected, why):
    assert patience(settings) == expected, why


@pytest.mark.parametrize("interval", ["soon", "-1s"])
def test_an_interval_that_is_none_is_refused(interval):
    with pytest.raises(InvalidInput):
        patience(RetrySettings(retry_interval=interval))


async def test_what_may_pass_by_itself_is_tried_as_often_as_it_is_said():
    clock, settings = Slept(), RetrySettings(max_retries=2, retry_interval="5s")
    assert await patiently(failing(2, Unreachable("down")), settings, clock) == "done"
    assert clock.naps == [5.0, 5.0]
    with pytest.raises(Unreachable):
        await patiently(failing(3, Unreachable("down")), settings, clock)
    with pytest.raises(Throttled):
        await patiently(failing(1, Throttled("slowly", after_s=9)), settings, clock)
    with pytest.raises(InvalidInput):
        await patiently(failing(1, InvalidInput("wrong")), settings, clock)
    assert len(clock.naps) == 4


@story
async def test_a_short_outage_is_not_even_seen(place):
    place.vault.failing = Unreachable("down")
    answered = place.vault.asked

    class Passing(Unreachable):
        pass

    place.vault.failing = None
    await place.apply(store(retrySettings={"maxRetries": 3, "retryInterval": "2s"}))
    await place.ready(name="vault", resource=STORES)
    place.vault.failing = Passing("down")
    await place.apply(external())
    await place.until(lambda: _asked(answered, 2), every_s=0.5)
    place.vault.failing = None
    await place.ready()
    assert await place.events() == {
        each: count for each, count in (await place.events()).items() if each[0] != "UpdateFailed"
    }
    assert place.metric("externalsecret_sync_calls_error", name="app", namespace="team") is None


async def _asked(answered, times):
    return answered["entries"] >= times


@story
async def test_settings_that_cannot_be_read_make_the_store_unusable(place):
    await place.apply(store(retrySettings={"retryInterval": "soon"}))
    await place.ready("False", "Not a duration", "vault", STORES)


@story
async def test_a_store_says_whether_it_can_be_written_to(place):
    await place.apply(store(), store("real", token="t"))
    fake = await place.ready(name="vault", resource=STORES)
    assert fake["status"]["capabilities"] == "ReadOnly"
