"""The token in a Secret holds for as long as it lies there, and its account is the one that it was made for."""

import base64
from datetime import timedelta

import pytest

from plumbline.access.identity import Identity
from plumbline.apiserver.authentication import legacy as legacy_module
from plumbline.apiserver.authentication.authenticator import Authenticator
from plumbline.apiserver.authentication.legacy import LEGACY_ISSUER, LegacyTokens, claims_in_secret

from .sample import EC_KEY, ISSUER, RSA_KEY, Cluster, obj

GROUPS = ("system:serviceaccounts", "system:serviceaccounts:home", "system:authenticated")
ROBOT = Identity("system:serviceaccount:home:robot", "u-robot", GROUPS)
LAST_USED = "kubernetes.io/legacy-token-last-used"
INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since"


class Home(Cluster):
    """With a token in the Secret `sec`, and a record of what was told to be used."""

    def __init__(self, key=EC_KEY):
        super().__init__(key)
        self.used = []
        self.legacy = LegacyTokens(
            [key.public], [ISSUER], self.lookup, self.clock, lambda secret, day: self.used.append(day)
        )
        self.authenticator = Authenticator([self.legacy, self.tokens], [ISSUER], self.clock)
        self.account = {"metadata": {"namespace": "home", "name": "robot", "uid": "u-robot"}}
        self.claims = claims_in_secret(self.account, "sec")
        self.kept = self.keep(self.claims)

    def keep(self, claims):
        token = self.key.token(claims)
        self.change("Secret", "sec", data={"token": base64.b64encode(token.encode()).decode()})
        return token

    def change(self, kind, name, *, data=None, **metadata):
        there = self.objects[kind, "home", name]
        changed = {**there, "metadata": {**there["metadata"], **metadata}}
        self.objects[kind, "home", name] = changed | ({"data": data} if data is not None else {})

    def fault(self, token, audiences=(ISSUER,)):
        return super().fault(token, audiences).removeprefix("[invalid bearer token, ").removesuffix("]")

    def who(self, token):
        return self.authenticator.identity(authorization=f"Bearer {token}")


def test_it_says_what_kubernetes_says():
    assert Home().claims == {
        "iss": "kubernetes/serviceaccount",
        "kubernetes.io/serviceaccount/namespace": "home",
        "kubernetes.io/serviceaccount/secret.name": "sec",
        "kubernetes.io/serviceaccount/service-account.name": "robot",
        "kubernetes.io/serviceaccount/service-account.uid": "u-robot",
        "sub": "system:serviceaccount:home:robot",
    }


@pytest.mark.parametrize("key", [RSA_KEY, EC_KEY], ids=["RS256", "ES256"])
async def test_it_makes_its_account_for_good(key):
    home = Home(key)
    assert home.who(home.kept) == ROBOT
    await home.clock.advance(timedelta(days=5000).total_seconds())
    assert home.who(home.kept) == ROBOT


def gone(home):
    del home.objects["Secret", "home", "sec"]


def going(home):
    home.change("Secret", "sec", deletionTimestamp="2026-01-01T00:00:00Z")


def replaced(home):
    home.change("Secret", "sec", data={"token": "b3RoZXI="})


def emptied(home):
    home.change("Secret", "sec", data={})


def spoilt(home):
    home.change("Secret", "sec", data={"token": "no base64"})


def no_account(home):
    del home.objects["ServiceAccount", "home", "robot"]


def account_going(home):
    home.change("ServiceAccount", "robot", deletionTimestamp="2026-01-01T00:00:00Z")


def another_account(home):
    home.objects["ServiceAccount", "home", "robot"] = obj("robot", "u-other")


@pytest.mark.parametrize(
    ("happens", "fault"),
    [
        (gone, "Token has been invalidated"),
        (going, "Token has been invalidated"),
        (replaced, "Token does not match server's copy"),
        (emptied, "Token does not match server's copy"),
        (spoilt, "Token does not match server's copy"),
        (no_account, 'serviceaccounts "robot" not found'),
        (account_going, "ServiceAccount home/robot has been deleted"),
        (another_account, "ServiceAccount UID (u-other) does not match claim (u-robot)"),
    ],
)
def test_it_ends_with_what_it_speaks_of_although_it_was_good_before(happens, fault):
    home = Home()
    assert home.who(home.kept) == ROBOT
    happens(home)
    assert home.fault(home.kept) == fault


