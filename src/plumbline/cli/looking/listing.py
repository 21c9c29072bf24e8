"""`plumb get`: objects of any kind in whatever form, once or for as long as somebody looks."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import NamedTuple

import click
import msgspec

from plumbline.base.json import JsonObject, decode
from plumbline.cli.looking.asking import Wanted, found, missing
from plumbline.cli.looking.forms import TABLES, Form
from plumbline.cli.looking.hiding import shown
from plumbline.cli.looking.tables import Drawn, drawn
from plumbline.cli.looking.templates import filled
from plumbline.cli.output import text_of
from plumbline.kube.client import Client, Selection, Synced, WatchEvent


class Asked(NamedTuple):
    namespace: str
    """Empty for all of them."""
    form: Form
    labels: str = ""
    fields: str = ""
    limit: int = 0
    managers: bool = False

    @property
    def selection(self) -> Selection:
        return Selection(labels=self.labels, fields=self.fields, limit=self.limit)

    def named(self, name: str) -> Selection:
        return Selection(fields=f"metadata.name={name}", limit=0)


class Objects(NamedTuple):
    items: list[JsonObject]
    next: str = ""
    """Where the rest begins, where there is more than was asked for."""


async def show(client: Client, wants: list[Wanted], asked: Asked) -> None:
    if asked.form.name in TABLES:
        await _show_tables(client, wants, asked)
        return
    objects = await collected(client, wants, asked)
    single = len(wants) == 1 and bool(wants[0].name)
    print_objects(objects, asked.form, single=single)


def print_objects(objects: Objects, form: Form, *, single: bool) -> None:
    if form.name == "name":
        for each in objects.items:
            click.echo(name_of(each))
        return
    value: JsonObject = {"apiVersion": "v1", "kind": "List", "items": objects.items}
    if objects.next:
        value["next"] = objects.next
    if single:
        value = objects.items[0]
    if form.name == "jsonpath":
        click.echo(filled(form.template, value), nl=False)
    else:
        click.echo(text_of(value, form.name), nl=False)


async def collected(client: Client, wants: list[Wanted], asked: Asked) -> Objects:
    items: list[JsonObject] = []
    rest = ""
    for each in wants:
        if each.name:
            items.append(shown(await found(client, each, asked.namespace), managers=asked.managers))
            continue
        async with aclosing(client.pages(each.resource.target(asked.namespace), asked.selection)) as pages:
            async for page in pages:
                items += (shown(decode(bytes(raw)), managers=asked.managers) for raw in page.items)
                rest = page.continue_token
                if asked.limit:
                    break
    return Objects(items, rest)


async def _show_tables(client: Client, wants: list[Wanted], asked: Asked) -> None:
    several = len({each.resource.gvr for each in wants}) > 1
    empty = True
    for at, each in enumerate(wants):
        answer = await _table(client, each, asked)
        if not answer.get("rows"):
            if each.name:
                raise await missing(client, each, asked.namespace)
            continue
        if not empty and (several or not each.name):
            click.echo()
        made = _drawn(answer, each, asked, several=several)
        joined = each.name and not several and at
        if asked.form.name == "csv":
            click.echo(made.csv(), nl=False)
        else:
            click.echo(made.without_header(made) if joined else made.text())
        empty = False
        if (answer.get("metadata") or {}).get("continue"):
            click.echo(f"There are more than {asked.limit}.", err=True)
    if empty:
        place = f" in namespace {asked.namespace}" if asked.namespace else ""
        click.echo(f"There are none{place}.", err=True)


async def _table(client: Client, each: Wanted, asked: Asked) -> JsonObject:
    selection = asked.named(each.name) if each.name else asked.selection
    answer: JsonObject = decode(
        await client.table(each.resource.target(asked.namespace), selection, include="Metadata")
    )
    return answer


def _drawn(answer: JsonObject, each: Wanted, asked: Asked, *, several: bool) -> Drawn:
    everywhere = each.resource.namespaced and not asked.namespace
    prefix = f"{_noun(each)}/" if several else ""
    return drawn(answer, wide=asked.form.name != "table", namespaces=everywhere, prefix=prefix)


def _noun(each: Wanted) -> str:
    group = f".{each.resource.group}" if each.resource.group else ""
    return f"{each.resource.singular or each.resource.kind.lower()}{group}"


def name_of(obj: JsonObject) -> str:
    """`deployment.apps/web`, as kubectl names it."""
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    return f"{str(obj.get('kind') or '').lower()}{f'.{group}' if group else ''}/{obj['metadata']['name']}"


async def follow(client: Client, each: Wanted, asked: Asked) -> None:
    """First what is there, then every change, until somebody has seen enough."""
    target = each.resource.target(asked.namespace)
    selection = asked.named(each.name) if each.name else msgspec.structs.replace(asked.selection, limit=0)
    like = _drawn(await _table(client, each, asked), each, asked, several=False)
    tabular = asked.form.name in TABLES
    if tabular:
        click.echo(like.text())
    async with aclosing(client.follow(target, selection)) as events:
        async for event in _changes(events, skip=tabular):
            if event.type == "DELETED":
                click.echo(f"{event.name} was deleted.", err=True)
            elif tabular:
                one = asked._replace(namespace=event.namespace or asked.namespace)
                row = await _table(client, Wanted(each.resource, event.name), one)
                click.echo(_drawn(row, each, asked, several=False).without_header(like))
            else:
                print_objects(Objects([shown(decode(event.raw), managers=asked.managers)]), asked.form, single=True)


async def _changes(events: AsyncIterator[object], *, skip: bool) -> AsyncIterator[WatchEvent]:
    """Without those that only say what was there already, where that was *skip*ped."""
    synced = not skip
    async for event in events:
        if isinstance(event, Synced):
            synced = True
        elif isinstance(event, WatchEvent) and synced and event.type in {"ADDED", "MODIFIED", "DELETED"}:
            yield event
