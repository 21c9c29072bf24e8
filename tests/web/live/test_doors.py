"""Who is let in, and what they see, by sessions and rules that others keep."""

from dataclasses import dataclass, field

import pytest
from tests.web.live.pages import virtually

from plumbline.web.live import FamilySight, SessionDoor
from plumbline.web.requests import Request


@dataclass
class Session:
    token_id: str = ""
    claims: dict = field(default_factory=dict)


@dataclass
class Asker:
    name: str
    groups: tuple = ()
    issuer: str = "argocd"
    session: Session | None = None


class Askers:
    def __init__(self, asker):
        self._asker = asker

    async def asker(self, request):
        return self._asker

    async def still_valid(self, asker):
        return asker.name != "gone"


async def admitted(asker, peer="10.0.0.1"):
    scope = {"method": "GET", "path": "/", "headers": [], "query_string": b"", "client": (peer, 1)}
    return await SessionDoor(Askers(asker)).admit(Request(scope, None))


@virtually
async def test_streams_are_counted_by_session_and_decisions_shared_by_those_who_may_do_the_same():
    one = await admitted(Asker("ada", ("dev",), session=Session("1")))
    two = await admitted(Asker("ada", ("dev",), session=Session("2")))
    assert one.session != two.session
    assert one.identity == two.identity
    assert one.person == two.person
    others = (
        Asker("ada", ("ops",), session=Session("1")),
        Asker("ada", ("dev",), "https://sso.example", Session("1")),
        Asker("ada", ("dev",), session=Session("1", {"teams": ["a"]})),
        Asker("bob", ("dev",), session=Session("1")),
    )
    for other in others:
        assert (await admitted(other)).identity != one.identity
    assert [(await admitted(other)).person == one.person for other in others] == [True, False, True, False]


@virtually
async def test_whoever_has_no_session_is_told_apart_by_where_they_are():
    here, there = await admitted(Asker("", issuer="")), await admitted(Asker("", issuer=""), "10.0.0.2")
    assert here.session != there.session
    assert here.identity == there.identity


@virtually
async def test_a_token_without_an_id_is_that_of_its_subject():
    assert (await admitted(Asker("ada", session=Session()))).session == "argocd ada"


@virtually
async def test_a_session_is_good_as_long_as_those_say_who_keep_it():
    for name, good in (("ada", True), ("gone", False)):
        door = SessionDoor(Askers(Asker(name, session=Session("1"))))
        assert await door.holds(await admitted(Asker(name, session=Session("1")))) is good


@pytest.mark.parametrize(
    ("topic", "scope", "seen"),
    [
        ("applications", "p/x", True),
        ("applications", "q/x", False),
        ("application:argocd/x", "p/x", True),
        ("changes", "p/x", False),
        ("change:p/x", "p/x", False),
    ],
)
def test_each_family_has_its_rule_and_what_has_none_is_seen_by_nobody(topic, scope, seen):
    def rule(asker, scope):
        return asker == "ada" and scope.startswith("p/")

    sight = FamilySight(lambda: 7, {"applications": rule, "application:": rule})
    assert sight.version == 7
    assert sight.sees("ada", topic, scope) is seen
