"""Settings, annotations and notes are read as upstream reads them."""

import base64

import pytest

from plumbline.delivery.notifications.configuration import Configuration, Subscription, read_configuration
from plumbline.delivery.notifications.freshness import fresh
from plumbline.delivery.notifications.state import Change, Result, key_of, read_state, written_state
from plumbline.delivery.notifications.stock import TEMPLATES, TRIGGERS
from plumbline.delivery.notifications.subscriptions import Destination, wanted
from plumbline.delivery.notifications.triggers import Triggers
from plumbline.kube.selectors import LabelSelector

CONFIG = {
    "data": {
        "service.slack": "token: $slack-token\nusername: bot",
        "service.webhook.hook": "url: https://hooks.example.org/$path/x\nheaders:\n- name: Authorization\n  value: Bearer $slack-token and $nowhere",
        "service.a.b.c": "x: 1",
        "service.email": "host: example.org",
        "service.webhook.list": "[]",
        "template.hello": "message: Hello\nslack:\n  attachments: '[]'\n  notifyBroadcast: true\nemail:\n  subject: x",
        "template.a.b": "message: dotted",
        "template.bad": "message: [",
        "trigger.on-true": "- when: true\n  send: [hello]\n  oncePer: app.metadata.name",
        "trigger.wrong": "when: x",
        "defaultTriggers": "[on-true]",
        "defaultTriggers.slack": "- on-deployed",
        "subscriptions": "- recipients: [slack:ops, hook]\n  triggers: [on-true]\n  selector: team=a\n- recipients: [x]\n  selector: '!!'",
        "context": "argocdUrl: https://cd.example.org\nport: 80",
        "config.yaml": "old",
    }
}
SECRET = {
    "data": {"slack-token": base64.b64encode(b"xoxb-very-secret").decode(), "path": base64.b64encode(b"p4th").decode()}
}


def test_the_config_map_is_read_with_its_secrets():
    found = read_configuration(CONFIG, SECRET)
    assert found.services["slack"].options == {"token": "xoxb-very-secret", "username": "bot"}
    hook = found.services["hook"].options
    assert hook["url"] == "https://hooks.example.org/p4th/x"
    assert hook["headers"][0]["value"] == "Bearer xoxb-very-secret and $nowhere"
    assert "xoxb" not in repr(found.services)
    assert found.templates["a.b"].message == "dotted"
    assert found.templates["hello"].slack.notify_broadcast is True
    (condition,) = found.triggers["on-true"]
    assert (condition.when, condition.send, condition.once_per) == ("true", ("hello",), "app.metadata.name")
    assert found.default_triggers == ("on-true",)
    assert found.service_triggers == {"slack": ("on-deployed",)}
    assert found.context == {"argocdUrl": "https://cd.example.org", "port": "80"}
    assert len(found.subscriptions) == 1


def test_one_key_that_cannot_be_read_loses_nothing_else():
    problems = {each.key for each in read_configuration(CONFIG, SECRET).problems}
    assert problems == {
        "service.a.b.c",
        "service.webhook.list",
        "template.bad",
        "trigger.wrong",
        "subscriptions",
        "config.yaml",
    }
    assert read_configuration(None, None) == Configuration()
    assert read_configuration({"data": 1}, {"data": {"x": 1}}).problems[0].key == "argocd-notifications-secret"


SAID = Configuration(default_triggers=("by-default",), service_triggers={"slack": ("for-slack",)})
ANNOTATED = [
    ({"notifications.argoproj.io/subscribe.on-x.slack": "a; b;;"}, {"on-x": [("slack", "a"), ("slack", "b")]}, "several"),
    ({"notifications.argoproj.io/subscribe.on-x.hook": ""}, {"on-x": [("hook", "")]}, "nobody by name"),
    ({"notifications.argoproj.io/subscribe.hook": "a"}, {"by-default": [("hook", "a")]}, "the default triggers"),
    ({"notifications.argoproj.io/subscribe.slack": "a"}, {"for-slack": [("slack", "a")]}, "those of the service"),
    ({"notifications.argoproj.io/subscribe..hook": "a"}, {"by-default": [("hook", "a")]}, "an empty trigger"),
    (
        {"notifications.argoproj.io/subscriptions": "- trigger: [on-x, on-y]\n  destinations:\n  - service: slack\n    recipients: [a]"},
        {"on-x": [("slack", "a")], "on-y": [("slack", "a")]},
        "in YAML",
    ),
    ({"notifications.argoproj.io/subscriptions": "- trigger: ["}, {}, "YAML that is none"),
    ({"notifications.argoproj.io/other": "a", "x": "y"}, {}, "other annotations"),
]  # fmt: skip


@pytest.mark.parametrize(("annotations", "expected", "why"), ANNOTATED, ids=[why for _, _, why in ANNOTATED])
def test_annotations_say_who_wants_to_be_told(annotations, expected, why):
    found = wanted(SAID, {}, annotations, {})
    assert {trigger: list(map(tuple, each)) for trigger, each in found.items()} == expected


