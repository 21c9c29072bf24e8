"""Addresses and ports of Services: nobody gets what somebody has, and nothing that was not stored stays taken."""

import asyncio
import ipaddress
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.access.identity import Identity
from plumbline.apiserver.allocation.allocating import ServiceAllocator, ServiceNetwork
from plumbline.apiserver.allocation.pools import Band, address_band, port_band
from plumbline.apiserver.models.builtin import BuiltinModel
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.storage.encoding import under_revision
from plumbline.apiserver.storage.store import Store
from plumbline.base.clock import VirtualClock
from plumbline.base.errors import RequestRefused
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject

ADMIN = Identity("admin")
RESOURCE = next(each for each in builtin_resources() if each.plural == "services")
MODEL = BuiltinModel(RESOURCE)
SMALL = ServiceNetwork((ipaddress.ip_network("10.0.0.0/29"),), 30000, 30003)
DUAL = ServiceNetwork((ipaddress.ip_network("10.0.0.0/24"), ipaddress.ip_network("fd00::/112")))


class Scene:
    """A store with an allocator, and the shortest way to put Services through both."""

    def __init__(self, network: ServiceNetwork | None = None) -> None:
        self.store = Store(VirtualClock())
        self.allocator = ServiceAllocator(self.store, Ids(1), network)

    def held(self, name: str, old: JsonObject | None = None, *, dry_run: bool = False, **spec: object):
        obj = MODEL.read({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec})
        scope = Scope(MODEL, ADMIN, "default", name, dry_run=dry_run)
        return self.allocator.held(scope, obj, old)

    def created(self, name: str, **spec: object) -> JsonObject:
        return asyncio.run(self._created(name, spec))

    async def _created(self, name: str, spec: JsonObject) -> JsonObject:
        with self.held(name, **spec) as obj:
            await self.store.put(Scope(MODEL, ADMIN, "default", name).key(), None, under_revision(obj))
        return obj

    def deleted(self, name: str, obj: JsonObject) -> None:
        entry = self.store.head(Scope(MODEL, ADMIN, "default", name).key())
        asyncio.run(self.store.remove(entry.key, entry, under_revision(obj)))


@pytest.fixture
def scene() -> Scene:
    return Scene(SMALL)


PORT = [{"port": 80}]


def test_two_writes_on_their_way_never_get_the_same(scene: Scene) -> None:
    with ExitStack() as both:
        first = both.enter_context(scene.held("a", ports=PORT, type="NodePort"))
        second = both.enter_context(scene.held("b", ports=PORT, type="NodePort"))
        assert first["spec"]["clusterIP"] != second["spec"]["clusterIP"]
        assert first["spec"]["ports"][0]["nodePort"] != second["spec"]["ports"][0]["nodePort"]


def test_what_was_asked_for_is_kept_for_the_first_who_asked(scene: Scene) -> None:
    with (
        scene.held("a", ports=PORT, clusterIP="10.0.0.3"),
        pytest.raises(RequestRefused, match="already allocated"),
        scene.held("b", ports=PORT, clusterIP="10.0.0.3"),
    ):
        pass
    with scene.held("b", ports=PORT, clusterIP="10.0.0.3") as free:
        assert free["spec"]["clusterIPs"] == ["10.0.0.3"]


def test_a_write_that_fails_leaves_nothing_taken(scene: Scene) -> None:
    for _ in range(50):
        with pytest.raises(ZeroDivisionError), scene.held("a", ports=PORT, type="NodePort"):
            raise ZeroDivisionError
    assert scene.created("a", ports=PORT, type="NodePort")


def test_a_refusal_halfway_leaves_nothing_taken(scene: Scene) -> None:
    for _ in range(50):
        with (
            pytest.raises(RequestRefused, match="not in the valid range"),
            scene.held("a", type="NodePort", ports=[{"port": 1}, {"port": 2, "nodePort": 7}]),
        ):
            pass
    assert not scene.allocator._usage.addresses
    assert not scene.allocator._usage.ports


def test_a_dry_run_takes_nothing(scene: Scene) -> None:
    for _ in range(50):
        with scene.held("a", ports=PORT, type="LoadBalancer", externalTrafficPolicy="Local", dry_run=True) as shown:
            assert shown["spec"]["clusterIP"] == "10.0.0.0"
            assert [shown["spec"]["ports"][0]["nodePort"], shown["spec"]["healthCheckNodePort"]] == [32769, 32770]
    assert not scene.allocator._usage.addresses


def test_a_dry_run_sees_what_others_have(scene: Scene) -> None:
    scene.created("a", type="NodePort", ports=[{"port": 1, "nodePort": 30001}])
    with (
        pytest.raises(RequestRefused, match="already allocated"),
        scene.held("b", type="NodePort", ports=[{"port": 1, "nodePort": 30001}], dry_run=True),
    ):
        pass


def test_what_is_full_is_full_until_somebody_leaves(scene: Scene) -> None:
    made = {f"s{n}": scene.created(f"s{n}", ports=PORT) for n in range(6)}
    assert sorted(each["spec"]["clusterIP"] for each in made.values()) == [f"10.0.0.{n}" for n in range(1, 7)]
    with (
        pytest.raises(RequestRefused, match='failed to allocate a serviceIP for Service "more": range is full'),
        scene.held("more", ports=PORT),
    ):
        pass
    scene.deleted("s3", made["s3"])
    assert scene.created("more", ports=PORT)["spec"]["clusterIP"] == made["s3"]["spec"]["clusterIP"]


