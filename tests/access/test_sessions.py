"""Sessions: who gets one, for how long, and everything that ends it."""

import asyncio

import pytest
from tests.access.places import CONFIG, PASSWORD, SECRET, Hands, house
from tests.access.test_tokens import by_hand

from plumbline.access import tokens
from plumbline.access.accounts import TokenRecord, with_password, with_tokens
from plumbline.access.limiter import Terms
from plumbline.access.passwords import hashed
from plumbline.access.projecttokens import projects_of
from plumbline.base.errors import InvalidInput, NotFound, Throttled, Unauthenticated, Unreachable
from plumbline.base.plaintext import Plaintext

RIGHT, WRONG = Plaintext(PASSWORD), Plaintext("battery staple")


async def test_a_login_gives_a_session_as_argo_cd_would():
    async with house() as home:
        token = await home.sessions.login("admin", RIGHT)
        claims = tokens.opened(token, home.keeper.key, home.clock.now())
        now_s = int(home.clock.now().timestamp())
        assert (claims.iss, claims.sub, claims.iat, claims.nbf, claims.exp) == (
            "argocd", "admin:login", now_s, now_s, now_s + 86_400,
        )  # fmt: skip
        session = await home.sessions.opened(token)
        assert (session.subject, session.issuer, session.local, session.capability) == (
            "admin",
            "argocd",
            True,
            "login",
        )
        assert await home.sessions.still_valid(session)


@pytest.mark.parametrize(
    ("name", "password", "error", "why"),
    [
        ("admin", WRONG, Unauthenticated, "the wrong password"),
        ("nobody", RIGHT, Unauthenticated, "a name that nobody has"),
        ("robot", RIGHT, Unauthenticated, "an account for programs"),
        ("admin", Plaintext(""), Unauthenticated, "no password"),
        ("x" * 33, RIGHT, InvalidInput, "a name that is too long"),
    ],
)
async def test_others_get_none(name, password, error, why):
    async with house() as home:
        with pytest.raises(error):
            await home.sessions.login(name, password)


async def test_a_disabled_account_is_told_so_only_with_the_right_password():
    async with house(config={**CONFIG, "accounts.alice.enabled": "false"}) as home:
        with pytest.raises(Unauthenticated, match="Invalid username or password"):
            await home.sessions.login("alice", WRONG)
        with pytest.raises(Unauthenticated, match="disabled"):
            await home.sessions.login("alice", RIGHT)


async def test_answer_and_time_tell_nothing_about_names_and_locks():
    async with house() as home:
        told = set()
        for name in (*["admin"] * 7, "nobody", "robot"):
            began_s = home.clock.monotonic()
            with pytest.raises(Unauthenticated) as refused:
                await home.sessions.login(name, WRONG)
            told.add((str(refused.value), refused.value.hint, (home.clock.monotonic() - began_s) % 0.25))
        assert len(told) == 1


async def test_the_same_work_is_done_for_every_name(monkeypatch):
    checked = []
    monkeypatch.setattr("plumbline.access.sessions.verified", lambda given, stored: checked.append(stored) and False)
    async with house() as home:
        for name in (*["admin"] * 6, "nobody"):
            with pytest.raises(Unauthenticated):
                await home.sessions.login(name, WRONG)
        assert len(checked) == 7


async def test_after_five_failures_the_right_password_does_not_help_until_the_window_is_over():
    async with house() as home:
        for _ in range(5):
            with pytest.raises(Unauthenticated):
                await home.sessions.login("admin", WRONG)
        for replica in (home.sessions, home.another()):
            with pytest.raises(Unauthenticated):
                await replica.login("admin", RIGHT)
        assert await home.sessions.login("alice", RIGHT), "others are not kept out"
        home.clock.move(301)
        assert await home.sessions.login("admin", RIGHT)


async def test_a_restart_between_tries_does_not_help():
    async with house() as home:
        for _ in range(5):
            with pytest.raises(Unauthenticated):
                await home.another().login("admin", WRONG)
        with pytest.raises(Unauthenticated):
            await home.another().login("admin", RIGHT)


async def test_a_login_that_works_starts_the_count_again():
    async with house() as home:
        for _ in range(3):
            for _ in range(4):
                with pytest.raises(Unauthenticated):
                    await home.sessions.login("admin", WRONG)
            await home.sessions.login("admin", RIGHT)
        assert home.keeper.notes.failures == {}


async def test_many_at_once_are_counted_one_by_one(monkeypatch):
    checked = []
    monkeypatch.setattr("plumbline.access.sessions.verified", lambda given, stored: checked.append(given) and False)
    async with house() as home:
        tries = (home.sessions.login("admin", WRONG) for _ in range(20))
        done = await asyncio.gather(*tries, return_exceptions=True)
        assert all(isinstance(each, Unauthenticated) for each in done)
        assert home.keeper.notes.failures["admin"].count == 5


async def test_names_that_nobody_has_cost_nothing(monkeypatch):
    monkeypatch.setattr("plumbline.access.sessions.verified", lambda given, stored: False)
    async with house() as home:
        for number in range(20_000):
            with pytest.raises(Unauthenticated):
                await home.sessions.login(f"name-{number}", WRONG)
        assert home.keeper.notes.failures == {}
        assert len(home.sessions.limiter._turns) == 0


