"""What is secret in Git or on the cluster leaves delivery in no status, condition, event, journal or log."""

import base64

from tests.delivery.town import town

from plumbline.base.json import encode

from .telling import told

CANARY = "canary-7f3a9d5e"
CODED = base64.b64encode(CANARY.encode()).decode()
FILES = {
    "web/good.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: good}}\nstringData: {{password: {CANARY}}}\n",
    "web/coded.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: coded}}\ndata: {{password: {CODED}}}\n",
    "bad/wrong.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: wrong}}\ndata: {{password: '!{CANARY}'}}\n",
    "odd/typed.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: typed}}\ndata: [{CANARY}]\n",
    "torn/torn.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: torn}}\nstringData: {{password: '{CANARY}\n",
}


def test_row_21_no_sink_ever_holds_the_plaintext_of_a_secret(capfd):
    """Neither while all goes well, nor on drift, nor where the manifest or the server's answer is wrong."""

    async def story(place):
        for name in ("web", "bad", "odd", "torn"):
            await place.deploy(name)
        await place.synced("web")
        await place.patch("v1/secrets", "good", {"stringData": {"password": f"{CANARY}-drifted"}})
        await place.settle(60)
        await place.sync("web", prune=True)
        await place.settle(60)
        page = await place.journal.page(limit=500)
        assert page.entries
        store = place.plane.store
        sinks = [repr(page.entries).encode()]
        sinks += [encode(await place.app(name)) for name in ("web", "bad", "odd", "torn")]
        sinks += [entry.body for each in store.collections if each.resource == "events" for entry in store.shelf(each).entries()]  # fmt: skip
        captured = capfd.readouterr()
        sinks += [captured.out.encode(), captured.err.encode()]
        assert (await place.get("v1/secrets", "good"))["data"]["password"] == CODED
        for sink in sinks:
            assert CANARY.encode() not in sink
            assert CODED.encode() not in sink

    told(story, town(files=FILES))
