"""What happened to objects: Events, the newest last, for as long as somebody looks."""

from collections.abc import Iterable, Sequence
from contextlib import aclosing
from typing import Final, NamedTuple

import click

from plumbline.apiserver.tables.ages import since
from plumbline.base.clock import Clock
from plumbline.base.json import JsonObject, decode
from plumbline.cli.looking.forms import TABLES
from plumbline.cli.looking.listing import Asked, Objects, print_objects
from plumbline.cli.looking.tables import Drawn
from plumbline.kube.client import Client, Selection, Synced, Target, WatchEvent
from plumbline.kube.names import GroupVersionResource

EVENTS: Final = GroupVersionResource("", "v1", "events")
_HEADER: Final = ("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE")
_NAMESPACE_OF_THE_CLUSTER: Final = "default"


class About(NamedTuple):
    """The object that is meant; any where it has no name."""

    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""

    @classmethod
    def of(cls, obj: JsonObject) -> "About":
        metadata = obj["metadata"]
        place = str(metadata.get("namespace") or "")
        return cls(str(obj.get("kind") or ""), str(metadata["name"]), place, str(metadata.get("uid") or ""))

    @property
    def selector(self) -> str:
        said = {"kind": self.kind, "name": self.name, "uid": self.uid}
        return ",".join(f"involvedObject.{key}={value}" for key, value in said.items() if value)


async def collected(client: Client, about: About, namespace: str, kinds: Sequence[str] = ()) -> list[JsonObject]:
    """In the order in which they happened."""
    page = await client.list(Target(EVENTS, namespace), Selection(fields=about.selector))
    found = (decode(bytes(each)) for each in page.items)
    return sorted((each for each in found if not kinds or str(each.get("type")) in kinds), key=moment)


def place(about: About, namespace: str) -> str:
    """Where Events about an object are: beside it, or in `default` where it has no namespace."""
    return (about.namespace or _NAMESPACE_OF_THE_CLUSTER) if about.name else namespace


async def show(client: Client, about: About, asked: Asked, kinds: Sequence[str], clock: Clock) -> None:
    where = place(about, asked.namespace)
    found = await collected(client, about, where, kinds)
    if asked.limit:
        found = found[-asked.limit :]
    if asked.form.name not in TABLES:
        print_objects(Objects(found), asked.form, single=False)
        return
    if not found:
        click.echo("There are no events.", err=True)
        return
    made = drawn(found, clock, namespaces=not where)
    click.echo(made.csv() if asked.form.name == "csv" else made.text(), nl=asked.form.name != "csv")


async def follow(client: Client, about: About, asked: Asked, kinds: Sequence[str], clock: Clock) -> None:
    """Only what happens from now on, after what `show` has shown."""
    where, synced = place(about, asked.namespace), False
    async with aclosing(client.follow(Target(EVENTS, where), Selection(fields=about.selector))) as events:
        async for each in events:
            if isinstance(each, Synced):
                synced = True
            elif isinstance(each, WatchEvent) and synced and each.type in {"ADDED", "MODIFIED"}:
                event = decode(each.raw)
                if kinds and str(event.get("type")) not in kinds:
                    continue
                if asked.form.name in TABLES:
                    made = drawn([event], clock, namespaces=not where)
                    click.echo(made.without_header(made))
                else:
                    print_objects(Objects([event]), asked.form, single=True)


def drawn(events: Iterable[JsonObject], clock: Clock, *, namespaces: bool = False) -> Drawn:
    now_s = clock.now().timestamp()
    first = ("NAMESPACE",) if namespaces else ()
    rows = []
    for event in events:
        of = event.get("involvedObject") or {}
        where = (str(of.get("namespace") or ""),) if namespaces else ()
        cells = (
            since(moment(event), now_s),
            str(event.get("type") or ""),
            str(event.get("reason") or ""),
            f"{str(of.get('kind') or '').lower()}/{of.get('name') or ''}",
            f"{event.get('message') or ''}{_times(event)}",
        )
        rows.append((*where, *cells))
    return Drawn((*first, *_HEADER), tuple(rows))


def _times(event: JsonObject) -> str:
    count = (event.get("series") or {}).get("count") or event.get("count") or 1
    return f" (x{count})" if isinstance(count, int) and count > 1 else ""


def moment(event: JsonObject) -> str:
    """When it was last seen."""
    series = (event.get("series") or {}).get("lastObservedTime")
    created = (event.get("metadata") or {}).get("creationTimestamp")
    return str(series or event.get("lastTimestamp") or event.get("eventTime") or created or "")