async def test_more_than_can_wait_are_told_to_come_back():
    async def slowly(work):
        await asyncio.sleep(0.001)
        return work()

    async with house() as home:
        home.world = home.world._replace(aside=slowly)
        sessions = home.another(Terms(most_waiting=2))
        tries = (sessions.login("nobody", WRONG) for _ in range(6))
        done = await asyncio.gather(*tries, return_exceptions=True)
        assert {type(each) for each in done} == {Unauthenticated, Throttled}


@pytest.mark.parametrize(
    ("setting", "life_s"), [("90m", 5400), ("7d", 604_800), ("30s", 30), ("1h30m", 86_400), ("0h", 86_400)]
)
async def test_how_long_a_session_lasts_is_a_setting(setting, life_s):
    async with house(config={**CONFIG, "users.session.duration": setting}) as home:
        session = await home.sessions.opened(await home.sessions.login("admin", RIGHT))
        assert session.expires_s - session.issued_s == life_s
        home.clock.move(life_s)
        assert not await home.sessions.still_valid(session)


async def test_somebody_who_stays_is_given_another_token_shortly_before():
    async with house() as home:
        session = await home.sessions.opened(await home.sessions.login("admin", RIGHT))
        assert home.sessions.renewed(session) is None
        home.clock.move(86_400 - 299)
        renewed = home.sessions.renewed(session)
        later = await home.sessions.opened(renewed)
        assert later.expires_s == session.expires_s - 299 + 86_400
        await home.sessions.revoke(session)
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(renewed)
        home.clock.move(300)  # by now the first token would have ended by itself
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(renewed)


async def test_a_session_that_was_ended_is_over_everywhere_and_after_a_restart():
    async with house() as home:
        token = await home.sessions.login("admin", RIGHT)
        session = await home.sessions.opened(token)
        await home.sessions.revoke(session)
        for replica in (home.sessions, home.another()):
            assert not await replica.still_valid(session)
            with pytest.raises(Unauthenticated):
                await replica.opened(token)


async def test_where_too_many_were_ended_all_from_before_are(monkeypatch):
    monkeypatch.setattr("plumbline.access.notes.MOST_REVOKED", 1)
    async with house() as home:
        kept = await home.sessions.login("alice", RIGHT)
        for _ in range(2):
            await home.sessions.revoke(await home.sessions.opened(await home.sessions.login("admin", RIGHT)))
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(kept)
        assert await home.sessions.opened(await home.sessions.login("alice", RIGHT)), (
            "and whoever comes again is let in"
        )


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"accounts.alice.enabled": "false"}, "disabled"),
        ({"accounts.alice": "apiKey"}, "may not log in any more"),
        ({"accounts.alice": None}, "removed"),
    ],
)
async def test_an_account_that_changes_ends_its_sessions_at_once(settings, why):
    async with house() as home:
        token = await home.sessions.login("alice", RIGHT)
        session = await home.sessions.opened(token)
        await home.set(**settings)
        assert not await home.sessions.still_valid(session), why
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(token)


async def test_a_new_password_ends_sessions_from_before_even_of_the_same_second():
    async with house() as home:
        before = await home.sessions.login("alice", RIGHT)
        kept = hashed(WRONG)
        await home.keeper.change(lambda realm: with_password("alice", kept, home.clock.now()))
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(before)
        after = await home.sessions.login("alice", WRONG)
        assert (await home.sessions.opened(after)).subject == "alice"


async def test_another_key_ends_everything():
    async with house() as home:
        token = await home.sessions.login("admin", RIGHT)
        await home.set_secret(**{"server.secretkey": "another-unguessable-key"})
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(token)


async def test_an_api_token_counts_while_there_is_a_record_of_it():
    async with house() as home:
        token, issued_s, ends_s = home.sessions.issued("robot:apiKey", 0, "ci")
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(token)
        await home.keeper.change(lambda realm: with_tokens("robot", (TokenRecord("ci", issued_s, ends_s),)))
        session = await home.sessions.opened(token)
        assert (session.subject, session.capability, session.expires_s) == ("robot", "apiKey", 0)
        assert home.sessions.renewed(session) is None
        await home.sessions.revoke(session)
        assert await home.sessions.still_valid(session), "it has no end, so that logging out does not end it"
        await home.keeper.change(lambda realm: with_tokens("robot", ()))
        assert not await home.sessions.still_valid(session)


async def test_a_token_without_an_id_is_none():
    async with house() as home:
        now_s = int(home.clock.now().timestamp())
        token = by_hand({"alg": "HS256"}, {"iss": "argocd", "sub": "admin:login", "iat": now_s, "exp": now_s + 9})
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(token)


async def test_a_session_of_somebody_who_never_was_is_none():
    async with house() as home:
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(home.sessions.issued("nobody:login", 60, "1")[0])


