"""plumb get, describe and events: any kind, any form, and nothing of a Secret."""

import asyncio

import pytest

from plumbline.base.errors import AlreadyExists, InvalidInput
from plumbline.base.json import decode, encode
from plumbline.cli.looking.asking import wanted
from plumbline.cli.looking.forms import Form
from plumbline.cli.looking.listing import Asked, follow
from plumbline.cli.looking.templates import filled
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource

SECRETS = Target(GroupVersionResource("", "v1", "secrets"), "default")
EVENTS = Target(GroupVersionResource("", "v1", "events"), "default")
LIST = {"items": [{"metadata": {"name": "a", "n": 1}}, {"metadata": {"name": "b"}}]}


@pytest.fixture
def secret(installed):
    async def made():
        async with Client.connect(Connection.load(installed.kubeconfig)) as client:
            body = {
                "metadata": {"name": "looked-at", "labels": {"looked": "at"}},
                "stringData": {"password": "canary"},
            }
            try:
                raw = decode(await client.create(SECRETS, encode(body)))
            except AlreadyExists:
                raw = decode(await client.get(SECRETS._replace(name="looked-at")))
            event = {
                "metadata": {"generateName": "looked-at."},
                "involvedObject": {
                    "kind": "Secret",
                    "name": "looked-at",
                    "namespace": "default",
                    "uid": raw["metadata"]["uid"],
                },
                "type": "Warning",
                "reason": "Looked",
                "message": "somebody looked",
                "count": 2,
                "lastTimestamp": "2026-01-01T00:00:00Z",
            }
            await client.create(EVENTS, encode(event))

    asyncio.run(made())


@pytest.mark.parametrize("form", ["table", "wide", "json", "yaml", "name", "csv", "jsonpath={..data}"])
def test_an_object_in_every_form_without_its_secret(shop, secret, form):
    for words in (("secret/looked-at",), ("secrets", "looked-at"), ("secret", "-l", "looked=at")):
        said = shop.done("get", *words, "-o", form)
        assert said
        assert "canary" not in said
        assert "Y2FuYXJ5" not in said


def test_lists_are_tables_of_the_server(shop, secret):
    assert shop.done("get", "ns", "default").splitlines()[0].split() == ["NAME", "STATUS", "AGE"]
    assert shop.done("get", "secret", "-A").split()[0] == "NAMESPACE"
    both = shop.done("get", "ns,secret", "-o", "table")
    assert "namespace/default" in both
    assert "secret/looked-at" in both
    assert shop.done("get", "secret/looked-at", "-o", "name") == "secret/looked-at\n"
    some = shop("get", "ns", "--limit", "1")
    assert "more than 1" in some.err
    assert decode(shop.done("get", "ns", "--limit", "1", "-o", "json"))["next"]
    assert "none" in shop("get", "pods", "-l", "no=one").err
    assert "managedFields" in shop.done("get", "ns/default", "-o", "json", "--show-managed-fields")


@pytest.mark.parametrize(
    ("args", "code", "hint", "why"),
    [
        (("get", "namespce"), 5, "namespace", "a kind that is written alike"),
        (("get", "xyzzy"), 5, "api-resources", "one that is like none"),
        (("get", "ns/defualt"), 5, "Did you mean default?", "a name that is written alike"),
        (("tree", "ns/defualt"), 5, "Did you mean default?", "everywhere"),
        (("get", "secret/zzzzzz"), 5, "plumb get secret -A.", "a name that may be of another namespace"),
        (("get", "ns/zzzzzz"), 5, "plumb get namespace.", "a name of what is in none"),
        (("get", "ns/a", "b"), 2, "KIND/NAME", "with a kind and without"),
        (("get", "ns/"), 2, "KIND/NAME", "no name"),
        (("get", ","), 2, "KIND", "no kind"),
        (("get", "ns/a", "-l", "x=y"), 2, "", "a selector for one"),
        (("get", "ns", "-o", "jason"), 2, "", "a form that there is not"),
        (("get", "ns,pods", "-w"), 2, "", "watching two kinds"),
        (("events", "ns"), 2, "", "events of a kind"),
        (("get", "ns", "-o", "jsonpath={.a"), 2, "", "a template that does not end"),
    ],
)
def test_what_is_wrong_is_told(shop, args, code, hint, why):
    said = shop(*args)
    assert said.code == code, why
    assert hint in said.err, why


def test_everything_about_an_object(shop, secret):
    said = shop.done("describe", "secret/looked-at")
    assert "Labels:       looked=at" in said
    assert "somebody looked (x2)" in said
    assert "canary" not in said
    assert "Healthy" in shop.done("describe", "node")
    assert "Conditions:" in shop.done("describe", "node")
    assert "none" in shop("describe", "secret", "-l", "no=one").err


def test_what_happened(shop, secret):
    said = shop.done("events", "secret/looked-at")
    assert said.splitlines()[0].split() == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert "secret/looked-at" in said
    header, *rows = shop.done("events", "-A", "--types", "Warning", "--limit", "1").splitlines()
    assert header.split()[0] == "NAMESPACE"
    assert len(rows) == 1
    assert "There are no events" in shop("events", "ns/default").err
    assert decode(shop.done("events", "secret/looked-at", "-o", "json"))["items"]
    assert shop.done("events", "secret/looked-at", "-o", "csv").startswith("LAST SEEN,")


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{.items[*].metadata.name}", "a b"),
        ('{range .items[*]}{.metadata.name}{"\\n"}{end}', "a\nb\n"),
        (".items[0].metadata", '{"name":"a","n":1}'),
        ("{.items[0].metadata.n} of {.nothing}", "1 of "),
    ],
)
def test_templates_as_kubectl_fills_them(template, text):
    assert filled(template, LIST) == text


@pytest.mark.parametrize("template", ["{range .items[*]}", "{end}", "{word}", "{.a"])
def test_templates_that_cannot_be_read(template):
    with pytest.raises(InvalidInput):
        filled(template, LIST)


@pytest.mark.parametrize("form", ["table", "json"])
async def test_changes_are_followed(installed, capsys, form):
    async with Client.connect(Connection.load(installed.kubeconfig)) as client:
        name = f"followed-{form}"
        body = encode({"metadata": {"name": name}, "data": {}})
        maps = Target(GroupVersionResource("", "v1", "configmaps"), "default")
        await client.create(maps, body)
        (want,) = await wanted(client, (f"configmap/{name}",))
        task = asyncio.get_running_loop().create_task(follow(client, want, Asked("default", Form(form))))
        seen = ""
        for step in range(200):
            await asyncio.sleep(0.05)
            seen += capsys.readouterr().out
            if step == 10:
                await client.patch(maps._replace(name=name), encode({"data": {"a": "1"}}), "merge")
            if step > 10 and seen.count(name) >= 2:
                break
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await client.delete(maps._replace(name=name))
        assert seen.count(name) >= 2
