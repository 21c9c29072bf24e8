"""Variables in parameters, replaced as Go's os.Expand does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.render.samples import COMMIT, request_for

from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode
from plumbline.render.environment import Environment, environment, plugin_environment
from plumbline.render.requests import App, Capabilities, Request

KNOWN = Environment({"A": "1", "LONG_NAME": "2", "A-B": "3", "1": "one", "DOLLAR": "$A"})

EXPANDED = [
    ("$A", "1", "a plain reference"),
    ("${A}", "1", "with braces"),
    ("x${A}y$A", "x1y1", "inside of text"),
    ("$LONG_NAME!", "2!", "a name ends where its characters do"),
    ("$AB", "", "the longest name counts, and nothing stands for what is unknown"),
    ("${A-B}", "3", "braces hold any name"),
    ("$A-B", "1-B", "without them a dash ends it"),
    ("$$", "$", "two dollars are one"),
    ("$$A", "$A", "and hide what follows"),
    ("${$}A", "$A", "in braces too"),
    ("$1x", "onex", "a digit is a whole name"),
    ("$*$#$@$!$?$-", "", "so are the shell's own"),
    ("$", "$", "a dollar at the end stays"),
    ("$ $.$/", "$ $.$/", "and one before what is no name"),
    ("${}x", "x", "empty braces vanish"),
    ("${A", "A", "open ones vanish alone"),
    ("a}${A", "a}A", "closed ones before do not help"),
    ("${A}}", "1}", "one too many stays"),
    ("$DOLLAR", "$A", "what was put in is not read again"),
    ("${\nA}", "", "a name with a line in it is unknown"),
    ("ä$A", "ä1", "other letters are no names"),
    ("$ä", "$ä", "so the dollar stays"),
    ("nothing", "nothing", "most texts have none"),
]


@pytest.mark.parametrize(("text", "expanded", "why"), EXPANDED, ids=[case[2] for case in EXPANDED])
def test_references_are_replaced_as_upstream_replaces_them(text, expanded, why):
    assert KNOWN.substituted(text) == expanded, why


@given(st.text("$A{} ", max_size=30))
def test_every_text_can_be_expanded_and_without_dollars_stays(text):
    assert KNOWN.substituted(text.replace("$", "")) == text.replace("$", "")
    KNOWN.substituted(text)


def test_a_megabyte_of_open_braces_takes_no_time():
    assert KNOWN.substituted("${" * 500_000) == ""


def test_an_application_finds_what_upstream_gives_it():
    assert environment(request_for({}, "apps/a")).variables == {
        "ARGOCD_APP_NAME": "app",
        "ARGOCD_APP_NAMESPACE": "ns",
        "ARGOCD_APP_PROJECT_NAME": "shop",
        "ARGOCD_APP_REVISION": COMMIT,
        "ARGOCD_APP_REVISION_SHORT": COMMIT[:7],
        "ARGOCD_APP_REVISION_SHORT_8": COMMIT[:8],
        "ARGOCD_APP_SOURCE_REPO_URL": "https://git.example/shop.git",
        "ARGOCD_APP_SOURCE_PATH": "apps/a",
        "ARGOCD_APP_SOURCE_TARGET_REVISION": "main",
    }


def test_an_application_elsewhere_goes_by_both_its_names():
    app = App(name="app", instance_name="team_app")
    assert environment(request_for({}, app=app)).variables["ARGOCD_APP_NAME"] == "team_app"


def plugged(**plugin):
    plain = request_for({}, plugin=plugin)
    capabilities = Capabilities(kube_version="1.31.0", api_versions=("v1", "apps/v1"))
    return Request(source=plain.source, tree=plain.tree, app=plain.app, capabilities=capabilities)


def test_a_plugin_finds_its_own_variables_and_parameters_too():
    found = plugin_environment(
        plugged(
            env=[{"name": "MINE", "value": "$ARGOCD_APP_NAME on $KUBE_VERSION"}],
            parameters=[
                {"name": "image.tag", "string": "v1"},
                {"name": "list", "array": ["a", "b"]},
                {"name": "map", "map": {"one key": "x"}},
            ],
        )
    )
    assert found["KUBE_API_VERSIONS"] == "v1,apps/v1"
    assert found["ARGOCD_ENV_MINE"] == "app on 1.31.0"
    assert found["PARAM_IMAGE_TAG"] == "v1"
    assert (found["PARAM_LIST_0"], found["PARAM_LIST_1"], found["PARAM_MAP_ONE_KEY"]) == ("a", "b", "x")
    assert decode(found["ARGOCD_APP_PARAMETERS"]) == [
        {"name": "image.tag", "string": "v1"},
        {"array": ["a", "b"], "name": "list"},
        {"map": {"one key": "x"}, "name": "map"},
    ]


def test_without_a_plugin_there_is_nothing_of_its_own():
    assert "ARGOCD_APP_PARAMETERS" not in plugin_environment(request_for({}))


@pytest.mark.parametrize("entry", [{"name": "A=B", "value": ""}, {"name": "A", "value": "x\0y"}])
def test_variables_that_no_process_can_have_are_refused(entry):
    with pytest.raises(InvalidInput):
        plugin_environment(plugged(env=[entry]))
