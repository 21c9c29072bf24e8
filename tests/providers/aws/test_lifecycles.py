"""Every table through the whole life of a resource, on moto behind AWS's rules."""

import msgspec
import pytest

from plumbline.managed.external import ABSENT

from .cases import CASES

pytestmark = pytest.mark.asyncio(loop_scope="session")


def case_id(case):
    return f"{case.table.service}-{case.table.kind}"


def paths(observed):
    return {difference.path for difference in observed.differences}


class Life:
    """One resource, from the side of the reconciler."""

    def __init__(self, cloud, case):
        self.cloud = cloud
        self.case = case
        self.managed = cloud.managed(case.table, {**case.wanted, **case.given(cloud)})

    async def begin(self):
        self.external = await self.cloud.external(self.case.table, self.managed)
        assert await self.external.observe(self.managed) == ABSENT
        created = await self.external.create(self.managed)
        self.change(external_name=created.external_name or self.managed.external_name)
        for _ in range(3):
            observed = await self.external.observe(self.managed)
            if not observed.differences:
                return
            await self.external.update(self.managed, observed)

    def change(self, **what):
        self.managed = msgspec.structs.replace(self.managed, **what)

    def want(self, **fields):
        self.change(wanted={**self.managed.wanted, **fields})

    async def put_right(self):
        """What differs; it no longer does after one update."""
        observed = await self.external.observe(self.managed)
        await self.external.update(self.managed, observed)
        self.seen = await self.external.observe(self.managed)
        assert (self.seen.exists, self.seen.differences) == (True, ())
        return paths(observed)


EVERYDAY = {
    "rds-Instance",
    "s3-Bucket",
    "s3-BucketVersioning",
    "sqs-Queue",
    "dynamodb-Table",
    "ec2-SecurityGroupRule",
    "iam-Role",
}


def under_rules():
    """All of them with `make conformance`: the rules take their time."""
    for case in CASES:
        marks = () if case_id(case) in EVERYDAY else pytest.mark.conformance
        yield pytest.param(case, marks=marks, id=case_id(case))


@pytest.mark.parametrize("case", CASES, ids=case_id)
async def test_a_life(cloud, case):
    await live(cloud, case)


@pytest.mark.parametrize("case", list(under_rules()))
async def test_a_life_under_the_rules_of_aws(strict_cloud, case):
    if case.plain:
        pytest.skip("the sandbox loses it when it changes")
    await live(strict_cloud, case)


async def live(cloud, case):
    life = Life(cloud, case)
    await life.begin()
    await seen_in_few_calls(life)
    await found_again(life)
    if case.drift:
        case.drift(cloud, life.managed.external_name)
        assert await life.put_right()
    if case.change:
        life.want(**case.change)
        assert set() < await life.put_right() <= set(case.change)
    if case.table.tags is not None and not case.untagged:
        await tagged(life)
    if not case.stays:
        await deleted(life)


async def seen_in_few_calls(life):
    life.cloud.calls.clear()
    observed = await life.external.observe(life.managed)
    assert (observed.exists, observed.differences, observed.state) == (True, (), "Available")
    assert len([call for call in life.cloud.calls if call != "GetCallerIdentity"]) == life.case.calls
    assert observed.at_provider["id"]


async def found_again(life):
    """The control plane was lost: nobody knows the external name, and it is the same one."""
    table, managed = life.case.table, life.managed
    if life.case.lost:
        return
    lost = life.cloud.managed(table, managed.wanted)
    again = await life.external.observe(lost)
    assert (again.exists, again.external_name) == (True, managed.external_name)
    if not life.case.once:
        created = await life.external.create(lost)
        assert (created.external_name or lost.external_name) == managed.external_name
    if table.tags is not None and table.external_name == "assigned" and not table.key.field:
        twin = life.cloud.managed(table, managed.wanted, namespace="team-beta")
        assert await life.external.observe(twin) == ABSENT


async def tagged(life):
    life.want(tags={"team": "gamma", "left": "out"})
    await life.external.update(life.managed, await life.external.observe(life.managed))
    life.want(tags={"team": "delta"})
    assert await life.put_right() == {"tags"}
    at_provider = life.seen.at_provider
    table = life.case.table
    assert at_provider["tags"] == {"team": "delta"}
    assert at_provider["tagsAll"] == {
        "team": "delta", "crossplane-name": "team-alpha", "crossplane-providerconfig": "default",
        "crossplane-kind": f"{table.kind}.{table.api_group}".lower(),
    }  # fmt: skip


async def deleted(life):
    life.change(object={"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
    observed = await life.external.observe(life.managed)
    if observed.exists:
        await life.external.delete(life.managed, observed)
        await life.external.delete(life.managed, observed)
    observed = await life.external.observe(life.managed)
    assert observed == ABSENT or (life.case.lingers and observed.state == "Deleting")
