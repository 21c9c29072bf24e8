"""After a login: pages of ours, and no others, however they are spelled."""

import pytest

from plumbline.access.oidc.redirects import page_of

URLS = ("https://cd.example", "https://other.example/argo")


@pytest.mark.parametrize(
    "wanted",
    [
        "/", "/applications/shop?view=tree", "https://cd.example", "https://cd.example/a?b=c#d", "https://CD.example/a",
        "https://other.example/argo", "https://other.example/argo/x",
    ],
)  # fmt: skip
def test_pages_of_ours(wanted):
    assert page_of(wanted, URLS) == wanted


def test_nothing_wanted_is_the_first_page():
    assert page_of("", URLS) == "/"


@pytest.mark.parametrize(
    "wanted",
    [
        "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/%5cevil.example", "/\t/evil.example",
        "/a/../..//evil.example", "https://evil.example", "https://cd.example.evil.example", "https://cd.example@evil.example",
        "https://cd.example:8443/", "http://cd.example/", "javascript:alert(1)", "data:text/html,x", "https:evil.example",
        "https:///evil.example", "https://other.example/", "https://other.example/argonaut", "https://other.example/argo/../x",
        "https://other.example/argo/%2e%2e/x", "https://[x", "https://cd.example:x/", " /", "/\r\nSet-Cookie: a=b", "/é",
        "applications", "%2f%2fevil.example", "https://evil.example\\@cd.example/",
    ],
)  # fmt: skip
def test_pages_of_others(wanted):
    assert page_of(wanted, URLS) is None
