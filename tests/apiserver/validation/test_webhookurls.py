"""URLs of webhooks, taken apart as Go does it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.validation.webhookurls import webhook_url_errors

_SCHEME = "'https' is the only allowed URL scheme; desired format: https://host[/path]"
_HOST = "host must be specified; desired format: https://host[/path]"
_USER = "user information is not permitted in the URL"

URLS = [
    ("https://a.b/c", [], "fine"),
    ("HTTPS://a:80/b%2fc", [], "schemes have no case, paths may be escaped"),
    ("https://[fe80::1%25en0]:80/", [], "an address with a zone"),
    ("https://<h>/", [], "odd but allowed"),
    ("https:opaque", [_HOST], "nothing behind the scheme"),
    ("mailto:x", [_SCHEME, _HOST], "another scheme"),
    ("/just/path", [_SCHEME, _HOST], "no scheme"),
    ("//host/p", [_SCHEME], "a host without a scheme"),
    ("///host/p", [_SCHEME, _HOST], "three slashes are a path"),
    ("https://@h", [_USER], "nobody is somebody"),
    ("https://a:b@c@d/", [_USER], "the last at sign counts"),
]
FAULTS = [
    ("://x", "missing protocol scheme"),
    (":foo", "missing protocol scheme"),
    ("https://h:port", 'invalid port ":port" after host'),
    ("ftp://h:1:port", 'invalid port ":port" after host'),
    ("https://h:1:2", 'invalid port ":1:2" after host'),
    ("https://[::1", "missing ']' in host"),
    ("https://[::1]a/", 'invalid port "a" after host'),
    ("https://[1.2.3.4]/", "invalid IP-literal"),
    ("https://a[::1]/", "invalid IP-literal"),
    ("https://[fe80::1%en0]/", 'invalid URL escape "%en"'),
    ("https://h/%zz", 'invalid URL escape "%zz"'),
    ("1https://x", "first path segment in URL cannot contain colon"),
    ("https://ho st/", 'invalid character " " in host name'),
    ("https://h\x7f", "net/url: invalid control character in URL"),
    ("https://%41b/", 'invalid URL escape "%41"'),
    ("https://u ser@h/", "net/url: invalid userinfo"),
    ("https://u:p%zz@h/", 'invalid URL escape "%zz"'),
    ("a%zz", 'invalid URL escape "%zz"'),
]


@pytest.mark.parametrize(("url", "expected", "why"), URLS, ids=[row[-1] for row in URLS])
def test_says_what_is_not_wanted(url, expected, why):
    details = [error.message.split(": ", 2)[2] for error in webhook_url_errors("url", url)]
    assert details == expected, why


@pytest.mark.parametrize(("url", "fault"), FAULTS, ids=[url for url, _ in FAULTS])
def test_says_why_it_is_no_url(url, fault):
    (error,) = webhook_url_errors("url", url)
    assert f": {fault}; desired format: https://host[/path]" in error.message


def test_a_bad_fragment_is_shown_with_the_whole_url():
    (error,) = webhook_url_errors("url", "https://h/#%zz")
    assert 'parse "https://h/#%zz": invalid URL escape "%zz"' in error.message


def test_an_address_that_is_none_is_no_host():
    (error,) = webhook_url_errors("url", "https://[nope]/")
    assert "invalid host" in error.message


@given(st.text())
def test_any_text_has_an_answer(url):
    assert all(error.field == "url" for error in webhook_url_errors("url", url))
