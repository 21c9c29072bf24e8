"""Jsonnet files in a folder: variables, imports, and what they may give."""

import pytest
from tests.render.samples import names, request_for

from plumbline.base.errors import EvaluationFailed, InvalidInput, LimitExceeded
from plumbline.render import Settings
from plumbline.render.directory import imports

OBJECT = "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: %s}}"


def jsonnet(**options):
    return {"directory": {"jsonnet": options}}


async def test_a_program_gives_an_object(renderer):
    rendered = await renderer.render(request_for({"a.jsonnet": OBJECT % "'a'"}))
    assert rendered.objects == ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}},)
    assert str(rendered.manifests[0].origin) == "a.jsonnet (document 1)"


async def test_a_program_gives_several_in_the_order_of_the_files(renderer):
    files = {
        "b.jsonnet": "[{}, null, {}]".format(OBJECT % "'b1'", OBJECT % "'b2'"),
        "a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: a}\n",
        "c.json": '{"apiVersion": "v1", "kind": "A", "metadata": {"name": "c"}}',
    }
    assert names(await renderer.render(request_for(files))) == ["a", "b1", "b2", "c"]


async def test_a_list_kind_is_taken_apart(renderer):
    program = "{{apiVersion: 'v1', kind: 'List', items: [{}, {}]}}".format(OBJECT % "'a'", OBJECT % "'b'")
    assert names(await renderer.render(request_for({"a.jsonnet": program}))) == ["a", "b"]


@pytest.mark.parametrize("program", ["null", "[]", "[null]"])
async def test_a_program_may_give_nothing(renderer, program):
    assert (await renderer.render(request_for({"a.jsonnet": program}))).manifests == ()


@pytest.mark.parametrize("program", ["'text'", "1", "[1]", "[[]]", "{}", "{kind: 'A'}"])
async def test_what_is_no_object_is_refused(renderer, program):
    with pytest.raises(InvalidInput, match=r"a\.jsonnet"):
        await renderer.render(request_for({"a.jsonnet": program}))


async def test_variables_come_as_text_or_code_with_references_replaced(renderer):
    program = (
        "function(name, count) {apiVersion: 'v1', kind: 'A', metadata: {name: name + count}, "
        "text: std.extVar('text'), code: std.extVar('code')}"
    )
    options = jsonnet(
        tlas=[{"name": "name", "value": "$ARGOCD_APP_NAME-"}, {"name": "count", "value": "1 + 1", "code": True}],
        extVars=[
            {"name": "text", "value": "1 + 1"},
            {"name": "code", "value": "{ns: '${ARGOCD_APP_NAMESPACE}'}", "code": True},
        ],
    )
    (given,) = (await renderer.render(request_for({"a.jsonnet": program}, **options))).objects
    assert (given["metadata"]["name"], given["text"], given["code"]) == ("app-2", "1 + 1", {"ns": "ns"})


IMPORTED = [
    ("name.libsonnet", {"app/name.libsonnet": "'beside'"}, [], "beside", "beside the program"),
    ("../name.libsonnet", {"name.libsonnet": "'above'"}, [], "above", "above it, inside of the repository"),
    ("name.libsonnet", {"lib/name.libsonnet": "'lib'"}, ["lib"], "lib", "in a library, relative to the root"),
    ("name.libsonnet", {"lib/name.libsonnet": "'lib'"}, ["/lib"], "lib", "also with a slash"),
    ("name.libsonnet", {"a/name.libsonnet": "'a'", "b/name.libsonnet": "'b'"}, ["a", "b"], "b", "the last library first"),
    ("name.libsonnet", {"lib/name.libsonnet": "import 'more.libsonnet'", "lib/more.libsonnet": "'more'"}, ["lib"], "more", "imports of imports"),
    ("sub/one.libsonnet", {"app/sub/one.libsonnet": "import '../two.libsonnet'", "app/two.libsonnet": "'two'"}, [], "two", "relative to the importing file"),
    ("linked/x.libsonnet", {"lib/x.libsonnet": "'link'"}, [], "link", "through a link"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "files", "libs", "name", "why"), IMPORTED, ids=[case[4] for case in IMPORTED])
async def test_imports_are_found(renderer, path, files, libs, name, why):
    program = {"app/a.jsonnet": OBJECT % f"import '{path}'"}
    links = {"app/linked": "../lib"}
    rendered = await renderer.render(request_for(program | files, "app", links=links, **jsonnet(libs=libs)))
    assert names(rendered) == [name], why


