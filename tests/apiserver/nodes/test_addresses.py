from ipaddress import IPv4Network

from plumbline.apiserver.nodes import Capacity, NodeSettings
from plumbline.apiserver.nodes.addresses import AddressPool
from plumbline.apiserver.nodes.machines.fleet import pod_network


def test_addresses_are_handed_out_in_turn_and_not_reused_at_once():
    pool = AddressPool(IPv4Network("10.0.0.0/29"))
    assert [pool.take(holder) for holder in "abc"] == ["10.0.0.2", "10.0.0.3", "10.0.0.4"]
    pool.give_back("a")
    assert pool.take("d") == "10.0.0.5"
    assert pool.take("b") == "10.0.0.3", "the same holder keeps its address"


def test_a_full_pool_gives_nothing_until_somebody_leaves():
    pool = AddressPool(IPv4Network("10.0.0.0/29"))
    held = [pool.take(holder) for holder in range(5)]
    assert "" not in held
    assert not pool.take("late")
    pool.give_back(3)
    assert pool.take("late") == held[3]


def test_an_address_that_somebody_has_already_is_respected():
    pool = AddressPool(IPv4Network("10.0.0.0/29"))
    pool.hold("old", "10.0.0.2")
    assert pool.take("new") == "10.0.0.3"
    pool.hold("other", "10.0.0.2")
    assert pool.take("old") == "10.0.0.4", "an address has one holder"


def test_every_node_has_a_network_of_its_own_with_room_for_its_pods():
    small, large = NodeSettings(), NodeSettings(capacity=Capacity(pods=1000))
    assert str(pod_network(small, 0)) == "10.244.0.0/24"
    assert str(pod_network(small, 1)) == "10.244.1.0/24"
    assert pod_network(large, 0).num_addresses >= 2000
    assert not pod_network(large, 0).overlaps(pod_network(large, 1))
