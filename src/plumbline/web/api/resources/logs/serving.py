"""Logs of one pod or of all behind a workload, as lines of JSON or as events, for as long as somebody may read them."""

from collections import Counter
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, Throttled
from plumbline.base.json import JsonObject
from plumbline.delivery.podlogs import Lines, split_lines
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.web.api.answers import Captured
from plumbline.web.api.parameters import number, switch
from plumbline.web.api.resources.asking import LOGS, Asked, Reception
from plumbline.web.api.resources.groves import Groves
from plumbline.web.api.resources.logs.entries import Entry, parsed
from plumbline.web.api.resources.logs.merging import Merger
from plumbline.web.api.rights import who
from plumbline.web.board.sight import Who
from plumbline.web.requests import Request, Response

LOOK_S: Final = 10.0
"""How often it is looked whether somebody may still read: a stream has to end within thirty seconds of that."""
_PODS: Final = GroupVersionResource("", "v1", "pods")
_MOST_PODS: Final = 50
_MOST_STREAMS: Final = 128
_MOST_EACH: Final = 32
"""Of one person, so that there are some left for others."""
_MOST_LINES: Final = 1 << 31
_SETTINGS: Final = "argocd-cm"
_MOST_PODS_KEY: Final = "server.maxPodLogsToRender"
_RETRY_S: Final = 5.0
_EVENTS: Final = "text/event-stream"
_LINES: Final = "application/json"


class _Wanted(NamedTuple):
    """Pods that are, or stand behind, what is named. Empty means any."""

    group: str
    kind: str
    namespace: str
    name: str

    def fits(self, node: JsonObject) -> bool:
        named = (node.get("group", ""), node["kind"], node.get("namespace", ""), node["name"])
        return all(not wanted or wanted == found for wanted, found in zip(self, named, strict=True))


class Logs:
    def __init__(self, reception: Reception, groves: Groves) -> None:
        self._reception = reception
        self._groves = groves
        self._open = 0
        self._readers: Counter[Who] = Counter()

    async def streamed(self, request: Request, captured: Captured) -> Response:
        asked = await self._reception.asked(request, captured)
        self._reception.demand_logs(asked)
        query = asked.query
        lines = Lines.parse(
            query.get("filter", ""), query.get("untilTime", ""), match_case=switch(request, "matchCase", default=False)
        )
        parameters = _parameters(request)
        place = await self._reception.place(asked)
        grove = await self._groves.grove(asked, place)
        pods = _chosen(grove.nodes, _wanted(query, captured))
        most = self._most_pods()
        if len(pods) > most:
            raise InvalidInput(
                "max pods to view logs are reached. Please provide more granular query",
                why=f"{len(pods)} pods are more than {most}",
                hint="Choose some with kind, resourceName or namespace.",
            )
        own = self._readers[who(asked.found.asker)]
        if own >= _MOST_EACH or self._open >= _MOST_STREAMS:
            told = f"{own} others of yours" if own >= _MOST_EACH else f"{self._open} others"
            raise Throttled("The logs are not read", after_s=_RETRY_S, why=f"{told} are being read")
        event = _EVENTS in request.header("accept")
        streams = [_pod_lines(place.client, each, parameters) for each in pods]
        stream = self._watched(asked, Merger(streams, LOOK_S), lines, event=event)
        return Response(200, content_type=_EVENTS if event else _LINES, stream=stream)

    async def _watched(self, asked: Asked, merger: Merger, lines: Lines, *, event: bool) -> AsyncGenerator[bytes]:
        """The lines that are wanted, for as long as who asked may read them."""
        clock = self._reception.parts.desk.clock
        looked_s = clock.monotonic()
        reader = who(asked.found.asker)
        self._open += 1
        self._readers[reader] += 1
        try:
            async with aclosing(merger.batches()) as batches:
                async for batch in batches:
                    if clock.monotonic() - looked_s >= LOOK_S:
                        if not await self._still(asked):
                            return
                        looked_s = clock.monotonic()
                    over = next((at for at, each in enumerate(batch) if lines.over(each.stamp)), len(batch))
                    kept = [each for each in batch[:over] if lines.fits(each.text)]
                    if over < len(batch):
                        kept.append(batch[over]._replace(last=True))
                    if kept:
                        yield b"".join(each.written(event=event) for each in kept)
                    elif event and not batch:
                        yield b":\n\n"  # a sign of life
                    if over < len(batch):
                        return
            yield Entry(_now(clock.now().isoformat()), "", "", last=True).written(event=event)
        finally:
            self._open -= 1
            self._readers[reader] -= 1
            self._readers += Counter()  # without those who read nothing any more

    async def _still(self, asked: Asked) -> bool:
        """Whether the session counts, and so do the rights: either may end in the middle."""
        found, rights = asked.found, self._reception.parts.desk.rights
        if not await self._reception.parts.still_valid(found.asker):
            return False
        may = (rights.may(found.asker, resource, "get", found.called) for resource in ("applications", LOGS))
        return all(may)

    def _most_pods(self) -> int:
        config = self._reception.parts.desk.installation.config_map(_SETTINGS) or {}
        said = str((config.get("data") or {}).get(_MOST_PODS_KEY) or "")
        return int(said) if said.isascii() and said.isdecimal() and int(said) else _MOST_PODS


def _now(moment: str) -> str:
    return moment.replace("+00:00", "Z")


def _wanted(query: dict[str, str], captured: Captured) -> _Wanted:
    pod = captured.get("podName") or query.get("podName", "")
    kind, name = ("Pod", pod) if pod else (query.get("kind", ""), query.get("resourceName", ""))
    return _Wanted(query.get("group", ""), kind, query.get("namespace", ""), name)


def _parameters(request: Request) -> dict[str, str]:
    """As the API server takes them. Times are always asked for: lines are put in order by them."""
    counts = {name: number(request, name, 0, _MOST_LINES) for name in ("tailLines", "sinceSeconds")}
    said = {name: str(count) for name, count in counts.items() if count}
    said |= {name: "true" for name in ("follow", "previous") if switch(request, name, default=False)}
    said |= {name: value for name in ("container", "sinceTime") if (value := request.query.get(name, ""))}
    return {**said, "timestamps": "true"}


def _chosen(nodes: Iterable[JsonObject], wanted: _Wanted) -> list[JsonObject]:
    """Pods of the tree that fit, themselves or by one of those that they stand behind."""
    by_uid = {each["uid"]: each for each in nodes if each.get("uid")}
    fits: dict[str, bool] = {}

    def chosen(uid: str) -> bool:
        if uid not in fits:
            node = by_uid.get(uid)
            parents = [each.get("uid", "") for each in (node or {}).get("parentRefs", ())]
            fits[uid] = False  # who owns itself in a circle is not behind anything
            fits[uid] = node is not None and (wanted.fits(node) or any(chosen(each) for each in parents))
        return fits[uid]

    pods = [each for each in by_uid.values() if each["kind"] == "Pod" and not each.get("group")]
    return [each for each in pods if chosen(each["uid"])]


async def _pod_lines(client: Client, pod: JsonObject, parameters: dict[str, str]) -> AsyncGenerator[Entry, None]:
    target = Target(_PODS, str(pod.get("namespace", "")), str(pod["name"]))
    async with aclosing(client.logs(target, parameters)) as pieces, aclosing(split_lines(pieces)) as read:
        async for line in read:
            for entry in parsed(line, str(pod["name"])):
                yield entry
