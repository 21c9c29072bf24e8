"""Settings of access, followed live and changed without losing what others change."""

import asyncio

import pytest
from tests.access.places import NAMESPACE, PASSWORD, SECRETS, Hands, house, in_place, until

from plumbline.access.keeper import Keeper
from plumbline.access.notes import Failures, Notes, joined, with_failure, with_revoked
from plumbline.access.passwords import verified
from plumbline.base.errors import Conflict, Corrupted, Unreachable, WrongState
from plumbline.base.log import recorded
from plumbline.base.plaintext import Plaintext


async def test_nothing_is_known_before_it_was_read():
    with pytest.raises(Unreachable):
        _ = Keeper(None, NAMESPACE, Hands(), in_place).realm


async def test_changes_are_known_at_once():
    async with house() as home:
        assert home.keeper.realm.accounts["alice"].enabled
        assert home.keeper.realm is home.keeper.realm
        await home.set(**{"accounts.alice.enabled": "false", "users.anonymous.enabled": "true"})
        assert not home.keeper.realm.accounts["alice"].enabled
        assert home.keeper.realm.anonymous
        await home.client.delete(SECRETS._replace(name="argocd-secret"))
        await until(lambda: home.keeper.realm.key is None)
        with pytest.raises(Unreachable):
            _ = home.keeper.key


async def test_a_new_installation_gets_a_key_and_its_first_password_opens_the_door():
    async with house(config=None, secret=None) as home:
        await until(lambda: home.keeper.realm.accounts["admin"].password is not None)
        initial = (await home.secret("argocd-initial-admin-secret"))["password"]
        found = home.keeper.realm.accounts["admin"]
        assert verified(Plaintext(initial), found.password)
        assert found.password_at < home.clock.now(), "a session may begin within the same second"
        assert len(home.keeper.key.reveal()) >= 40


async def test_what_argo_cd_has_set_is_left_alone():
    async with house() as home:
        before = await home.secret()
        await asyncio.sleep(0.05)
        assert await home.secret() == before
        assert verified(Plaintext(PASSWORD), home.keeper.realm.accounts["admin"].password)


async def test_without_a_first_password_there_is_none():
    async with house(secret={"server.secretkey": "k" * 32}) as home:
        await asyncio.sleep(0.05)
        assert home.keeper.realm.accounts["admin"].password is None


async def test_many_who_change_it_at_once_lose_nothing():
    async with house() as home:
        names = [f"name-{number}" for number in range(12)]
        await asyncio.gather(
            *(home.keeper.note(lambda notes, name=name: with_failure(notes, name, 1, 300)) for name in names)
        )
        assert set(home.keeper.notes.failures) == set(names)
        await asyncio.gather(
            *(home.keeper.change(lambda realm, name=name: {f"x.{name}": b"1"}) for name in names),
        )
        assert {f"x.{name}" for name in names} <= (await home.secret()).keys()


async def test_what_is_noted_is_there_for_the_next_who_starts():
    async with house() as home:
        await home.keeper.note(lambda notes: with_failure(notes, "bob", 7, 300))
        await home.keeper.note(lambda notes: notes)
        other = Keeper(home.client, NAMESPACE, home.clock, in_place)
        running = asyncio.get_running_loop().create_task(other.run())
        await other.synced()
        assert other.notes.failures == {"bob": Failures(1, 7)}
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def test_notes_that_somebody_broke_let_nobody_in():
    async with house() as home:
        await home.set_secret("plumbline-sessions", notes="{")
        with pytest.raises(Corrupted):
            _ = home.keeper.notes


async def test_where_others_never_stop_writing_it_says_so(monkeypatch):
    async with house() as home:

        async def beaten(*_):
            raise Conflict("somebody else")

        monkeypatch.setattr(home.client, "patch", beaten)
        with pytest.raises(Conflict):
            await home.keeper.change(lambda realm: {"a": b"b"})


async def test_what_cannot_be_read_is_logged_once():
    async with house() as home:
        with recorded() as lines:
            await home.set(**{"users.session.duration": "soon"})
            assert home.keeper.realm.session_s == 86_400
            await home.set(url="https://x.example")
            assert home.keeper.realm.url
        assert [line["key"] for line in lines if "key" in line] == ["users.session.duration"]


async def test_a_setting_may_refer_to_another_secret():
    async with house() as home:
        await home.set_secret("sso", clientSecret="hidden", issuer="https://idp.example")
        text = "issuer: $sso:issuer\nclientID: us\nclientSecret: $sso:clientSecret"
        await home.set(**{"oidc.config": text})
        assert home.keeper.realm.oidc.client_secret == Plaintext("hidden")
        assert home.keeper.realm.oidc.issuer == "https://idp.example"
        with recorded():
            await home.client.delete(SECRETS._replace(name="sso"))
            await until(lambda: home.keeper.realm.oidc is None)


async def test_an_installation_that_observes_makes_nothing():
    async with house(config=None, secret=None, prepares=False) as home:
        await home.keeper.ready()
        assert home.keeper.realm.key is None


async def test_what_an_observer_notes_it_keeps_to_itself_and_hands_over_once_it_may_write():
    async with house(prepares=False) as home:
        written = []
        for verb in ("create", "patch", "update", "delete"):
            call = getattr(home.client, verb)
            setattr(home.client, verb, _counted(call, verb, written))
        await home.keeper.note(lambda notes: with_failure(notes, "bob", 7, 300))
        await home.keeper.note(lambda notes: with_revoked(notes, "a", 500, 7))
        assert (home.keeper.notes.failures, home.keeper.notes.revoked) == ({"bob": Failures(1, 7)}, {"a": 500})
        with pytest.raises(WrongState):
            await home.keeper.change(lambda realm: {"x": b"1"})
        assert written == []
        await home.set_secret("plumbline-sessions", notes='{"revoked":{"b":600}}')
        await until(lambda: "b" in home.keeper.notes.revoked)
        home.keeper.writes = lambda: True
        await home.keeper.note(lambda notes: with_revoked(notes, "c", 700, 7))
        assert home.keeper.notes.revoked == {"a": 500, "b": 600, "c": 700}
        assert home.keeper.notes.failures == {"bob": Failures(1, 7)}


def _counted(call, verb, written):
    async def counted(*args, **kwargs):
        written.append(verb)
        return await call(*args, **kwargs)

    return counted


def test_of_two_notes_whatever_one_has_ended_is_ended():
    both = joined(
        Notes(revoked={"a": 5, "b": 1}, void_before_s=1), Notes(revoked={"b": 9}, spent={"s": 2}, void_before_s=4)
    )
    assert both == Notes(revoked={"a": 5, "b": 9}, spent={"s": 2}, void_before_s=4)
