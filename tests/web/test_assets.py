"""The interface as browsers get it: kept where it can be, never stale, and nothing beside it."""

import base64
import gzip
import hashlib
import re
from pathlib import Path

import pytest
from tests.base.http.talking import request
from tests.web.inside import Inside
from tests.web.ports import opened

from plumbline.base.ids import Ids
from plumbline.web import Health
from plumbline.web.assets import Assets
from plumbline.web.building import built, inline_scripts

SCRIPT = b"console.log('one')\n" * 100
THEME = 'document.documentElement.dataset.theme = localStorage.theme ?? "";\n// <b>&amp;'
PAGE = f"""<!doctype html><html><head><base href="/" /><script>{THEME}</script>
<script type="module" src="./assets/index-AbCd_123.js"></script></head><body></body></html>"""
HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


@pytest.fixture
def static(tmp_path):
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    script = folder / "assets" / "index-AbCd_123.js"
    script.write_bytes(SCRIPT)
    script.with_name(script.name + ".br").write_bytes(b"as brotli")
    script.with_name(script.name + ".gz").write_bytes(gzip.compress(SCRIPT))
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / "odd.bin").write_bytes(b"\0")
    (folder / "manifest.json").write_text("{}")
    (folder / "assets.json").write_text("{}")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "away").symlink_to(tmp_path)
    return folder


async def test_what_is_named_by_its_content_is_kept_for_ever(static):
    port = Inside(Assets(static))
    reply = await port.ask("GET", "/assets/index-AbCd_123.js")
    assert (reply.status, reply.body) == (200, SCRIPT)
    assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert reply.headers["content-type"] == "text/javascript; charset=utf-8"
    assert reply.headers["vary"] == "Accept-Encoding"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "connect-src 'self'" in reply.headers["content-security-policy"]
    other = await port.ask("GET", "/favicon.svg")
    assert other.headers["cache-control"] == "no-cache"
    assert other.headers["content-type"] == "image/svg+xml"
    assert other.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert "vary" not in other.headers
    assert (await port.ask("GET", "/odd.bin")).headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("GZIP;q=0.5, br;q=0", "gzip"),
        ("*", "br"),
        ("*;q=0", None),
        ("br;q=x", None),
        ("identity", None),
        ("", None),
        ("br;level=1", "br"),
    ],
)
async def test_it_comes_compressed_to_whoever_takes_it_so(static, accepted, encoding):
    port = Inside(Assets(static))
    reply = await port.ask("GET", "/assets/index-AbCd_123.js", Accept_Encoding=accepted)
    assert reply.headers.get("content-encoding") == encoding
    body = gzip.decompress(reply.body) if encoding == "gzip" else reply.body
    assert body == (b"as brotli" if encoding == "br" else SCRIPT)


async def test_what_a_browser_has_is_not_sent_again(static):
    async with opened(Assets(static)) as port:
        etag = (await port.ask("GET", "/favicon.svg")).headers["etag"]
        packed = (await port.ask("GET", "/assets/index-AbCd_123.js", Accept_Encoding="gzip")).headers["etag"]
        assert packed.endswith('-gzip"')
        for said in (etag, f'"x", W/{etag}', "*"):
            talk = await port.connect()
            await talk.send(request("GET", "/favicon.svg", If_None_Match=said) + request("GET", "/odd.bin"))
            reply = await talk.head()
            assert (reply.status, reply.headers["etag"]) == (304, etag)
            assert "content-length" not in reply.headers
            assert (await talk.reply()).body == b"\0"
        assert (await port.ask("GET", "/favicon.svg", If_None_Match=packed)).status == 200


async def test_a_head_is_that_of_the_whole(static):
    async with opened(Assets(static)) as port:
        reply = await port.ask("HEAD", "/favicon.svg")
        assert (reply.status, reply.headers["content-length"], reply.body) == (200, "6", b"")
        assert (await port.ask("HEAD", "/")).headers["content-length"] == str(len(PAGE))


@pytest.mark.parametrize("path", ["/", "/index.html", "/applications/argocd/shop?tab=diff", "/assets/gone.js"])
async def test_every_place_inside_of_the_interface_gets_the_page(static, path):
    port = Inside(Assets(static))
    reply = await port.ask("GET", path, **HTML)
    assert (reply.status, reply.body.decode()) == (200, PAGE)
    assert reply.headers["cache-control"] == "no-store"
    assert "etag" not in reply.headers


