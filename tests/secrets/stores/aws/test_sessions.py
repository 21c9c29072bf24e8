"""Roles are taken once, and kept until shortly before they end."""

from datetime import UTC, datetime, timedelta

import pytest

from plumbline.base.errors import Unauthenticated
from plumbline.secrets.stores.aws.sessions import Sessions
from plumbline.secrets.stores.store import Remote

SERVICE = "SecretsManager"
ROLE = "arn:aws:iam::123456789012:role/{}"
ACCOUNT = {"jwt": {"serviceAccountRef": {"name": "robot"}}}
NOW = datetime(2026, 1, 1, tzinfo=UTC)
STORE = ("SecretStore", "team", "aws")


def taken(cloud):
    return [action for action, _, _ in cloud.front.seen if action.startswith("AssumeRole")]


async def test_a_thousand_openings_are_one_call_to_sts(cloud):
    for _ in range(3):
        await cloud.opened(SERVICE, role=ROLE.format("a"), additionalRoles=[ROLE.format("b")])
    assert taken(cloud) == ["AssumeRole", "AssumeRole"]
    cloud.cluster.annotations = {"eks.amazonaws.com/role-arn": ROLE.format("robot")}
    for _ in range(3):
        await cloud.opened(SERVICE, auth=ACCOUNT)
    assert taken(cloud)[2:] == ["AssumeRoleWithWebIdentity"]
    assert len(cloud.cluster.tokens) == 1


async def test_other_credentials_or_another_role_are_another_session(cloud):
    await cloud.opened(SERVICE, role=ROLE.format("a"))
    cloud.cluster.secrets["aws", "key"] = "rotated"
    await cloud.opened(SERVICE, role=ROLE.format("a"))
    await cloud.opened(SERVICE, role=ROLE.format("a"), externalID="ext")
    assert len(taken(cloud)) == 3
    cloud.cluster.annotations = {"eks.amazonaws.com/role-arn": ROLE.format("robot")}
    await cloud.opened(SERVICE, auth=ACCOUNT)
    cloud.cluster.annotations = {"eks.amazonaws.com/role-arn": ROLE.format("other")}
    await cloud.opened(SERVICE, auth=ACCOUNT)
    assert len(taken(cloud)) == 5


async def test_what_aws_does_not_take_any_more_is_taken_anew(cloud):
    store = await cloud.opened(SERVICE, role=ROLE.format("a"))
    cloud.front.faults["GetSecretValue"] = [(400, [], b'{"__type": "ExpiredTokenException", "message": "over"}')]
    with pytest.raises(Unauthenticated):
        await store.value(Remote("db"))
    await cloud.opened(SERVICE, role=ROLE.format("a"))
    assert len(taken(cloud)) == 2


async def test_a_store_that_is_gone_leaves_nothing(cloud):
    await cloud.opened(SERVICE, role=ROLE.format("a"))
    cloud.sessions.forget(("SecretStore", "team", "other"))
    await cloud.opened(SERVICE, role=ROLE.format("a"))
    assert len(taken(cloud)) == 1
    cloud.sessions.forget(STORE)
    await cloud.opened(SERVICE, role=ROLE.format("a"))
    assert len(taken(cloud)) == 2


class Hands:
    def __init__(self, now):
        self.moment = now

    def now(self):
        return self.moment


@pytest.mark.parametrize(
    ("lasts", "later", "calls", "why"),
    [
        (timedelta(hours=1), timedelta(minutes=54), 1, "it is good for a while yet"),
        (timedelta(hours=1), timedelta(minutes=56), 2, "it ends soon"),
        (timedelta(minutes=4), timedelta(0), 2, "it was never good for long"),
        (None, timedelta(0), 2, "nobody said until when"),
    ],
)
async def test_a_session_is_kept_until_shortly_before_it_ends(lasts, later, calls, why):
    clock, made = Hands(NOW), []

    async def take():
        made.append(object())
        return made[-1], lasts and clock.moment + lasts

    sessions = Sessions(clock)
    await sessions.taken(STORE, b"role", take)
    clock.moment += later
    await sessions.taken(STORE, b"role", take)
    assert len(made) == calls, why
