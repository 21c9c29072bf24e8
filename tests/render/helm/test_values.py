import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import MemoryTree
from plumbline.kinds.application import ApplicationSource, ApplicationSourceHelm, HelmParameter
from plumbline.render.environment import environment
from plumbline.render.helm.parameters import escaped, parameters
from plumbline.render.helm.values import named_file, value_files
from plumbline.render.requests import App, Request, Settings

FILES = dict.fromkeys(
    ["chart/values.yaml", "chart/a.yaml", "chart/b.yaml", "chart/env/x.yaml", "shared/s.yaml", "shop/prod.yaml"], b""
)
REF = MemoryTree({"shop/values.yaml": b"", "shop/more.yaml": b"", "root.yaml": b""})


def request(*files, links=None, schemes=("https",), **options):
    return Request(
        source=ApplicationSource(repo_url="x", helm=ApplicationSourceHelm(value_files=files, **options)),
        tree=MemoryTree(FILES, links),
        place="chart",
        app=App(name="shop", revision="abc"),
        refs={"ref": REF},
        settings=Settings(helm_value_file_schemes=schemes),
    )


def chosen(*files, **options):
    asked = request(*files, **options)
    return [
        f"{each.ref}:{each.place}" if not each.address else each.address
        for each in value_files(asked, environment(asked))
    ]


@pytest.mark.parametrize(
    ("files", "expected", "why"),
    [
        ((), [], "none"),
        (("b.yaml", "a.yaml"), [":chart/b.yaml", ":chart/a.yaml"], "in their order"),
        (("a.yaml", "a.yaml"), [":chart/a.yaml"], "once each"),
        (("../shared/s.yaml",), [":shared/s.yaml"], "beside the chart"),
        (("/shared/s.yaml",), [":shared/s.yaml"], "from the root of the repository"),
        (("./env/../a.yaml",), [":chart/a.yaml"], "around corners"),
        (("/$ARGOCD_APP_NAME/prod.yaml",), [":shop/prod.yaml"], "with a variable"),
        (("$ref/root.yaml",), ["ref:root.yaml"], "in another source"),
        (("$ref/$ARGOCD_APP_NAME/values.yaml",), ["ref:shop/values.yaml"], "in another source with a variable"),
        (("$ref/shop/*.yaml",), ["ref:shop/more.yaml", "ref:shop/values.yaml"], "a pattern in another source"),
        (("?.yaml",), [":chart/a.yaml", ":chart/b.yaml"], "a pattern"),
        (("*.yaml", "a.yaml"), [":chart/b.yaml", ":chart/values.yaml", ":chart/a.yaml"], "a pattern and one by itself"),
        (("a.yaml", "*.yaml"), [":chart/a.yaml", ":chart/b.yaml", ":chart/values.yaml"], "one by itself and a pattern"),
        (("https://example.com/v.yaml",), ["https://example.com/v.yaml"], "elsewhere"),
        (("HTTPS://example.com/v.yaml",), ["HTTPS://example.com/v.yaml"], "elsewhere, in capitals"),
    ],
)  # fmt: skip
def test_value_files_are_found_where_argo_cd_finds_them(files, expected, why):
    assert chosen(*files) == expected, why


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("none.yaml", "open chart/none.yaml: no such file or directory"),
        ("env", "read chart/env: is a directory"),
        ("none/*.yaml", "matched no files"),
        ("../../x", "leads out of the source"),
        ("$ref/../x", "leads out of the source"),
        ("$rfe/root.yaml", "none of the sources that can be referred to"),
        ("http://example.com/v.yaml", "the URL scheme 'http' is not allowed"),
        ("file:///etc/passwd", "the URL scheme 'file' is not allowed"),
        ("linked.yaml", "leads out of the source"),
    ],
)
def test_others_are_refused(file, says):
    with pytest.raises(InvalidInput, match=says):
        chosen(file, links={"chart/linked.yaml": "/etc/passwd"})


def test_missing_files_may_be_missing_but_not_lead_out():
    assert chosen("none.yaml", "no/*.yaml", "a.yaml", ignore_missing_value_files=True) == [":chart/a.yaml"]
    with pytest.raises(InvalidInput, match="leads out"):
        chosen("../../x", ignore_missing_value_files=True)


def test_links_are_followed_within_the_source():
    assert chosen("linked.yaml", links={"chart/linked.yaml": "../shared/s.yaml"}) == [":shared/s.yaml"]


def test_a_file_of_a_parameter_is_one_file():
    asked = request()
    assert named_file(asked, "$ref/root.yaml", environment(asked)).place == "root.yaml"
    assert named_file(asked, "https://example.com/v", environment(asked)).address == "https://example.com/v"
    with pytest.raises(InvalidInput):
        named_file(asked, "none", environment(asked))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a,b", "a\\,b"), ("a\\,b", "a\\,b"), ("{a,b}", "{a,b}"), ("{a,b", "{a\\,b"), ("", ""), (",", "\\,"), ("a\\\\,b", "a\\\\,b"),
    ],
)  # fmt: skip
def test_commas_are_escaped_once(value, expected):
    assert escaped(value) == expected


@given(st.text("ab,\\{}", max_size=20))
def test_escaping_twice_is_escaping_once(value):
    assert escaped(escaped(value)) == escaped(value)


def test_parameters_are_told_apart_and_the_last_of_a_name_counts():
    variables = environment(request())
    given_ = (
        HelmParameter(name="a", value="1"), HelmParameter(name="b", value="x,$ARGOCD_APP_NAME", force_string=True),
        HelmParameter(name="a", value="2"), HelmParameter(name="a", value="t", force_string=True),
    )  # fmt: skip
    assert parameters(given_, variables) == (("a=2",), ("b=x\\,shop", "a=t"))


def test_a_source_that_is_misspelled_is_no_file_that_may_be_missing():
    with pytest.raises(InvalidInput, match=r"\$rfe is none of the sources that can be referred to: \$ref"):
        chosen("$rfe/root.yaml", ignore_missing_value_files=True)
    assert chosen("$ARGOCD_APP_NAME/none.yaml", ignore_missing_value_files=True) == []


def test_where_there_are_no_other_sources_it_is_a_variable_that_is_empty():
    asked = msgspec.structs.replace(request("$other/shared/s.yaml"), refs={})
    assert [each.place for each in value_files(asked, environment(asked))] == ["shared/s.yaml"]