def test_ports_run_out_as_well(scene: Scene) -> None:
    for n in range(4):
        scene.created(f"s{n}", ports=PORT, type="NodePort")
    with (
        pytest.raises(RequestRefused, match="failed to allocate a nodePort: range is full"),
        scene.held("more", ports=PORT, type="NodePort"),
    ):
        pass


def test_what_is_stored_is_taken_after_a_restart(scene: Scene) -> None:
    scene.created(
        "a",
        clusterIP="10.0.0.3",
        type="LoadBalancer",
        externalTrafficPolicy="Local",
        healthCheckNodePort=30002,
        ports=[{"port": 1, "nodePort": 30001}],
    )
    again = ServiceAllocator(scene.store, Ids(2), SMALL)
    assert again._usage.addresses == scene.allocator._usage.addresses
    assert sorted(again._usage.ports) == [30001, 30002]


def test_a_service_that_changes_gives_back_what_it_does_not_need(scene: Scene) -> None:
    old = scene.created("a", ports=PORT, type="NodePort")
    key = Scope(MODEL, ADMIN, "default", "a").key()
    new = {**old, "spec": {"type": "ExternalName", "externalName": "x"}}
    asyncio.run(scene.store.put(key, scene.store.head(key), under_revision(new)))
    assert not scene.allocator._usage.addresses
    assert not scene.allocator._usage.ports


def test_two_families_where_the_cluster_has_two() -> None:
    scene = Scene(DUAL)
    both = scene.created("a", ports=PORT, ipFamilyPolicy="PreferDualStack")["spec"]
    assert both["ipFamilies"] == ["IPv4", "IPv6"]
    assert [ipaddress.ip_address(each).version for each in both["clusterIPs"]] == [4, 6]
    one = scene.created("b", ports=PORT)["spec"]
    assert one["ipFamilies"] == ["IPv4"]
    chosen = scene.created("c", ports=PORT, ipFamilies=["IPv6"], ipFamilyPolicy="RequireDualStack")["spec"]
    assert chosen["ipFamilies"] == ["IPv6", "IPv4"]


def test_a_second_family_comes_and_goes() -> None:
    scene = Scene(DUAL)
    old = scene.created("a", ports=PORT)
    with scene.held("a", old, ports=PORT, ipFamilyPolicy="RequireDualStack", ipFamilies=["IPv4", "IPv6"]) as wide:
        assert len(wide["spec"]["clusterIPs"]) == 2
        assert wide["spec"]["clusterIPs"][0] == old["spec"]["clusterIP"]
    with scene.held("a", wide, **{**wide["spec"], "ipFamilyPolicy": "SingleStack"}) as narrow:
        assert narrow["spec"]["clusterIPs"] == [old["spec"]["clusterIP"]]
        assert narrow["spec"]["ipFamilies"] == ["IPv4"]
    with (
        pytest.raises(RequestRefused, match="must be 'SingleStack' to release the secondary cluster IP"),
        scene.held("a", wide, **{**wide["spec"], "clusterIPs": wide["spec"]["clusterIPs"][:1]}),
    ):
        pass


WRONG_FAMILIES = [
    (
        {"clusterIPs": ["10.0.0.9", "fd00::9"], "clusterIP": "10.0.0.9"},
        "when multiple cluster IPs are specified",
        "two addresses, one family",
    ),
    ({"ipFamilies": ["IPv4", "IPv6"]}, "when multiple IP families are specified", "two families for one"),
]


@pytest.mark.parametrize(("spec", "says", "why"), WRONG_FAMILIES)
def test_families_that_contradict_each_other_are_refused(spec: JsonObject, says: str, why: str) -> None:
    with pytest.raises(RequestRefused, match=says), Scene(DUAL).held("a", ports=PORT, **spec):
        pass


def test_other_objects_pass_as_they_are(scene: Scene) -> None:
    pods = BuiltinModel(next(each for each in builtin_resources() if each.plural == "pods"))
    obj = {"spec": {}}
    with scene.allocator.held(Scope(pods, ADMIN), obj, None) as same:
        assert same is obj
    with scene.allocator.held(Scope(MODEL, ADMIN, subresource="status"), obj, None) as same:
        assert same is obj


@given(st.integers(16, 29), st.sets(st.integers(0, 300)), st.integers(0, 2**31))
def test_free_numbers_are_free_and_in_range(prefix: int, taken: set[int], seed: int) -> None:
    band = address_band(ipaddress.ip_network(f"10.0.0.0/{prefix}"))
    numbers = {band.first + each for each in taken}
    found = band.free(numbers, lambda below: seed % below)
    everything = range(band.first, band.last + 1)
    if found is None:
        assert all(number in numbers for number in everything)
    else:
        assert found in band
        assert found not in numbers


def _lower(band: Band) -> Iterator[int]:
    return iter(range(band.first, band.upper))


def test_people_choose_below_what_is_given_out() -> None:
    ports, addresses = port_band(30000, 32767), address_band(ipaddress.ip_network("10.96.0.0/16"))
    assert (len(list(_lower(ports))), len(list(_lower(addresses)))) == (86, 256)
    assert all(ports.free((), lambda below, n=n: n % below) >= ports.upper for n in range(50))
    assert port_band(1, 10) == Band(1, 1, 10), "a small range has no lower part"
