"""How many logins there are, and how many tokens are left behind."""

import asyncio

import pytest
from tests.secrets.stores.vault.scene import IDENTITY, READ_ALL, scene

from plumbline.base.errors import Forbidden, Refused, Unauthenticated
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.store import Remote
from plumbline.secrets.stores.vault import tokens as keeping
from plumbline.secrets.stores.vault.tokens import Given, Token

APP = Remote("app", "n")


async def _asked(at, times=1, **fields):
    """Open, ask and close, as a refresh does."""
    for _ in range(times):
        store = await at.approle_store(**fields)
        try:
            assert (await store.value(APP)).reveal() == b"1"
        finally:
            await store.close()


@pytest.fixture
async def at():
    async with scene() as made:
        made.server.write("secret/app", {"n": "1"})
        yield made


async def test_a_thousand_refreshes_log_in_once_and_leave_one_token(at):
    for _ in range(1000):
        await _asked(at, token_ttl=3600 * 24 * 365)
        await at.clock.advance(60)
    assert (at.server.logins, at.server.living) == (1, 1)
    await at.vaults.close()
    assert at.server.living == 0


async def test_those_who_ask_at_once_wait_for_one_login(at):
    stores = [await at.approle_store() for _ in range(10)]
    assert {(await each).reveal() for each in [store.value(APP) for store in stores]} == {b"1"}
    await asyncio.gather(*(store.value(APP) for store in stores))
    assert at.server.logins == 1


async def test_a_token_is_renewed_at_half_its_lease(at):
    await _asked(at, token_ttl=100)
    await at.clock.advance(49)
    await _asked(at)
    assert at.server.paths("renew-self") == []
    await at.clock.advance(2)
    await _asked(at, 3)
    assert len(at.server.paths("renew-self")) == 1
    await at.clock.advance(60)
    await _asked(at)
    assert (at.server.logins, len(at.server.paths("renew-self")), at.server.living) == (1, 2, 1)


async def test_towards_the_end_of_what_the_role_allows_there_is_another_login(at):
    await _asked(at, token_ttl=100, token_max_ttl=150)
    await at.clock.advance(60)
    await _asked(at)
    await at.clock.advance(60)
    await _asked(at)
    assert (at.server.logins, at.server.living) == (2, 1)


async def test_a_token_that_has_ended_is_replaced(at):
    await _asked(at, token_ttl=100)
    await at.clock.advance(101)
    await _asked(at)
    assert (at.server.logins, at.server.paths("renew-self"), at.server.living) == (2, [], 1)


async def test_batch_tokens_are_neither_renewed_nor_revoked(at):
    await _asked(at, token_ttl=100, token_type="batch")
    await at.clock.advance(60)
    await _asked(at)
    await at.vaults.close()
    assert (at.server.logins, at.server.paths("renew-self"), at.server.paths("revoke-self")) == (2, [], [])


async def test_a_token_with_few_uses_is_not_kept_and_given_back(at):
    await _asked(at, 3, token_num_uses=5)
    assert (at.server.logins, at.server.living) == (3, 0)


async def test_a_token_whose_uses_are_spent_is_replaced_within_one_opening(at):
    store = await at.approle_store(token_num_uses=2)
    for _ in range(4):
        await store.value(APP)
    await store.close()
    assert (at.server.logins, at.server.living) == (2, 0)


async def test_a_token_that_was_revoked_is_replaced_once_and_the_question_asked_again(at):
    await _asked(at)
    at.server.tokens.revoke_all()
    await _asked(at)
    assert (at.server.logins, at.server.living) == (2, 1)


async def test_those_who_find_a_token_gone_at_once_log_in_once(at):
    stores = [await at.approle_store() for _ in range(5)]
    await stores[0].value(APP)
    at.server.tokens.revoke_all()
    await asyncio.gather(*(store.value(APP) for store in stores))
    assert at.server.logins == 2


async def test_a_role_that_may_more_now_is_asked_for_another_token(at):
    store = await at.approle_store(paths={"secret/data/other": ["read"]})
    with pytest.raises(Forbidden):
        await store.value(APP)
    assert at.server.logins == 1
    at.server.policy("more", READ_ALL)
    at.server.ask("POST", "auth/approle/role/app", {"token_policies": ["app", "more"]})
    await at.clock.advance(60)
    assert (await store.value(APP)).reveal() == b"1"
    assert (at.server.logins, at.server.living) == (2, 1)


async def test_what_is_forbidden_does_not_cause_a_login_for_each_question(at):
    store = await at.approle_store(paths={"secret/data/other": ["read"]})
    for _ in range(20):
        with pytest.raises(Forbidden):
            await store.value(APP)
    assert (at.server.logins, at.server.living) == (1, 1)


