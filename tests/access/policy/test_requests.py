"""Questions in the words of a policy."""

import pytest

from plumbline.access.policy import AccessSettings, Question, Target, decide_object
from plumbline.access.policy.requests import action_on, application_name, rollback_action, scoped_name
from plumbline.base.errors import InvalidInput

from .building import asked, policy

POD = Target("", "Pod", "web", "api-0")
WEB = Target("apps", "Deployment", "web", "api")
INHERITED = AccessSettings(inherited=True)


@pytest.mark.parametrize(
    ("namespace", "control", "name"),
    [("argocd", "argocd", "shop/web"), ("team", "argocd", "shop/team/web"), ("", "argocd", "shop/web"), ("team", "", "shop/web")],
)  # fmt: skip
def test_applications_are_named_by_project_and_by_namespace_where_it_is_another(namespace, control, name):
    assert application_name("shop", namespace, "web", control) == name


def test_clusters_and_repositories_may_belong_to_a_project():
    assert scoped_name("", "https://a") == "https://a"
    assert scoped_name("shop", "https://a") == "shop/https://a"


def test_actions_of_objects_name_group_kind_and_action():
    assert action_on(WEB, "restart") == "action/apps/Deployment/restart"
    assert action_on(POD, "x") == "action//Pod/x"


@pytest.mark.parametrize(
    ("rules", "verb", "target", "alone", "inherited"),
    [
        ("delete", "delete", POD, False, True),
        ("delete/*", "delete", POD, True, True),
        ("delete//Pod/web/*", "delete", POD, True, True),
        ("delete/*/Pod/*", "delete", WEB, False, False),
        ("update/apps/Deployment/web/api", "update", WEB, True, True),
        ("update", "update", WEB, False, True),
        ("get", "get", WEB, True, True),
        ("get", "delete", WEB, False, False),
    ],
)
def test_objects_are_decided_by_themselves_unless_it_is_inherited(rules, verb, target, alone, inherited):
    found = policy(f"p, alice, applications, {rules}, shop/*, allow")
    subject = asked("get logs x")[0]
    for settings, allowed in ((AccessSettings(), alone), (INHERITED, inherited)):
        assert decide_object(found, subject, verb, "shop/web", target, settings=settings).allowed is allowed


def test_what_is_denied_for_the_application_may_be_allowed_for_an_object():
    found = policy("p, alice, applications, delete, *, deny\np, alice, applications, delete//Pod/*, *, allow")
    for settings in (AccessSettings(), INHERITED):
        assert decide_object(found, asked("get logs x")[0], "delete", "shop/web", POD, settings=settings).allowed


def test_rolling_back_is_a_sync_unless_it_is_to_be_something_of_its_own():
    assert rollback_action(AccessSettings()) == "sync"
    assert rollback_action(AccessSettings(rollback_enforced=True)) == "rollback"


@pytest.mark.parametrize(
    ("typed", "question"),
    [
        (("sync", "applications", "shop/web"), ("applications", "sync", "shop/web")),
        (("sync", "app", "shop/argocd/web"), ("applications", "sync", "shop/web")),
        (("get", "log", "shop/team/web"), ("logs", "get", "shop/team/web")),
        (("delete/apps/Deployment/a/b", "apps", "*"), ("applications", "delete/apps/Deployment/a/b", "*")),
        (("get", "projects", "a/argocd/b"), ("projects", "get", "a/argocd/b")),
        (("get", "repo", ""), ("repositories", "get", "")),
    ],
)
def test_what_a_person_types_becomes_a_question(typed, question):
    assert Question.of(*typed, "argocd") == question


@pytest.mark.parametrize(
    ("action", "resource"),
    [("get", "pods"), ("fly", "applications"), ("sync", "projects"), ("get/x", "applications"), ("update/x", "projects"), ("get", "exec"), ("", "logs")],
)  # fmt: skip
def test_what_no_policy_knows_is_refused_with_what_there_is(action, resource):
    with pytest.raises(InvalidInput) as refused:
        Question.of(action, resource, "shop/web", "argocd")
    assert refused.value.why
