"""Folders of plain manifests."""

import pytest
from tests.render.samples import config_map, names, request_for

from plumbline.base.errors import BadDocument, BadExpression, InvalidInput, LimitExceeded
from plumbline.render import Settings
from plumbline.render.directory import tool
from plumbline.render.directory.reading import read_files

FILES = {
    "app/b.yaml": config_map("b"),
    "app/a.yml": config_map("a1") + "---\n" + config_map("a2"),
    "app/c.json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}',
    "app/README.md": "kind: no",
    "app/deep/d.yaml": config_map("d"),
    "app/aa/e.yaml": config_map("e"),
    "other/x.yaml": config_map("x"),
}


async def test_files_are_rendered_in_the_order_of_their_names(renderer):
    rendered = await renderer.render(request_for(FILES, "app"))
    assert (rendered.source_type, names(rendered)) == ("Directory", ["a1", "a2", "b", "c"])


async def test_every_object_says_where_it_came_from(renderer):
    rendered = await renderer.render(request_for(FILES, "app"))
    assert [str(each.origin) for each in rendered.manifests] == [
        "app/a.yml:1",
        "app/a.yml:6",
        "app/b.yaml:1",
        "app/c.json:1",
    ]
    assert [each.origin.document for each in rendered.manifests] == [1, 2, 1, 1]


SELECTED = [
    ({"recurse": True}, ["a1", "a2", "e", "b", "c", "d"], "folders come where their names stand"),
    ({"include": "*.yaml"}, ["b"], "a pattern for names"),
    ({"recurse": True, "include": "*.yaml"}, ["e", "b", "d"], "which crosses folders"),
    ({"recurse": True, "include": "{aa,deep}/*"}, ["e", "d"], "alternatives, relative to the path"),
    ({"exclude": "{a,b}.*"}, ["c"], "what is left out"),
    ({"recurse": True, "include": "*.yaml", "exclude": "deep/*"}, ["e", "b"], "leaving out wins"),
    ({"include": "*.md"}, [], "no pattern makes a manifest of what has no such ending"),
]


@pytest.mark.parametrize(("options", "expected", "why"), SELECTED, ids=[case[2] for case in SELECTED])
async def test_options_choose_files(renderer, options, expected, why):
    assert names(await renderer.render(request_for(FILES, "app", directory=options))) == expected, why


async def test_a_pattern_that_cannot_be_read_refuses_instead_of_choosing_anything(renderer):
    with pytest.raises(BadExpression):
        await renderer.render(request_for(FILES, "app", directory={"exclude": "["}))


async def test_a_marked_file_is_skipped_even_if_nobody_could_read_it(renderer):
    files = {"a.yaml": config_map("a"), "b.yaml": "kind: [ # +argocd:skip-file-rendering\napiVersion: metadata:"}
    assert names(await renderer.render(request_for(files))) == ["a"]


IGNORED = [
    ("replicas: 3\n", "values of something else"),
    ("- a\n- b\n", "a list"),
    ("just text\n", "a text"),
    ("{{ template }}\n", "a template"),
    ("a: [\n", "not even YAML"),
    ("", "nothing"),
    ("---\n---\n# comment\n", "several times nothing"),
    ("kind: ''\n", "a kind that is none"),
    ("replicas: 3\n---\n" + "kind: A\n", "after something else nothing is looked at"),
]


@pytest.mark.parametrize(("text", "why"), IGNORED, ids=[case[1] for case in IGNORED])
async def test_yaml_that_was_never_meant_as_a_manifest_is_passed_over(renderer, text, why):
    files = {"a.yaml": config_map("a"), "values.yaml": text}
    assert names(await renderer.render(request_for(files))) == ["a"], why


