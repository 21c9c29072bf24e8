"""Events are gone an hour after they were last heard of."""

from tests.apiserver.controllers.housekeeping.house import CM, EVENT, house, virtually

HOUR_S = 3600.0


def told(there):
    return there.cluster.objects(EVENT, "default")


@virtually
async def test_an_event_lives_for_an_hour():
    async with house() as there:
        await there.cluster.record(await there.config("a"), "Seen", "it was seen")
        await there.rest(for_s=HOUR_S - 10)
        assert len(told(there)) == 1
        await there.rest(for_s=20)
        assert told(there) == []


@virtually
async def test_an_event_that_is_told_again_lives_for_another_hour():
    async with house() as there:
        subject = await there.config("a")
        await there.cluster.record(subject, "Seen", "it was seen")
        await there.rest(for_s=HOUR_S - 10)
        await there.cluster.record(subject, "Seen", "it was seen")
        await there.rest(for_s=20)
        (event,) = told(there)
        assert event["count"] == 2
        assert event["lastTimestamp"] > event["firstTimestamp"]
        await there.rest(for_s=HOUR_S)
        assert told(there) == []


@virtually
async def test_an_event_that_somebody_deletes_is_not_missed():
    async with house() as there:
        await there.cluster.record(await there.config("a"), "Seen", "it was seen")
        (event,) = told(there)
        await there.cluster.delete(event)
        await there.rest(for_s=2 * HOUR_S)
        assert told(there) == []


@virtually
async def test_what_happens_in_a_namespace_that_goes_is_not_told():
    async with house() as there:
        team = await there.make({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
        held = await there.config("a", namespace="team", finalizers=["example.org/a"])
        await there.cluster.delete(team)
        await there.cluster.record(held, "Late", "nobody can store this", warning=True, component="tester")
        assert there.cluster.objects(EVENT, "team") == []
        assert there.cluster.objects(CM, "team")
