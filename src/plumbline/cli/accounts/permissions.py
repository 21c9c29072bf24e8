"""May somebody do something, and which line of the policy says so."""

from typing import Final, NamedTuple

from plumbline.access.policy import Question, Subject, policy_from
from plumbline.access.realm import POLICY
from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.cli.connecting import Where
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")


class Verdict(NamedTuple):
    allowed: bool
    line: str
    why: str

    def as_json(self) -> JsonObject:
        return {"value": "yes" if self.allowed else "no", "line": self.line, "why": self.why}


async def decided(where: Where, asked: tuple[str, str, str], subject: Subject | None) -> Verdict:
    """*asked* is the action, the resource and the object; without *subject* it is about whoever asks."""
    login = where.login()
    if login is None:
        if subject is None:
            why = (
                "no server is asked, and what the cluster lets you do is said by its own RBAC; name somebody with --as"
            )
            return Verdict(allowed=True, line="", why=why)
        async with where.connected() as client:
            return await _local(client, where.namespace, asked, subject)
    if subject is not None:
        raise InvalidInput("--as and --group are not for servers", why="they answer for you alone", hint="Use --core.")
    from plumbline.cli.server.api import opened  # noqa: PLC0415 - only who has logged in waits for it

    action, resource, name = asked
    async with opened(login, where.asked) as api:
        said = await api.get("account", "can-i", resource, action, *name.split("/"))
    return Verdict(said.get("value") == "yes", str(said.get("line") or ""), str(said.get("why") or ""))


async def _local(client: Client, namespace: str, asked: tuple[str, str, str], subject: Subject) -> Verdict:
    action, resource, name = asked
    question = Question.of(action, resource, name, namespace)
    try:
        config: JsonObject | None = decode(await client.get(Target(_CONFIG_MAPS, namespace, POLICY)))
    except NotFound:
        config = None
    page = await client.list(Target(APP_PROJECT.resource, namespace))
    policy = policy_from(config, [decode(item) for item in page.items])
    found = policy.decide(subject, question.resource, question.action, question.name)
    return Verdict(found.allowed, found.line, found.why)