async def test_a_token_is_not_given_up_for_one_that_cannot_be_had(at):
    await _asked(at, uses=1, paths={"secret/data/app": ["read"]})
    await at.clock.advance(60)
    store = await at.approle_store()
    with pytest.raises(Forbidden):
        await store.value(Remote("other"))
    assert (await store.value(APP)).reveal() == b"1"


async def test_a_token_that_is_gone_and_cannot_be_replaced_is_told(at):
    await _asked(at, uses=1)
    at.server.tokens.revoke_all()
    with pytest.raises(Unauthenticated):
        await _asked(at)


async def test_a_token_that_can_be_neither_renewed_nor_replaced_is_used_to_its_end(at):
    await _asked(at, uses=1, token_ttl=200, token_max_ttl=201)
    await at.clock.advance(110)
    await _asked(at, 5)
    assert at.server.logins == 2
    await at.clock.advance(61)
    await _asked(at)
    assert at.server.logins == 3
    await at.clock.advance(40)
    with pytest.raises(Unauthenticated):
        await _asked(at)


async def test_a_token_that_vault_refuses_to_renew_is_replaced(at):
    await _asked(at, token_ttl=100)
    await at.clock.advance(60)
    at.server.answers = [(400, b'{"errors": ["lease is not renewable"]}', {})]
    await _asked(at)
    assert (at.server.logins, at.server.living) == (2, 1)


async def test_another_credential_is_another_login_and_the_old_token_is_given_back(at):
    await _asked(at)
    role_id, secret_id = at.server.approle("again", READ_ALL)
    at.cluster.secrets["approle"] = {"role": role_id, "secret": secret_id}
    await _asked(at)
    assert (at.server.logins, at.server.living) == (2, 1)


async def test_stores_that_are_not_the_same_have_tokens_of_their_own(at):
    await _asked(at)
    await _asked(at, identity=("SecretStore", "other", "vault"))
    assert (at.server.logins, at.server.living) == (2, 2)
    await at.vaults.forget(("SecretStore", "other", "vault"))
    assert at.server.living == 1
    await at.vaults.forget(("SecretStore",))
    assert at.server.living == 0


async def test_no_more_tokens_are_kept_than_there_is_room_for(at, monkeypatch):
    monkeypatch.setattr(keeping, "_MOST", 3)
    for number in range(6):
        await _asked(at, identity=(*IDENTITY, str(number)))
    assert (at.server.logins, at.server.living) == (6, 3)
    await _asked(at, identity=(*IDENTITY, "5"))
    assert at.server.logins == 6


async def test_that_vault_cannot_be_told_is_no_reason_to_stop(at):
    await _asked(at)
    at.server.answers = [(500, b"", {})]
    await at.vaults.close()
    assert at.server.living == 1


async def test_a_farewell_takes_seconds_at_most(at, monkeypatch):
    async def never(token):
        await asyncio.Event().wait()

    await _asked(at)
    slot = next(iter(at.vaults._tokens._slots.values()))
    monkeypatch.setattr(keeping, "_FAREWELL_S", 0.01)
    monkeypatch.setattr(slot.desk, "revoke", never)
    await at.vaults.close()


async def test_a_login_without_a_token_is_told(at):
    for body, error in (
        (b'{"auth": {"client_token": "", "mfa_requirement": {}}}', Refused),
        (b'{"data": {}}', Exception),
    ):
        at.server.answers = [(200, body, {})]
        with pytest.raises(error):
            await (await at.approle_store()).value(APP)


async def test_a_token_that_somebody_else_made_is_left_alone(at):
    given = Given(Plaintext("t"))
    token = await given.current()
    assert await given.instead_of(token, gone=True) is None
    await given.close()
    store = await at.store()
    await store.value(APP)
    await store.close()
    await at.vaults.close()
    assert at.server.paths("-self") == []


def test_a_token_without_a_lease_lasts():
    token = Token(Plaintext("t"), made_s=1.0)
    assert not token.ended(1e9)
    assert not token.due(1e9)
    assert "t" not in repr(token.value)


class Hanging:
    """A desk of somebody whose server takes no token back."""

    async def login(self):
        return Token(Plaintext("theirs"), revocable=True)

    async def revoke(self, token):
        del token
        await asyncio.sleep(3600)


async def test_a_server_that_takes_no_token_back_keeps_nobody_elses_login_waiting(at, monkeypatch):
    monkeypatch.setattr(keeping, "_MOST", 2)
    monkeypatch.setattr(keeping, "_GIVING_BACK_S", 0.05, raising=False)
    tokens = at.vaults._tokens
    for number in range(2):
        await tokens.token(("SecretStore", "elsewhere", str(number)), b"", Hanging())
    async with asyncio.timeout(2):
        await _asked(at)