@pytest.mark.parametrize(
    "literal",
    ["'x.txt'", '"x.txt"', "@'x.txt'", '@"x.txt"', r"'x\u002etxt'", "/* ' */ 'x.txt'", "// '\n # \"\n 'x.txt'"],
)
async def test_every_way_to_write_an_import_is_seen(renderer, literal):
    program = "# import \"\n/* import ' */ " + OBJECT % f"importstr {literal}"
    assert names(await renderer.render(request_for({"a.jsonnet": program, "x.txt": "x"}))) == ["x"]


def test_paths_of_imports_are_read_as_jsonnet_reads_them():
    program = rb"""import 'it\'s' import "a\"b" import @'it''s' import @"a""b" importbin 'c' import |||x||| important 'no' import '\q'"""
    assert list(imports.imports(program)) == [
        ("it's", True), ('a"b', True), ("it's", True), ('a"b', True), ("c", False), ("\\q", True),
    ]  # fmt: skip


async def test_a_missing_import_is_named(renderer):
    with pytest.raises(EvaluationFailed, match=r"gone\.libsonnet"):
        await renderer.render(request_for({"a.jsonnet": "import 'gone.libsonnet'"}))


async def test_texts_are_not_searched_for_imports(renderer):
    files = {"a.jsonnet": OBJECT % "std.length(importstr 'x.txt') + ''", "x.txt": "import 'y'", "y": "z"}
    assert names(await renderer.render(request_for(files))) == ["10"]
    assert set(imports.closure(request_for(files).tree, "a.jsonnet", ("",)).files) == {"a.jsonnet", "x.txt"}


async def test_files_that_import_each_other_end(renderer):
    files = {
        "a.jsonnet": OBJECT % "(import 'b.libsonnet').name",
        "b.libsonnet": "local a = import 'a.jsonnet'; {name: 'b'}",
    }
    assert names(await renderer.render(request_for(files))) == ["b"]


async def test_too_much_to_import_is_refused(renderer, monkeypatch):
    monkeypatch.setattr(imports, "_BYTES", 10)
    with pytest.raises(LimitExceeded, match="import"):
        await renderer.render(request_for({"a.jsonnet": OBJECT % "'a'"}))


async def test_a_program_that_is_not_text_is_refused(renderer):
    with pytest.raises(InvalidInput, match="UTF-8"):
        await renderer.render(request_for({"a.jsonnet": b"\xff{}"}))


async def test_where_directories_are_off_programs_are_not_run(renderer):
    files = {"a.jsonnet": "error 'no'", "b.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: b}\n"}
    rendered = await renderer.render(request_for(files, settings=Settings(disabled=frozenset({"Directory"}))))
    assert names(rendered) == ["b"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (r"std.trim('\t a b\u00a0\n')", "a b"),
        ("std.isNull(null) && !std.isNull(0)", True),
        ("std.flattenDeepArray([1, [2, [], [3, [4]]]])", [1, 2, 3, 4]),
        ("std.flattenDeepArray(1)", [1]),
        ("std.round(std.pi * 1000)", 3142),
        ("[std.round(std.log2(8)), std.round(std.log10(1000)), std.hypot(3, 4)]", [3, 3, 5]),
        ("[std.round(std.rad2deg(std.deg2rad(90))), std.round(std.rad2deg(std.atan2(1, -1)))]", [90, 135]),
        ("[std.round(std.rad2deg(std.atan2(y, 0))) for y in [-1, 0, 1]]", [-90, 0, 90]),
        ("[std.round(std.rad2deg(std.atan2(-1, x))) for x in [-1, 1]]", [-135, -45]),
        ("std.thisFile", "app/a.jsonnet"),
        ("std.thisFile + (import 'lib.libsonnet')", "app/a.jsonnet x app/lib.libsonnet"),
        ("importstr 'lib.txt'", "std.trim('x')"),
    ],
)
async def test_the_standard_library_is_that_of_upstream(renderer, expression, value):
    files = {
        "app/a.jsonnet": f"// one\n{OBJECT % repr('a')} + {{data: {expression}}}",
        "app/lib.libsonnet": "' ' + std.trim(' x ') + ' ' + std.thisFile",
        "app/lib.txt": "std.trim('x')",
    }
    (rendered,) = (await renderer.render(request_for(files, "app"))).objects
    assert rendered["data"] == value


async def test_lines_of_a_program_that_needs_more_keep_their_numbers(renderer):
    files = {"a.jsonnet": "{\n  a: std.trim(' a '),\n  b: error 'boom',\n}"}
    with pytest.raises(EvaluationFailed, match=r"a\.jsonnet:3"):
        await renderer.render(request_for(files))
