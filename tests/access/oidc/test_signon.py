"""Single sign-on against a provider that really answers: the whole way, and everything that must not work."""

import asyncio
import contextlib
import hashlib
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jws
from tests.access.oidc.identity import CALLBACK, CLIENT, HIDDEN, claims_of, identity, key_named
from tests.access.places import CONFIG, CONFIG_MAPS, Hands, house
from tests.access.test_tokens import by_hand, coded

from plumbline.access.oidc import sealed
from plumbline.access.oidc.wire import Wire
from plumbline.base.errors import GarbledReply, InvalidInput, LimitExceeded, TimedOut, Unauthenticated, Unreachable
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext


@contextlib.asynccontextmanager
async def signing_on(more="", **settings):
    clock = Hands()
    async with identity(clock) as idp:
        text = f"issuer: {idp.url}\nclientID: {CLIENT}\nclientSecret: '{HIDDEN}'\n{more}"
        async with house(
            config={**CONFIG, "oidc.config": text.replace("URL", idp.url), **settings}, clock=clock
        ) as home:
            yield home, idp


async def logged_in(home, idp, page="/"):
    begun = await home.signon.flow().begin(CALLBACK, page)
    query = parse_qs(idp.authorize(begun.url))
    return await home.signon.flow().finish(query["code"][0], query["state"][0], begun.kept, home.sessions.spend)


async def test_away_and_back_is_a_session():
    async with signing_on() as (home, idp):
        done = await logged_in(home, idp, "/applications")
        session = await home.sessions.opened(done.token, done.companion)
        assert (session.subject, session.username, session.issuer) == ("u-1", "eve@example.com", idp.url)
        assert session.groups == ("devs", "ops")
        assert (done.page, done.companion, session.local, session.capability) == ("/applications", "", False, None)
        assert await home.sessions.still_valid(session)
        assert idp.authenticated.startswith("Basic ")
        assert idp.asked.count("discovery") == 1
        assert idp.asked.count("keys") == 1


async def test_what_is_asked_for():
    more = "requestedIDTokenClaims: {groups: {essential: true}}\ndomainHint: corp\nrequestedScopes: [openid, x]"
    async with signing_on(more) as (home, idp):
        idp.about = {"authorization_endpoint": f"{idp.url}/authorize?tenant=1"}
        asked = parse_qs(urlsplit((await home.signon.flow().begin(CALLBACK, "/")).url).query)
        assert asked["tenant"] == ["1"]
        assert asked["scope"] == ["openid x"]
        assert asked["claims"] == ['{"id_token":{"groups":{"essential":true}}}']
        assert asked["domain_hint"] == ["corp"]
        assert len(asked["nonce"][0]) == len(asked["state"][0]) == 43


async def test_a_provider_may_want_the_secret_in_the_form():
    async with signing_on() as (home, idp):
        idp.about = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
        await logged_in(home, idp)
        assert idp.authenticated == HIDDEN


async def test_a_client_without_a_secret_has_its_challenge():
    async with signing_on("") as (home, idp):
        await home.set(**{"oidc.config": f"issuer: {idp.url}\nclientID: {CLIENT}"})
        assert (await logged_in(home, idp)).token
        assert idp.authenticated == ""


async def test_a_login_is_finished_once():
    async with signing_on() as (home, idp):
        begun = await home.signon.flow().begin(CALLBACK, "/")
        first, second = parse_qs(idp.authorize(begun.url)), parse_qs(idp.authorize(begun.url))
        finish = home.signon.flow().finish
        assert await finish(first["code"][0], first["state"][0], begun.kept, home.sessions.spend)
        with pytest.raises(Unauthenticated):
            await finish(second["code"][0], second["state"][0], begun.kept, home.another().spend)


@pytest.mark.parametrize("what", ["no cookie", "another cookie", "a longer one", "another state", "no code", "late"])
async def test_a_login_that_this_browser_has_not_begun_is_not_finished(what):
    async with signing_on() as (home, idp):
        begun = await home.signon.flow().begin(CALLBACK, "/")
        query = parse_qs(idp.authorize(begun.url))
        code, state, kept = query["code"][0], query["state"][0], begun.kept
        if what == "no cookie":
            kept = ""
        elif what == "another cookie":
            kept = sealed.closed(b"{}", home.keeper.key, b"another purpose")
        elif what == "a longer one":
            kept = "A" * 9000
        elif what == "another state":
            state = "x"
        elif what == "no code":
            code = ""
        else:
            home.clock.move(301)
        with pytest.raises(Unauthenticated):
            await home.signon.flow().finish(code, state, kept, home.sessions.spend)
        assert "token" not in idp.asked