def test_everybody_is_told_once():
    said = Configuration(
        subscriptions=(
            Subscription(("slack:ops", "hook"), ("on-x",), LabelSelector.parse("team=a")),
            Subscription(("slack:all",), ()),
        ),
        default_triggers=("on-y",),
    )
    own = {"notifications.argoproj.io/subscribe.on-x.slack": "ops;web"}
    project = {
        "notifications.argoproj.io/subscribe.on-x.slack": "web",
        "on-z.recipients.argocd-notifications.argoproj.io": "slack:old, hook",
        "recipients.argocd-notifications.argoproj.io": "mail:x",
    }
    found = wanted(said, {"team": "a"}, own, project)
    assert {trigger: list(map(str, each)) for trigger, each in found.items()} == {
        "on-x": ["slack:ops", "hook", "slack:web"],
        "on-y": ["slack:all", "mail:x"],
        "on-z": ["slack:old", "hook"],
    }
    assert "on-x" not in wanted(said, {"team": "b"}, {}, {})


def test_the_note_is_upstreams_to_the_letter():
    result = Result("[0].hash", True, (), "<nil>")
    key = key_of("on-x", result, Destination("slack", "ops"))
    assert key == "<nil>:on-x:[0].hash:slack:ops"
    assert key_of("on-x", result._replace(once_per=""), Destination("hook", "")) == "on-x:[0].hash:hook:"
    assert written_state({key: 2, "a&b": 1}) == '{"\\u003cnil\\u003e:on-x:[0].hash:slack:ops":2,"a\\u0026b":1}'
    assert read_state(written_state({key: 2})) == {key: 2}
    assert written_state({}) is None
    assert read_state("") == read_state("[]") == read_state("{") == {}


def test_the_oldest_notes_go_first():
    kept = read_state(written_state({f"k{at}": at for at in range(120)}))
    assert sorted(kept.values()) == list(range(20, 120))


def test_a_change_is_made_on_whatever_is_noted_by_then():
    change = Change({"a": 5}, frozenset({"b"}))
    assert change.applied({"b": 1, "c": 2}) == {"a": 5, "c": 2}
    assert not Change({}, frozenset())


def test_stock_triggers_have_upstreams_hashes():
    """Computed from the catalogue of Argo CD 3.5.6: what it noted counts here."""
    triggers = Triggers(Configuration())
    found = {name: triggers._conditions[name][0].key for name in TRIGGERS}
    assert found == {
        "on-created": "[0].X_5TO4MPCKAyY0ipFgr6_IraRNs",
        "on-deleted": "[0].BmlU8P6R19BGtNv5gj8udVypmxQ",
        "on-deployed": "[0].qyWrLKXYec9qR5FVB0ylUEJLjFg",
        "on-health-degraded": "[0].zoG5zUjYGjimkwCGgIQGjx1hO5s",
        "on-sync-failed": "[0].QocUZC1QzO--b2WEwALX85YPE5o",
        "on-sync-running": "[0].ic91dZU3WrtgRdlZCpg-L8ARI0Q",
        "on-sync-status-unknown": "[0].6SzWb05EK-0v90hwjyytTbN7S6A",
        "on-sync-succeeded": "[0].IwKhHw9Hu8IE3z5Y8CQE4vReLYs",
    }
    assert {each.send[0] for conditions in TRIGGERS.values() for each in conditions} == TEMPLATES.keys()


def test_a_trigger_that_cannot_be_read_is_a_problem_of_its_own():
    said = read_configuration(
        {"data": {"trigger.a": "- when: '1 +'", "trigger.b": "- when: 'true'\n  oncePer: app.x.y"}}, None
    )
    triggers = Triggers(said)
    assert [each.key for each in triggers.problems] == ["trigger.a"]
    assert "a" not in triggers
    assert "on-deployed" in triggers
    (result,) = triggers.run("b", {"app": {}})
    assert (result.triggered, result.once_per) == (True, "")
    (undecided,) = triggers.run("on-sync-failed", {"app": {}})
    assert undecided.triggered is False
    assert not triggers.timed("b")


@pytest.mark.parametrize(
    ("status", "expected", "why"),
    [
        (None, True, "nothing is known"),
        ({"operationState": {"phase": "Running"}}, True, "it is under way"),
        ({"operationState": {"phase": "Failed"}}, False, "its end is not known"),
        ({"operationState": {"phase": "Failed", "finishedAt": "x"}}, False, "nor readable"),
        ({"operationState": {"phase": "Error", "finishedAt": "2026-01-01T00:00:02Z"}, "reconciledAt": "2026-01-01T00:00:01Z"}, False, "before"),
        ({"operationState": {"phase": "Error", "finishedAt": "2026-01-01T00:00:02Z"}, "reconciledAt": "2026-01-01T00:00:02Z"}, True, "with it"),
        ({"operationState": {"phase": "Error", "finishedAt": "2026-01-01T00:00:02Z"}, "observedAt": "2026-01-01T00:00:03Z"}, True, "seen"),
    ],
)  # fmt: skip
def test_a_status_from_before_the_end_of_an_operation_is_not_told(status, expected, why):
    assert fresh({"status": status} if status is not None else {}) is expected