MEANT = [
    ("b.yaml", "apiVersion: v1\nkind: [\nmetadata: {}\n", "it has the words of a manifest"),
    ("b.yaml", config_map("b") + "---\nreplicas: 3\n", "an object came before"),
    ("b.yaml", config_map("b") + "---\na: [\n", "an object came before what cannot be read"),
    ("b.yaml", "apiVersion: v1\nkind: A\n---\na: [\n", "even one without metadata"),
    ("b.json", '{"name": "package"}', "JSON is always meant"),
    ("b.json", "[]", "whatever it is"),
    ("b.json", "{", "readable or not"),
    ("b.json", '{"kind": "A"} {"kind": "B"}', "and holds one object"),
    ("b.json", "kind: A\n", "which is JSON"),
]


@pytest.mark.parametrize(("name", "text", "why"), MEANT, ids=[f"{case[0]} {case[2]}" for case in MEANT])
async def test_a_broken_manifest_refuses_everything_and_is_named(renderer, name, text, why):
    with pytest.raises(InvalidInput) as refused:
        await renderer.render(
            request_for({"a.yaml": config_map("a"), f"sub/{name}": text}, directory={"recurse": True})
        )
    assert f"sub/{name}" in str(refused.value), why


async def test_errors_name_file_and_line(renderer):
    with pytest.raises(BadDocument) as refused:
        await renderer.render(
            request_for({"app/a.yaml": config_map("a") + "---\nkind: A\nmetadata: {name: [}\n"}, "app")
        )
    assert (refused.value.source, refused.value.line) == ("app/a.yaml", 7)


async def test_two_objects_in_one_json_file_are_told_apart_from_other_faults(renderer):
    with pytest.raises(InvalidInput, match="multiple objects"):
        await renderer.render(request_for({"a.json": '{"kind": "A"}\n{"kind": "B"}'}))


async def test_keys_that_are_set_twice_are_reported_and_the_last_one_counts(renderer):
    rendered = await renderer.render(request_for({"a.yaml": config_map("a", x=1) + "  x: 2\n"}))
    assert rendered.objects[0]["data"] == {"x": 2}
    assert rendered.warnings == ("a.yaml:7: data.x is set twice, and the last one counts",)


async def test_utf16_is_read_as_upstream_reads_it(renderer):
    assert names(await renderer.render(request_for({"a.yaml": config_map("ä").encode("utf-16")}))) == ["ä"]


async def test_links_to_files_count_and_others_do_not(renderer):
    files = {"app/a.yaml": config_map("a"), "base/b.yaml": config_map("b"), "base/c": config_map("c")}
    links = {
        "app/l.yaml": "../base/b.yaml",
        "app/m.yaml": "../base/c",
        "app/folder.yaml": "../base",
        "app/gone.yaml": "nothing",
        "app/base": "../base",
    }
    rendered = await renderer.render(request_for(files, "app", links=links, directory={"recurse": True}))
    assert names(rendered) == ["a", "b", "c"]
    assert [each.origin.path for each in rendered.manifests] == ["app/a.yaml", "app/l.yaml", "app/m.yaml"]


async def test_more_than_the_limit_is_refused(renderer):
    files = {"a.yaml": config_map("a"), "b.yaml": config_map("b")}
    small = Settings(directory_bytes=len(config_map("a")) + 10)
    with pytest.raises(LimitExceeded, match="combined"):
        await renderer.render(request_for(files, settings=small))
    only = await renderer.render(request_for(files, settings=small, directory={"include": "a*"}))
    assert names(only) == ["a"]


async def test_much_text_is_read_outside_of_the_loop(renderer, monkeypatch):
    threads = []

    async def counted(function, *args):
        threads.append(function)
        return function(*args)

    monkeypatch.setattr(tool.asyncio, "to_thread", counted)
    files = {"a.yaml": config_map("a"), "b.yaml": "---\n".join(config_map(f"b{n}") for n in range(9))}
    rendered = await renderer.render(request_for(files, settings=Settings(inline_bytes=100)))
    assert len(rendered.manifests) == 10
    assert threads == [read_files]
    await renderer.render(request_for(files))
    assert len(threads) == 1


async def test_an_empty_folder_renders_nothing(renderer):
    assert (await renderer.render(request_for({"app/README": ""}, "app"))).manifests == ()