async def test_the_page_may_load_what_was_built_with_it_and_run_what_is_written_in_it(static):
    port = Inside(Assets(static))
    headers = (await port.ask("GET", "/", **HTML)).headers
    digest = base64.b64encode(hashlib.sha256(THEME.encode()).digest()).decode()
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == f"'self' 'sha256-{digest}'"
    assert policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == policy["form-action"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers


async def test_styles_of_scripts_are_allowed_by_a_word_that_is_another_each_time(static):
    (static / "index.html").write_text(PAGE.replace("<head>", '<head><meta property="csp-nonce" nonce="__NONCE__">'))
    port = Inside(Assets(static, ids=Ids(1)))
    words = set()
    for _ in range(3):
        reply = await port.ask("GET", "/", **HTML)
        (word,) = re.findall(rb'nonce="(\w+)"', reply.body)
        assert f"style-src 'self' 'nonce-{word.decode()}';" in reply.headers["content-security-policy"]
        words.add(word)
    assert len(words) == 3


@pytest.mark.parametrize(
    ("method", "path", "accept"),
    [
        ("GET", "/api/v1/nothing", HTML),
        ("GET", "/auth/nothing", HTML),
        ("GET", "/git/nothing.git", HTML),
        ("GET", "/nothing", {}),
        ("GET", "/nothing", {"Accept": "application/json"}),
        ("GET", "/assets/gone.js", {"Accept": "*/*"}),
        ("POST", "/nothing", HTML),
        ("DELETE", "/api/v1/nothing", {}),
        ("OPTIONS", "/", {}),
    ],
)
async def test_what_is_no_page_and_no_file_is_not_found_in_words_of_the_api(static, method, path, accept):
    port = Inside(Assets(static))
    reply = await port.ask(method, path, **accept)
    assert (reply.status, reply.json["code"]) == (404, 5)


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "//secret.txt",
        "/link.txt",
        "/away/secret.txt",
        "/assets/index-AbCd_123.js%00.txt",
        "/assets/",
        "/assets/index-AbCd_123.js.br",
        "/assets.json",
        "/manifest.json",
        "/..\\secret.txt",
    ],
)
async def test_no_path_leads_out_of_the_build(static, path):
    port = Inside(Assets(static))
    reply = await port.ask("GET", path)
    assert reply.status == 404
    assert b"secret" not in reply.body


async def test_a_proxy_may_put_it_beneath_a_path(static):
    port = Inside(Assets(static, base="/tools/plumb/"))
    reply = await port.ask("GET", "/tools/plumb/applications", **HTML)
    assert b'<base href="/tools/plumb/" />' in reply.body
    assert (await port.ask("GET", "/tools/plumb/favicon.svg")).body == b"<svg/>"
    # A proxy may also take the path away.
    assert (await port.ask("GET", "/favicon.svg")).body == b"<svg/>"
    assert (await port.ask("GET", "/tools/plumb/api/v1/nothing", **HTML)).status == 404


@pytest.mark.parametrize("base", ["", "plumb/", "/plumb", '/"><script>/', "//", "/a b/"])
def test_a_base_is_a_path(base):
    with pytest.raises(ValueError, match="slash"):
        Assets(base=base)


async def test_where_nothing_is_built_the_page_says_what_to_do_and_the_rest_works(tmp_path):
    port = Inside(Assets(tmp_path), Health({}))
    reply = await port.ask("GET", "/", **HTML)
    assert reply.status == 503
    assert b"make ui" in reply.body
    assert (await port.ask("GET", "/healthz")).status == 200
    assert (await port.ask("GET", "/favicon.svg")).status == 404


async def test_another_build_is_noticed_and_the_same_is_not_read_again(static):
    port = Inside(Assets(static))
    assert (await port.ask("GET", "/favicon.svg")).status == 200
    (static / "favicon.svg").unlink()
    assert (await port.ask("GET", "/favicon.svg")).status == 404  # while it is being built
    (static / "new.txt").write_text("new")
    (static / "manifest.json").write_text("{ }")
    assert (await port.ask("GET", "/new.txt")).body == b"new"
    known = built(static)
    assert built(static, known) is known


def test_a_build_that_is_being_written_is_none(static, monkeypatch):
    def vanished(_):
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_bytes", vanished)
    assert built(static) is None


def test_scripts_that_come_from_elsewhere_are_not_written_in_the_page():
    assert inline_scripts(b"<script src=x></script><p>1</p><SCRIPT>a<b</SCRIPT>") == [
        base64.b64encode(hashlib.sha256(b"a<b").digest()).decode()
    ]


def test_by_default_it_is_what_the_package_brings():
    assert Assets()._folder.parts[-3:] == ("plumbline", "web", "static")
