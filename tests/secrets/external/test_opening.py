"""Stores as this installation speaks them, opened for whoever asks."""

import pytest
from tests.secrets.external.scene import HOME, store

from plumbline.base.errors import InvalidInput
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.virtualtime import LoopClock
from plumbline.kernel.cache import Relevance, cached
from plumbline.kinds.externalsecrets import SECRET_STORE
from plumbline.kube.client import Client
from plumbline.secrets.external.known import known
from plumbline.secrets.external.opening import opener
from plumbline.secrets.stores.opening import Stores
from plumbline.secrets.stores.store import Remote


class NoWire:
    async def send(self, request):
        raise AssertionError("nobody is asked")

    async def close(self): ...


def opened_with(**spec):
    obj = store(**spec)
    obj["metadata"]["uid"] = "1"
    clock = LoopClock()
    stores = Stores(Client(NoWire(), clock=clock, ids=Ids(1)), None, clock)
    return opener(stores)(known(cached(encode(obj), Relevance()), SECRET_STORE), HOME)


async def test_a_store_is_opened_by_what_its_object_says():
    opened = await opened_with(provider={"fake": {"data": [{"key": "db", "value": "x"}]}})
    assert (await opened.value(Remote("db"))).reveal() == b"x"
    await opened.close()


async def test_a_store_that_is_not_spoken_here_is_refused_by_name():
    with pytest.raises(InvalidInput, match="bitwarden"):
        await opened_with(provider={"bitwarden": {}})
