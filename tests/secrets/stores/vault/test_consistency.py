import base64

import pytest
from tests.secrets.stores.vault.scene import scene

from plumbline.secrets.stores.store import Remote
from plumbline.secrets.stores.vault.consistency import States


def state(local, replicated, cluster="c"):
    return base64.b64encode(f"v1:{cluster}:{local}:{replicated}:00".encode()).decode()


MERGES = [
    ([state(1, 1)], [state(1, 1)], "one"),
    ([state(1, 1), state(2, 1)], [state(2, 1)], "a later one takes its place"),
    ([state(2, 2), state(1, 1)], [state(2, 2)], "an earlier one does not"),
    ([state(1, 2), state(2, 1)], [state(1, 2), state(2, 1)], "both, where neither is later"),
    ([state(1, 2), state(2, 1), state(3, 3)], [state(3, 3)], "later than both"),
    ([state(1, 1), state(1, 1)], [state(1, 1)], "the same"),
    ([state(5, 5), state(1, 1, "d")], [state(1, 1, "d")], "of another cluster"),
    ([state(1, 1), "?"], [state(1, 1)], "what cannot be read"),
    ([state(1, 1), base64.b64encode(b"v2:c:1:1:00").decode()], [state(1, 1)], "of another time"),
    ([state(1, 1), "", "x" * 5000], [state(1, 1)], "nothing, and too much"),
]


@pytest.mark.parametrize(("said", "expected", "why"), MERGES, ids=[row[-1] for row in MERGES])
def test_what_was_seen_is_the_latest(said, expected, why):
    states = States()
    for each in said:
        states.note(each)
    assert list(states.seen) == expected


async def test_a_store_that_reads_its_writes_says_what_it_has_seen():
    async with scene() as at:
        at.server.write("secret/app", {"n": "1"})
        at.server.index = state(7, 3)
        store = await at.approle_store(spec={"readYourWrites": True})
        await store.value(Remote("app"))
        at.server.index = state(8, 3)
        await store.value(Remote("app"))
        await store.value(Remote("app"))
        said = [each.getall("X-Vault-Index", []) for each in at.server.headers]
        assert said == [[], [state(7, 3)], [state(7, 3)], [state(8, 3)]]
        assert "X-Vault-Inconsistent" not in at.server.headers[-1]


async def test_a_store_that_does_not_care_says_nothing():
    async with scene() as at:
        at.server.index = state(7, 3)
        store = await at.store()
        await store.check()
        assert not any("X-Vault-Index" in each for each in at.server.headers)


async def test_a_server_that_is_behind_passes_on_what_both_switches_ask_for():
    async with scene() as at:
        store = await at.store(readYourWrites=True, forwardInconsistent=True)
        await store.check()
        assert {each["X-Vault-Inconsistent"] for each in at.server.headers} == {"forward-active-node"}
