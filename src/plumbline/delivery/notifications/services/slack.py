"""Slack: chat.postMessage, threads by grouping key, and updates of what was posted first."""

import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec

from plumbline.base.documents import load_json
from plumbline.base.errors import Forbidden, GarbledReply, InvalidInput, PlumblineError, Refused, ServerFault, Throttled
from plumbline.base.json import Json, decode, encode
from plumbline.base.limits import SETTINGS
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.delivery.notifications.messages import Message, Slack
from plumbline.delivery.notifications.services.outbound import Call, Outbound, Reply, checked_url
from plumbline.delivery.notifications.subscriptions import Destination

PUBLIC_API: Final = "https://slack.com/api/"
_FORM: Final = Plaintext("application/x-www-form-urlencoded")
_MOST_THREADS: Final = 4096
_PAUSE_S: Final = 30.0
_LONGEST_PAUSE_S: Final = 600.0
_TOO_MANY: Final = 429
_FAULTS: Final = 500
_emoji: Final = re.compile(r":.+:").fullmatch
_REFUSED: Final = frozenset(
    {"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "missing_scope"}
)
_PASSING: Final = frozenset(
    {"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"}
)


class _Options(
    msgspec.Struct, rename={"api_url": "apiURL", "disable_unfurl": "disableUnfurl", "insecure": "insecureSkipVerify"}
):
    token: str = ""
    username: str = ""
    icon: str = ""
    api_url: str = ""
    disable_unfurl: bool = False
    insecure: bool = False

    def __repr__(self) -> str:
        return "_Options(***)"


class _Answer(msgspec.Struct):
    ok: bool = False
    error: str = ""
    ts: str = ""
    channel: str = ""


class Thread(NamedTuple):
    ts: str
    channel: str


class Threads:
    """The first message of each group in each channel. As upstream's, they are forgotten with the process."""

    def __init__(self) -> None:
        self._first: OrderedDict[tuple[str, str], Thread] = OrderedDict()

    def get(self, recipient: str, group: str) -> Thread | None:
        return self._first.get((recipient, group)) if group else None

    def keep(self, recipient: str, group: str, thread: Thread) -> None:
        if group:
            self._first[recipient, group] = thread
            while len(self._first) > _MOST_THREADS:
                self._first.popitem(last=False)


class SlackService:
    def __init__(self, options: Mapping[str, Any], outbound: Outbound, threads: Threads) -> None:
        """Raises InvalidInput and msgspec.ValidationError."""
        said = msgspec.convert(options, _Options, strict=False)
        self._token = Plaintext(said.token)
        known.add(self._token)
        self._said = msgspec.structs.replace(said, token="")
        self._api = checked_url(said.api_url or PUBLIC_API).rstrip("/") + "/"
        self._outbound = outbound
        self._threads = threads

    async def send(self, message: Message, destination: Destination) -> None:
        slack = message.slack or Slack()
        fields = self._fields(message, slack)
        recipient = destination.recipient
        first = self._threads.get(recipient, slack.grouping_key)
        if first is None or slack.policy != "Update":
            posted = await self._called("chat.postMessage", _posted(fields, recipient, slack, first))
            if first is None:
                self._threads.keep(recipient, slack.grouping_key, Thread(posted.ts, posted.channel or recipient))
        if first is not None and slack.policy in {"Update", "PostAndUpdate"}:
            await self._called("chat.update", {**fields, "channel": first.channel, "ts": first.ts, "as_user": "true"})

    def _fields(self, message: Message, slack: Slack) -> dict[str, str]:
        icon, username = slack.icon or self._said.icon, slack.username or self._said.username
        fields = {"text": message.text}
        if username:
            fields["username"] = username
        if icon:
            fields["icon_emoji" if _emoji(icon) else "icon_url"] = icon
        for name, text in (("attachments", slack.attachments), ("blocks", slack.blocks)):
            if text.strip():
                fields[name] = encode(_list(text, name)).decode()
        if self._said.disable_unfurl:
            fields |= {"unfurl_links": "false", "unfurl_media": "false"}
        return fields

    async def _called(self, method: str, fields: Mapping[str, str]) -> _Answer:
        bearer = Plaintext(b"Bearer " + self._token.reveal())
        headers = (("Authorization", bearer), ("Content-Type", _FORM))
        body = urlencode(fields, errors="replace").encode()
        reply = await self._outbound.send(Call("POST", self._api + method, body, headers, self._said.insecure))
        return _answer(reply)


def _posted(fields: Mapping[str, str], recipient: str, slack: Slack, first: Thread | None) -> dict[str, str]:
    posted = {**fields, "channel": recipient}
    if first is not None:
        posted["thread_ts"] = first.ts
    if slack.broadcast:
        posted["reply_broadcast"] = "true"
    return posted


def _list(text: str, name: str) -> Json:
    try:
        value: Json = load_json(text, limits=SETTINGS).value
    except PlumblineError as fault:
        raise InvalidInput(f"the {name} for Slack cannot be used", why=str(fault)) from fault
    if not isinstance(value, list):
        raise InvalidInput(f"the {name} for Slack cannot be used", why="they are no list")
    return value


def _answer(reply: Reply) -> _Answer:
    if reply.status == _TOO_MANY:
        asked = reply.headers.get("retry-after", "")
        after_s = float(asked) if asked.isdecimal() else _PAUSE_S
        raise Throttled("Slack wants fewer messages", after_s=min(after_s, _LONGEST_PAUSE_S))
    if reply.status >= _FAULTS:
        raise ServerFault(f"Slack failed with status {reply.status}")
    try:
        answer = decode(reply.body, type=_Answer)
    except msgspec.DecodeError:
        raise GarbledReply("Slack's answer cannot be read", why=f"status {reply.status}") from None
    if answer.ok:
        return answer
    error = answer.error[:100] or f"status {reply.status}"
    if error in _REFUSED:
        raise Forbidden("Slack did not take the message", why=error)
    if error in _PASSING:
        raise ServerFault("Slack did not take the message", why=error)
    raise Refused("Slack did not take the message", why=error)