def named(part):
    return f"kubernetes.io/serviceaccount/{part}"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"sub": ""}, "sub claim is missing"),
        ({named("namespace"): ""}, "namespace claim is missing"),
        ({named("secret.name"): ""}, "secretName claim is missing"),
        ({named("service-account.name"): ""}, "serviceAccountName claim is missing"),
        ({named("service-account.uid"): ""}, "serviceAccountUID claim is missing"),
        ({"sub": "system:serviceaccount:home:other"}, "sub claim is invalid"),
        ({"sub": "system:serviceaccount:home"}, "sub claim is invalid"),
        ({"sub": "root"}, "sub claim is invalid"),
        ({"aud": ["elsewhere"]}, f'token audiences ["elsewhere"] is invalid for the target audiences ["{ISSUER}"]'),
    ],
)
def test_a_token_that_says_too_little_or_contradicts_itself_is_bad(change, fault):
    home = Home()
    assert home.fault(home.keep(home.claims | change)) == fault


def test_claims_of_other_types_are_nobodys_token():
    home = Home()
    assert home.fault(home.keep(home.claims | {"sub": 7})) == "invalid bearer token"


def test_who_may_write_the_secret_cannot_make_a_token():
    home = Home()
    forged = RSA_KEY.token(home.claims)
    home.change("Secret", "sec", data={"token": base64.b64encode(forged.encode()).decode()})
    assert home.fault(forged) == "invalid signature, no keys found"
    head, body, signature = home.kept.split(".")
    assert "cryptographic" in home.fault(f"{head}.{body}.{signature[:-6]}AAAAAA")


def test_tokens_of_either_kind_are_not_taken_for_the_other():
    home = Home()
    assert home.who(home.token()).extra, "a requested one has an id"
    assert home.tokens.authenticate(home.kept, [ISSUER]) is None
    assert home.legacy.authenticate(home.token(), [ISSUER]) is None
    assert home.fault(home.key.token(home.claims | {"iss": ISSUER})) != ""
    assert LEGACY_ISSUER != ISSUER


def test_it_is_meant_for_the_api_alone():
    home = Home()
    assert "is invalid for the target audiences" in home.fault(home.kept, ["vault"])


async def test_the_day_of_its_use_is_told_once_it_is_not_known():
    home = Home()
    home.who(home.kept)
    assert home.used == ["2026-01-01"]
    home.change("Secret", "sec", labels={LAST_USED: "2026-01-01"})
    home.who(home.kept)
    home.change("Secret", "sec", labels={LAST_USED: "2026-01-02"})
    home.who(home.kept)
    assert home.used == ["2026-01-01"], "another clock may be past midnight"
    await home.clock.advance(timedelta(days=2).total_seconds())
    home.who(home.kept)
    assert home.used == ["2026-01-01", "2026-01-03"]


def test_a_token_that_was_taken_out_of_use_is_bad_until_the_label_goes():
    home = Home()
    home.change("Secret", "sec", labels={INVALID_SINCE: "2025-12-24"})
    assert "the token in secret home/sec for service account home/robot has been marked invalid" in home.fault(
        home.kept
    )
    assert home.used == ["2026-01-01"]
    home.change("Secret", "sec", labels={})
    assert home.who(home.kept) == ROBOT


def test_signatures_are_checked_once_for_as_many_tokens_as_are_remembered(monkeypatch):
    monkeypatch.setattr(legacy_module, "_VERIFIED", 2)
    home, checked = Home(), []
    verifies = home.key.public.verifies
    monkeypatch.setattr(home.key.public, "verifies", lambda *args: checked.append(args) or verifies(*args))
    for name in ("a", "b", "c"):
        home.objects["Secret", "home", name] = obj(name, name)
    tokens = {}
    for name in ("a", "b", "c"):
        token = tokens[name] = home.key.token(claims_in_secret(home.account, name))
        home.change("Secret", name, data={"token": base64.b64encode(token.encode()).decode()})
    for name in ("a", "b", "a", "c", "a"):
        home.who(tokens[name])
    assert len(checked) == 3
    home.who(tokens["b"])
    assert len(checked) == 4, "it was the one that nobody came with for the longest time"
