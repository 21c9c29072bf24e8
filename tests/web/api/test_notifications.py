"""What can be subscribed to, as Argo CD's API names it."""

CONFIG_MAP = "argocd-notifications-cm"
PATH = "/api/v1/notifications"
TEMPLATE = "email:\n  subject: Made\nmessage: Application {{.app.metadata.name}} is there.\n"
TRIGGER = "- when: 'true'\n  send: [app-created]\n  oncePer: app.metadata.name\n"


async def listed(place, what, **more):
    return (await place.ask("GET", f"{PATH}/{what}", **more)).json


async def test_services_triggers_and_templates_are_listed_by_name(place):
    service = {"service.webhook.build": "url: https://build.example.org", "service.slack": "token: $slack-token"}
    said = {"template.app-created": TEMPLATE, "trigger.on-created": TRIGGER, "trigger.later": TRIGGER, **service}
    await place.configure(CONFIG_MAP, **said)
    assert await listed(place, "services") == {"items": [{"name": "build"}, {"name": "slack"}]}
    assert await listed(place, "triggers") == {"items": [{"name": "later"}, {"name": "on-created"}]}
    assert await listed(place, "templates", who="dev") == {"items": [{"name": "app-created"}]}


async def test_a_change_counts_at_once_and_an_installation_without_any_has_none(place):
    assert await listed(place, "services") == {}
    await place.configure(CONFIG_MAP, **{"service.slack": "token: x"})
    assert await listed(place, "services") == {"items": [{"name": "slack"}]}
    await place.configure(CONFIG_MAP, **{"service.slack.oncall": "token: x"})
    assert await listed(place, "services") == {"items": [{"name": "oncall"}]}


async def test_strangers_are_told_nothing(place):
    for what in ("services", "triggers", "templates"):
        assert (await place.ask("GET", f"{PATH}/{what}", who="")).status == 401
