"""Attacks 1, 2, 4 and 7 on folders and Jsonnet: each is refused, names what it is about, and reaches nothing."""

import pytest
from tests.render.samples import config_map, names, request_for

from plumbline.base.errors import BadDocument, EvaluationFailed, InvalidInput, LimitExceeded, PlumblineError, TimedOut
from plumbline.render import Settings

PROGRAM = "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x'}, data: %s}"


@pytest.mark.parametrize("path", ["../x", "/etc", "a/../../x", "%2e%2e/x", "file:///etc"])
async def test_row_1_no_path_leaves_the_repository(renderer, path):
    with pytest.raises(InvalidInput) as refused:
        await renderer.render(request_for({"a/x.yaml": config_map("x")}, path))
    assert path in str(refused.value)


@pytest.mark.parametrize("lib", ["../lib", "a/../../lib", "out"])
async def test_row_1_no_library_leaves_the_repository(renderer, lib):
    request = request_for(
        {"a.jsonnet": PROGRAM % "{}"}, links={"out": "/usr/lib"}, directory={"jsonnet": {"libs": [lib]}}
    )
    with pytest.raises(InvalidInput, match="leads out"):
        await renderer.render(request)


@pytest.mark.parametrize("keyword", ["import", "importstr"])
@pytest.mark.parametrize("path", ["../../x", "/etc/passwd", "file:///etc/passwd", "%2e%2e/x", "a/../../../x"])
async def test_row_1_no_import_leaves_the_repository(renderer, keyword, path):
    with pytest.raises(EvaluationFailed) as refused:
        await renderer.render(request_for({"app/a.jsonnet": PROGRAM % f"{{x: {keyword} '{path}'}}"}, "app"))
    assert "app/a.jsonnet" in str(refused.value)


async def test_row_1_the_words_are_the_same_whether_or_not_something_is_there(renderer):
    said = []
    for path in ("/etc/passwd", "/no/such/file"):
        with pytest.raises(EvaluationFailed) as refused:
            await renderer.render(request_for({"a.jsonnet": PROGRAM % f"{{x: importstr '{path}'}}"}))
        said.append(str(refused.value).replace(path, ""))
    assert said[0] == said[1]


LEADING_OUT = [
    ({"app/x.yaml": "../../x.yaml"}, "direct"),
    ({"app/x.yaml": "y.yaml", "app/y.yaml": "/etc/passwd"}, "chained"),
    ({"app/folder": "../../.."}, "to a folder"),
    ({"app/README": "../../x"}, "not even a manifest"),
    ({"app/x.yaml": "../../gone"}, "dangling"),
    ({"app/x.yaml": "x.yaml"}, "in a circle"),
    ({"app/deep/x.yaml": "../../../x"}, "further down"),
]


@pytest.mark.parametrize(("links", "why"), LEADING_OUT, ids=[case[1] for case in LEADING_OUT])
async def test_row_2_a_link_that_leads_out_refuses_the_whole_folder(renderer, links, why):
    request = request_for({"app/a.yaml": config_map("a")}, "app", links=links, directory={"recurse": True})
    with pytest.raises(InvalidInput):
        await renderer.render(request)
    with pytest.raises(InvalidInput):
        renderer.key(request)


async def test_row_2_links_elsewhere_in_the_repository_are_not_this_applications_fault(renderer):
    request = request_for({"app/a.yaml": config_map("a")}, "app", links={"other/x.yaml": "/etc/passwd"})
    assert names(await renderer.render(request)) == ["a"]


async def test_row_2_an_import_through_a_link_that_leads_out_is_refused(renderer):
    request = request_for({"app/a.jsonnet": PROGRAM % "{x: importstr '../lib/x'}"}, "app", links={"lib": "../../etc"})
    with pytest.raises(InvalidInput, match="leads out"):
        await renderer.render(request)


MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
BOMBS = [
    (
        MANIFEST + "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{n}: &{n} [*{p},*{p},*{p},*{p},*{p},*{p},*{p},*{p},*{p}]\n" for p, n in zip("abcdefgh", "bcdefghi", strict=True)),
        LimitExceeded, "aliases of aliases",
    ),
    (MANIFEST + "a: " + "[" * 100_000, LimitExceeded, "a hundred thousand levels"),
    (MANIFEST + "a: !!python/object/apply:os.system [id]\n", BadDocument, "a tag that runs something"),
    (MANIFEST + "a: &a [*a]\n", BadDocument, "an alias of itself"),
    (MANIFEST.encode() + b"a: \xff\n", BadDocument, "not UTF-8"),
    (MANIFEST.encode() + b"a: x\0y\n", BadDocument, "a NUL"),
    (MANIFEST + "a: " + "x" * (5 << 20), LimitExceeded, "one endless text"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error", "why"), BOMBS, ids=[case[2] for case in BOMBS])
async def test_row_4_yaml_that_explodes_is_refused_with_its_name(renderer, text, error, why):
    with pytest.raises(error) as refused:
        await renderer.render(request_for({"app/bomb.yaml": text, "app/a.yaml": config_map("a")}, "app"))
    assert "app/bomb.yaml" in str(refused.value), why


LOOPS = [
    ("local f(x) = f(x + 1); f(0)", "recursion without end"),
    ("std.foldl(function(a, b) a + a, std.range(1, 60), 'x')", "a text that doubles"),
    ("[x for x in std.range(1, 1000000000)]", "a list without end"),
    ("local f(n) = if n < 2 then n else f(n - 1) + f(n - 2); {a: f(60)}", "a computation without end"),
]


@pytest.mark.parametrize(("program", "why"), LOOPS, ids=[case[1] for case in LOOPS])
async def test_row_7_jsonnet_without_end_ends_and_only_that_application_fails(renderer, program, why):
    settings = Settings(jsonnet_deadline_s=1.0)
    with pytest.raises((EvaluationFailed, LimitExceeded, TimedOut)) as refused:
        await renderer.render(request_for({"app/a.jsonnet": program}, "app", settings=settings))
    assert "app/a.jsonnet" in str(refused.value), why
    assert names(await renderer.render(request_for({"a.jsonnet": PROGRAM % "{}"}, settings=settings))) == ["x"]


async def test_nothing_of_a_secret_is_said_in_an_error(renderer):
    text = "apiVersion: v1\nkind: Secret\nmetadata: {}\nstringData: {token: hunter2}\n"
    with pytest.raises(PlumblineError) as refused:
        await renderer.render(request_for({"a.yaml": text}))
    assert "hunter2" not in str(refused.value)
