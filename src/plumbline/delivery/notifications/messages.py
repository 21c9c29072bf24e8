"""Templates to messages. Pure."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from plumbline.base.errors import BadExpression, LimitExceeded, NotFound
from plumbline.delivery.notifications.configuration import (
    Configuration,
    MessageTemplate,
    SlackTemplate,
    WebhookTemplate,
)
from plumbline.delivery.notifications.stock import TEMPLATES
from plumbline.delivery.settings.problems import Problem
from plumbline.gotemplate import Surroundings, Template, sprig
from plumbline.gotemplate.values import Function, Value


class Slack(NamedTuple):
    username: str = ""
    icon: str = ""
    attachments: str = ""
    blocks: str = ""
    grouping_key: str = ""
    broadcast: bool = False
    policy: str = "Post"


class Request(NamedTuple):
    method: str
    body: str
    path: str


class Message(NamedTuple):
    text: str = ""
    slack: Slack | None = None
    webhooks: Mapping[str, Request] = {}


class Messages:
    """The installation's templates, and the stock ones where it has none of the same name."""

    def __init__(self, configuration: Configuration, surroundings: Surroundings) -> None:
        functions = sprig(surroundings)
        self._made: dict[str, _Made] = {}
        problems: list[Problem] = []
        for name, template in {**TEMPLATES, **configuration.templates}.items():
            try:
                self._made[name] = _Made(name, template, functions)
            except (BadExpression, LimitExceeded) as fault:
                problems.append(Problem(f"template.{name}", str(fault)))
        self.problems = tuple(problems)

    def message(self, names: tuple[str, ...], variables: Mapping[str, Value]) -> Message:
        """What several templates say together: the last to say something has the say.

        Raises NotFound for a name that is none, EvaluationFailed and LimitExceeded.
        """
        message = Message()
        for name in names:
            if name not in self._made:
                raise NotFound(f"template '{name}' is not supported", why="it is not there, or cannot be read")
            message = self._made[name].added(message, dict(variables))
        return message


class _Made:
    """One template with all its parts. Raises BadExpression, LimitExceeded."""

    def __init__(self, name: str, template: MessageTemplate, functions: Mapping[str, Function]) -> None:
        def made(text: str, suffix: str = "") -> Callable[[Mapping[str, Value]], str]:
            return Template(name + suffix, text, functions).execute if "{{" in text else lambda _: text

        self._text = made(template.message)
        self._slack = template.slack
        said = template.slack or SlackTemplate()
        self._slack_parts = [
            made(each) for each in (said.username, said.icon, said.attachments, said.blocks, said.grouping_key)
        ]
        self._webhooks = {
            service: (each, made(each.body, service), made(each.path, service))
            for service, each in (template.webhook or {}).items()
        }

    def added(self, message: Message, variables: Mapping[str, Value]) -> Message:
        slack = message.slack
        if self._slack is not None:
            username, icon, attachments, blocks, group = (part(variables) for part in self._slack_parts)
            slack = Slack(
                username, icon, attachments, blocks, group, self._slack.notify_broadcast, self._slack.delivery_policy
            )
        webhooks = {
            service: _request(template, body(variables), path(variables))
            for service, (template, body, path) in self._webhooks.items()
        }
        return Message(self._text(variables) or message.text, slack, {**message.webhooks, **webhooks})


def _request(template: WebhookTemplate, body: str, path: str) -> Request:
    return Request(template.method, body, path)