@pytest.mark.parametrize(
    ("claims", "answer", "why"),
    [
        ({"nonce": "x"}, {}, "for another login"),
        ({"nonce": None}, {}, "for no login"),
        ({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, {}, "with another access token"),
        ({}, {"id_token": None}, "no token at all"),
        ({"aud": "others"}, {}, "for others"),
    ],
)
async def test_a_token_that_does_not_belong_to_the_login_is_refused(claims, answer, why):
    async with signing_on() as (home, idp):
        begun = await home.signon.flow().begin(CALLBACK, "/")
        query = parse_qs(idp.authorize(begun.url))
        nonce = parse_qs(urlsplit(begun.url).query)["nonce"][0]
        idp.answer = answer or {"id_token": idp.signed(**{"nonce": nonce, **claims})}
        with pytest.raises(Unauthenticated):
            await home.signon.flow().finish(query["code"][0], query["state"][0], begun.kept, home.sessions.spend)


async def test_an_access_token_that_belongs_to_the_token_is_fine():
    async with signing_on() as (home, idp):
        idp.claims["at_hash"] = coded(hashlib.sha256(b"opens-userinfo").digest()[:16])
        assert (await logged_in(home, idp)).token


FORGED = [
    ({"iss": "https://other.example"}, "another issuer"),
    ({"aud": "others"}, "another audience"),
    ({"aud": ["others", "more"]}, "other audiences"),
    ({"aud": None}, "no audience"),
    ({"exp": 1}, "expired"),
    ({"exp": None}, "without end"),
    ({"iat": 9e9}, "from the future"),
    ({"nbf": 9e9}, "not yet"),
    ({"sub": ""}, "nobody's"),
    ({"sub": 3}, "a number's"),
    ({"sub": "admin"}, "the name of our administrator"),
    ({"sub": "proj:shop:ci"}, "the name of a project role"),
    ({"federated_claims": {"user_id": "alice"}}, "the name of an account, in another claim"),
]


async def test_a_token_that_is_not_for_us_is_refused():
    async with signing_on() as (home, idp):
        taken = []
        for claims, why in FORGED:
            try:
                await home.sessions.opened(idp.signed(**claims))
            except Unauthenticated:
                continue
            taken.append(why)
        assert taken == []


async def test_tokens_for_one_of_our_audiences_are_taken():
    async with signing_on("cliClientID: cli") as (home, idp):
        for audience in ("cli", ["x", CLIENT]):
            assert await home.sessions.opened(idp.signed(aud=audience))


async def test_other_algorithms_and_keys_are_not_listened_to():
    async with signing_on() as (home, idp):
        idp.published = [key_named("first"), key_named("second")]
        content = encode(claims_of(idp.signed()))
        forged = [
            idp.signed(key=key_named("third")),
            idp.signed(key=key_named("second"))[:-4] + "AAAA",
            _none(content),
            "a.b.c",
        ]
        for token in forged:
            with pytest.raises(Unauthenticated):
                await home.signon.opened(token, "")
        idp.head = {"kid": "../../etc/passwd"}
        with pytest.raises(Unauthenticated):
            await home.signon.opened(idp.signed(), "")
        idp.head = {}
        assert await home.signon.opened(idp.signed(), "")


def _none(content):
    return f"{coded(encode({'alg': 'none', 'kid': 'first'}))}.{coded(content)}."


async def test_a_public_key_is_no_secret_to_sign_with():
    async with signing_on() as (home, idp):
        public = key_named("first").as_pem(private=False)
        token = by_hand({"alg": "HS256", "kid": "first"}, claims_of(idp.signed()), public)
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(token)


async def test_new_keys_are_found_and_strangers_cannot_make_us_look_all_the_time():
    async with signing_on() as (home, idp):
        assert await home.sessions.opened(idp.signed())
        home.clock.move(11)
        idp.key = key_named("second")
        idp.published = [idp.key]
        assert await home.sessions.opened(idp.signed())
        assert idp.asked.count("keys") == 2
        for _ in range(20):
            with pytest.raises(Unauthenticated):
                await home.sessions.opened(idp.signed(key=key_named("third")))
        assert idp.asked.count("keys") == 2
        home.clock.move(3601)
        assert await home.sessions.opened(idp.signed())
        assert idp.asked.count("keys") == 3


async def test_a_token_without_a_key_id_is_tried_with_all():
    async with signing_on() as (home, idp):
        idp.published = [key_named("second"), key_named("first")]
        now = claims_of(idp.signed())
        token = jws.serialize_compact({"alg": "RS256"}, encode(now), key_named("first"), ["RS256"])
        assert await home.sessions.opened(token)


async def test_keys_that_are_none_are_passed_over():
    async with signing_on() as (home, idp):

        class Odd:
            def as_dict(self, **_):
                return {"kty": "RSA", "n": "!", "e": "!"}

        class Hidden:
            def as_dict(self, **_):
                return {"kty": "oct", "k": "AAAA"}

        idp.published = [Odd(), Hidden(), key_named("first")]
        assert await home.sessions.opened(idp.signed())


async def test_logging_out_ends_it_for_every_replica():
    async with signing_on() as (home, idp):
        for claims in ({"jti": "a"}, {"jti": None, "uti": "b"}, {"jti": None, "at_hash": "c"}, {"jti": None}):
            token = idp.signed(**claims)
            session = await home.sessions.opened(token)
            await home.sessions.revoke(session)
            with pytest.raises(Unauthenticated):
                await home.another().opened(token)


@pytest.mark.parametrize(
    ("scopes", "claims", "groups"),
    [
        ("[groups]", {"groups": "one"}, ("one",)),
        ("[groups]", {"groups": ["a", 3, "b", "a"]}, ("a", "b")),
        ("[groups]", {"groups": {"a": "b"}}, ()),
        ("[roles, email]", {"roles": ["r"], "groups": ["g"]}, ("r", "eve@example.com")),
    ],
)
async def test_groups_are_in_the_claims_that_the_policy_names(scopes, claims, groups):
    async with signing_on() as (home, idp):
        await home.change(CONFIG_MAPS._replace(name="argocd-rbac-cm"), {"scopes": scopes})
        assert (await home.sessions.opened(idp.signed(**claims))).groups == groups


USERINFO = "enableUserInfoGroups: true\nuserInfoPath: /userinfo"


async def test_groups_from_userinfo_are_asked_for_once_and_known_to_all():
    async with signing_on(USERINFO) as (home, idp):
        done = await logged_in(home, idp)
        for replica in (home.sessions, home.another()):
            assert (await replica.opened(done.token, done.companion)).groups == ("from-userinfo",)
        assert idp.asked.count("userinfo") == 1
        for companion in ("", done.token, "a.b.c", done.companion[:-3]):
            with pytest.raises(Unauthenticated):
                await home.sessions.opened(done.token, companion)
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(idp.signed(sub="u-2"), done.companion)
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(done.companion)


async def test_userinfo_about_somebody_else_is_refused():
    async with signing_on(USERINFO.replace("/userinfo", "")) as (home, idp):
        idp.userinfo = {"sub": "u-2", "groups": ["admins"]}
        with pytest.raises(Unauthenticated):
            await logged_in(home, idp)


@pytest.mark.parametrize(
    ("about", "error"),
    [
        ({"issuer": "https://other.example"}, GarbledReply),
        ({"jwks_uri": 3}, GarbledReply),
        ({"token_endpoint": "http://plain.example/token"}, GarbledReply),
        ({"authorization_endpoint": "javascript:alert(1)"}, GarbledReply),
    ],
)
async def test_a_provider_that_is_not_what_was_configured_is_not_used(about, error):
    async with signing_on() as (home, idp):
        idp.about = about
        with pytest.raises(error):
            await home.signon.flow().begin(CALLBACK, "/")


async def test_a_provider_that_refuses_a_code_is_quoted_without_secrets():
    async with signing_on() as (home, _):
        begun = await home.signon.flow().begin(CALLBACK, "/")
        state = parse_qs(urlsplit(begun.url).query)["state"][0]
        with pytest.raises(Unauthenticated) as refused:
            await home.signon.flow().finish("made-up", state, begun.kept, home.sessions.spend)
        assert "invalid_grant" in str(refused.value)
        assert "made-up" not in str(refused.value)


async def test_another_provider_counts_as_soon_as_it_is_configured():
    async with signing_on() as (home, idp):
        session = await home.sessions.opened(idp.signed())
        await home.set(**{"oidc.config": "issuer: https://other.example\nclientID: us"})
        assert not await home.sessions.still_valid(session)
        await home.set(**{"oidc.config": None, "dex.config": "connectors: []"})
        with pytest.raises(InvalidInput) as refused:
            home.signon.flow()
        assert "oidc.config" in refused.value.hint
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(idp.signed())
        await home.set(**{"dex.config": None})
        with pytest.raises(InvalidInput):
            home.signon.flow()


async def test_the_wire_is_bounded_and_checked(monkeypatch):
    with pytest.raises(InvalidInput):
        await Wire().get("http://plain.example/x")
    with pytest.raises(InvalidInput):
        await Wire("no PEM").get("https://127.0.0.1:9/x")
    with pytest.raises(Unreachable):
        await Wire().get("http://127.0.0.1:9/x")
    async with identity(Hands()) as idp:
        idp.about = {"padding": "x" * (1 << 20)}
        with pytest.raises(LimitExceeded):
            await Wire().get(f"{idp.url}/.well-known/openid-configuration")
        with pytest.raises(GarbledReply):
            await Wire().get(f"{idp.url}/nothing")
        monkeypatch.setattr("plumbline.access.oidc.wire._TIMEOUT_S", 0.0)
        with pytest.raises(TimedOut):
            await Wire().get(f"{idp.url}/keys")
    monkeypatch.setattr("plumbline.access.oidc.wire.environment", lambda: {"HTTPS_PROXY": "socks5://x"})
    with pytest.raises(InvalidInput):
        await Wire().get("https://idp.example/x")


def test_what_a_browser_keeps_is_sealed():
    key = Plaintext("k")
    kept = sealed.closed(b"content", key, b"purpose")
    assert sealed.opened(kept, key, b"purpose") == b"content"
    assert sealed.opened(kept, key, b"other") is None
    assert sealed.opened(kept, Plaintext("l"), b"purpose") is None
    assert sealed.opened("é", key, b"purpose") is None
    assert sealed.opened("", key, b"purpose") is None


async def test_a_provider_that_is_away_ends_no_session_that_its_keys_are_known_for():
    async with signing_on() as (home, idp):
        token = (await logged_in(home, idp)).token
        wire, asked = home.signon._provider.wire, []

        async def away(url, headers=None):
            asked.append(url)
            raise Unreachable(f"{url} cannot be reached")

        wire.get = away
        home.clock.move(3590)
        late = idp.signed(jti="t-2")
        home.clock.move(600)
        assert (await home.sessions.opened(late)).subject == "u-1"
        assert (await home.sessions.opened(late)).subject == "u-1"
        assert len(asked) == 1, "it is not asked for each request"
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(token)
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(idp.signed(key_named("strange")))
        home.clock.move(11)
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(idp.signed(key_named("strange")))
        assert len(asked) == 2
        del wire.get
        idp.key = key_named("second")
        idp.published = [idp.key]
        home.clock.move(11)
        assert (await home.sessions.opened(idp.signed())).subject == "u-1"
        with pytest.raises(Unauthenticated):
            await home.sessions.opened(late)


async def test_tokens_that_strangers_make_up_keep_nobody_waiting_where_the_provider_is_slow():
    async with signing_on() as (home, idp):
        token = (await logged_in(home, idp)).token
        fetching = asyncio.Event()

        async def hangs(url, headers=None):
            fetching.set()
            await asyncio.Event().wait()

        home.signon._provider.wire.get = hangs
        home.clock.move(60)
        stranger = asyncio.create_task(home.sessions.opened(idp.signed(key_named("strange"))))
        await asyncio.wait_for(fetching.wait(), 5)
        assert (await asyncio.wait_for(home.sessions.opened(token), 5)).subject == "u-1"
        stranger.cancel()
