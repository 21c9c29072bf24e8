"""Where an answer may send us."""

import socket

import pytest

from plumbline.source import reach
from plumbline.source.reach import OutOfReachError, Reach, zone


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", "public"),
        ("2606:4700::1", "public"),
        ("10.0.0.1", "private"),
        ("192.168.1.1", "private"),
        ("100.64.0.1", "private"),
        ("fd00::1", "private"),
        ("127.0.0.1", "loopback"),
        ("::1", "loopback"),
        ("::ffff:127.0.0.1", "loopback"),
        ("64:ff9b::7f00:1", "loopback"),
        ("2002:7f00:1::", "loopback"),
        ("169.254.169.254", "never"),
        ("::ffff:169.254.169.254", "never"),
        ("64:ff9b::a9fe:a9fe", "never"),
        ("fe80::1%eth0", "never"),
        ("0.0.0.0", "never"),  # noqa: S104 - nothing is bound
        ("224.0.0.1", "never"),
    ],
)
def test_addresses_have_a_zone(address, expected):
    assert zone(address) == expected


class Names:
    def __init__(self, names):
        self.names = names

    async def resolve(self, host, port=0, family=socket.AF_INET):
        return [{"host": address} for address in self.names[host]]

    async def close(self):
        pass


def _reach(own, names):
    made = Reach(own)
    made._resolver = Names(names)
    return made


async def test_the_repository_itself_may_stand_anywhere():
    assert await _reach("charts.internal", {"charts.internal": ["10.0.0.1"]}).resolve("charts.internal")


@pytest.mark.parametrize(
    ("own", "other", "allowed"),
    [
        ("93.184.216.34", ["1.1.1.1"], ["1.1.1.1"]),
        ("93.184.216.34", ["10.0.0.1"], []),
        ("93.184.216.34", ["10.0.0.1", "1.1.1.1"], ["1.1.1.1"]),
        ("10.0.0.1", ["10.9.9.9"], ["10.9.9.9"]),
        ("10.0.0.1", ["127.0.0.1"], []),
        ("127.0.0.1", ["127.0.0.1"], ["127.0.0.1"]),
        ("169.254.1.1", ["169.254.169.254"], []),
    ],
)
async def test_others_stand_in_public_or_beside_it(own, other, allowed):
    made = _reach(own, {"other.example": other})
    if not allowed:
        with pytest.raises(OutOfReachError):
            await made.permits("other.example")
        return
    assert [each["host"] for each in await made.resolve("other.example")] == allowed


async def test_where_nobody_knows_the_repository_only_the_public_is_reached(monkeypatch):
    made = _reach("nowhere.invalid", {})
    assert await made._allowed() == {"public"}
    with pytest.raises(OutOfReachError):
        await made.check("10.0.0.1")
    await made.check("1.1.1.1")
    assert reach.literal("name.example") == ""