PROJECT = {
    "spec": {"roles": [{"name": "ci", "jwtTokens": [{"iat": 5}]}, {"name": 3}, {"name": "other"}]},
    "status": {
        "jwtTokensByRole": {
            "ci": {"items": [{"iat": 7, "id": "known"}]},
            "gone": {"items": [{"iat": 7, "id": "known"}]},
        }
    },
}


@pytest.mark.parametrize(
    ("role", "issued_s", "token_id", "known", "why"),
    [
        ("ci", 9, "known", True, "by its id"),
        ("ci", 5, "", True, "by its time, as in projects of old"),
        ("ci", 7, "other", False, "another token of the same second"),
        ("ci", 7, "", False, "without the id that it was given"),
        ("other", 9, "known", False, "another role"),
        ("gone", 7, "known", False, "a role that was removed"),
    ],
)
async def test_a_token_of_a_project_role_counts_while_the_project_has_a_record(role, issued_s, token_id, known, why):
    async with house(projects={"shop": PROJECT}) as home:
        claims = {"iss": "argocd", "sub": f"proj:shop:{role}", "iat": issued_s, "nbf": issued_s}
        token = by_hand({"alg": "HS256"}, {**claims, "jti": token_id} if token_id else claims)
        if not known:
            with pytest.raises(Unauthenticated):
                await home.sessions.opened(token)
            return
        session = await home.sessions.opened(token)
        assert (session.subject, session.capability) == (f"proj:shop:{role}", None), why
        home.projects.clear()
        assert not await home.sessions.still_valid(session)


async def test_records_that_cannot_be_read_are_none():
    broken = {"spec": {"roles": "x"}, "status": {"jwtTokensByRole": {"ci": {"items": 3}}}}
    odd = {"spec": {"roles": [{"name": "ci"}]}, "status": {"jwtTokensByRole": {"ci": {"items": 3}}}}
    async with house(projects={"shop": broken, "odd": odd}) as home:
        for project in ("shop", "odd", "none"):
            with pytest.raises(Unauthenticated):
                await home.sessions.opened(home.sessions.issued(f"proj:{project}:ci", 60, "1")[0])


async def test_a_link_logs_the_administrator_in_once():
    async with house() as home:
        link = home.sessions.link().reveal().decode()
        session = await home.sessions.opened(await home.sessions.enter(link))
        assert session.subject == "admin"
        for replica in (home.sessions, home.another()):
            with pytest.raises(Unauthenticated):
                await replica.enter(link)


async def test_two_who_use_a_link_at_once_are_one():
    async with house() as home:
        link = home.sessions.link().reveal().decode()
        done = await asyncio.gather(*(home.another().enter(link) for _ in range(5)), return_exceptions=True)
        assert sorted(isinstance(each, str) for each in done) == [False] * 4 + [True]


async def test_a_link_is_worth_nothing_where_there_is_no_administrator():
    async with house(config={"admin.enabled": "false"}) as home:
        with pytest.raises(Unauthenticated):
            await home.sessions.enter(home.sessions.link().reveal().decode())


async def test_tokens_of_others_need_single_sign_on():
    async with house() as home:
        home.sessions._sso = None
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(by_hand({"alg": "HS256"}, {"iss": "https://idp"}))


async def test_a_session_in_the_second_of_the_first_password_begins_after_it():
    clock = Hands()
    at = clock.now().isoformat().replace("+00:00", "Z")
    async with house(secret={**SECRET, "admin.passwordMtime": at}, clock=clock) as home:
        token = await home.sessions.login("admin", RIGHT)
        assert await home.sessions.opened(token)


async def test_projects_are_asked_for_each_time():
    asked = []

    class Api:
        async def get(self, target):
            asked.append(target.path)
            if target.name == "none":
                raise NotFound("no such project")
            return b'{"spec":{}}'

    project = projects_of(Api(), "argocd")
    assert await project("shop") == {"spec": {}}
    assert await project("none") is None
    assert asked[0] == "/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/shop"


async def test_a_project_with_a_name_that_leads_elsewhere_is_none():
    async with house() as home:
        home.sessions._projects = projects_of(home.client, "default")
        for name in ("..", "a/b", ""):
            with pytest.raises(Unauthenticated):
                await home.sessions.opened(home.sessions.issued(f"proj:{name}:ci", 60, "1")[0])


async def test_guesses_count_where_nothing_can_be_written():
    """Attack 17: a full disk, or an API server that is away, gives nobody more tries."""
    async with house() as home:

        async def refused(*args, **kwargs):
            raise Unreachable("the API server is away")

        home.client.patch = refused
        assert await home.sessions.login("admin", RIGHT), "who knows the password comes in"
        for _ in range(5):
            for name in ("admin", "nobody"):
                with pytest.raises(Unauthenticated):
                    await home.sessions.login(name, WRONG)
        with pytest.raises(Unauthenticated):
            await home.sessions.login("admin", RIGHT)
        del home.client.patch
        with pytest.raises(Unauthenticated):
            await home.sessions.login("admin", RIGHT)
        home.clock.move(301)
        assert await home.sessions.login("admin", RIGHT)
        for _ in range(4):
            with pytest.raises(Unauthenticated):
                await home.sessions.login("admin", WRONG)
        assert await home.sessions.login("admin", RIGHT), "the count began again"
