import pytest

from plumbline.base.errors import InvalidInput
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.picking import includes, picked, resources_of

WEB = {"group": "apps", "kind": "Deployment", "namespace": "shop", "name": "web"}
CASES = [
    ((), True, "no rules mean everything"),
    (("apps:Deployment:web",), True, "by name"),
    (("apps:Deployment:shop/web",), True, "in its namespace"),
    (("apps:Deployment:other/web",), False, "in another namespace"),
    (("*:*:*",), True, "anything"),
    ((":Service:web",), False, "another kind"),
    (("!apps:Deployment:web",), False, "all but it"),
    (("!:Service:web",), True, "all but another"),
    (("apps:Deployment:*", "!*:*:web"), False, "what leaves out wins"),
]


@pytest.mark.parametrize(("texts", "expected", "why"), CASES, ids=[case[2] for case in CASES])
def test_rules_pick(texts, expected, why):
    assert includes(picked(texts), WEB) is expected
    app = {"status": {"resources": [WEB | {"status": "Synced"}]}}
    assert resources_of(app, picked(texts)) == ([WEB] if expected else [])


@pytest.mark.parametrize("text", ["", "a:b", "a:b:c:d", "a:b:c/d/e", "a:b:/c"])
def test_what_names_no_resource_is_refused(text):
    with pytest.raises(InvalidInput):
        picked([text])


def test_applications_are_named_with_and_without_their_namespace():
    assert AppName.parse("web", "argocd") == AppName("argocd", "web")
    assert AppName.parse("team/web", "argocd") == AppName("team", "web")
    assert str(AppName.of({"metadata": {"name": "web", "namespace": "team"}})) == "team/web"
    for text in ("", "a/b/c", "/a", "a/"):
        with pytest.raises(InvalidInput):
            AppName.parse(text, "argocd")
