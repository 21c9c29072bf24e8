"""Settings about who may come in: each as Argo CD reads it, and none that takes another with it."""

import pytest

from plumbline.access.oidcsettings import SCOPES
from plumbline.access.passwords import PATTERN
from plumbline.access.realm import Realm, read_realm
from plumbline.base.plaintext import Plaintext


def read(policy=None, **said):
    return read_realm({"data": {key.replace("__", "."): value for key, value in said.items()}}, policy, {})


def test_nothing_set_is_what_upstream_has():
    realm = read_realm(None, None, {})
    assert (realm.session_s, realm.anonymous, realm.password_pattern, realm.scopes) == (
        86_400,
        False,
        PATTERN,
        ("groups",),
    )
    assert realm.oidc is None
    assert not realm.problems


def test_everything_set():
    realm = read(
        {"data": {"scopes": "[cognito:groups, email]"}},
        url="https://a.example/", additionalUrls="- https://b.example\n- javascript:alert(1)\n", dex__config="x",
        users__anonymous__enabled="true", passwordPattern="^.{20,}$", users__session__duration="2h",
    )  # fmt: skip
    assert realm.urls == ("https://a.example", "https://b.example")
    assert (realm.dex, realm.anonymous, realm.password_pattern, realm.session_s) == (True, True, "^.{20,}$", 7200)
    assert realm.scopes == ("cognito:groups", "email")
    assert [problem.key for problem in realm.problems] == ["additionalUrls"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("url", "javascript:alert(1)"),
        ("url", "https://[x"),
        ("additionalUrls", "{a: b}"),
        ("additionalUrls", "[1]"),
        ("additionalUrls", "a: ["),
        ("users.session.duration", "-1h"),
        ("users.session.duration", "99999d"),
        ("oidc.tls.insecure.skip.verify", "true"),
        ("oidc.config", "issuer: ["),
        ("oidc.config", "issuer: https://idp.example"),
        ("oidc.config", "issuer: http://idp.example\nclientID: us"),
        ("oidc.config", "issuer: ''\nclientID: us"),
        ("oidc.config", "issuer: https://idp.example\nclientID: $nothing"),
        ("oidc.config", "issuer: https://idp.example\nclientID: us\nclientSecret: $other:nothing"),
        ("oidc.config", "issuer: https://idp.example\nclientID: us\nrequestedScopes: 3"),
        ("oidc.config", "issuer: https://[idp\nclientID: us"),
        ("oidc.config", 'issuer: "https://idp\\n.example"\nclientID: us'),
    ],
)
def test_what_cannot_be_used_is_told_and_is_as_if_it_were_not_there(key, value):
    realm = read_realm({"data": {key: value}}, None, {})
    assert [problem.key for problem in realm.problems] == [key]
    assert (realm.url, realm.additional_urls, realm.session_s, realm.oidc) == ("", (), 86_400, None)


def test_data_that_is_none_is_none():
    assert read_realm({"data": []}, {"data": {"scopes": 3}}, {"argocd-secret": {"data": 3}}) == read_realm(
        None, None, {}
    )
    assert isinstance(read_realm({}, {}, {}), Realm)


def test_single_sign_on_as_it_is_documented():
    text = """
name: Okta
issuer: https://idp.example
clientID: us
clientSecret: $oidc.secret
cliClientID: cli
requestedScopes: [openid, groups]
requestedIDTokenClaims: {groups: {essential: true}}
enablePKCEAuthentication: true
rootCA: PEM
logoutURL: https://idp.example/out?id_token_hint={{token}}
enableUserInfoGroups: true
userInfoPath: /userinfo
domainHint: " corp "
azure: {useWorkloadIdentity: false}
"""
    secrets = {"argocd-secret": {"data": {"oidc.secret": "aGlkZGVu"}}}
    found = read_realm({"data": {"oidc.config": text}}, None, secrets).oidc
    assert (found.name, found.issuer, found.client_id, found.cli_client_id) == (
        "Okta",
        "https://idp.example",
        "us",
        "cli",
    )
    assert found.client_secret == Plaintext("hidden")
    assert found.audiences == ("us", "cli")
    assert found.scopes == ("openid", "groups")
    assert found.id_token_claims == {"groups": {"essential": True}}
    assert found.userinfo_url == "https://idp.example/userinfo"
    assert (found.root_ca, found.domain_hint) == ("PEM", "corp")
    assert found.logout_url.startswith("https://idp.example/out")


def test_single_sign_on_with_as_little_as_possible():
    text = "issuer: http://127.0.0.1:1\nclientID: us\nlogoutURL: javascript:alert(1)\nallowedAudiences: [them]"
    found = read_realm({"data": {"oidc.config": text}}, None, {}).oidc
    assert (found.name, found.scopes, found.audiences, found.client_secret) == ("SSO", SCOPES, ("them",), None)
    assert (found.logout_url, found.userinfo_url) == ("", "")
