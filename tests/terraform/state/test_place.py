"""Names are upstream's; what the tools would not take, or lose a state over, is refused before anything runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.terraform.state.place import Place, refuse_unfit, strays


def test_names_are_those_that_the_tools_use():
    place = Place("shop", "staging", "network", (("team", "platform"),))
    assert place.secret.path == "/api/v1/namespaces/shop/secrets/tfstate-staging-network"
    assert place.lease.path == "/apis/coordination.k8s.io/v1/namespaces/shop/leases/lock-tfstate-staging-network"
    assert [place.part(number) for number in (0, 1, 12)] == [
        "tfstate-staging-network",
        "tfstate-staging-network-part-1",
        "tfstate-staging-network-part-12",
    ]
    assert place.labels == {
        "tfstate": "true",
        "tfstateSecretSuffix": "network",
        "tfstateWorkspace": "staging",
        "app.kubernetes.io/managed-by": "terraform",
        "team": "platform",
    }
    assert place.selector == "tfstate=true,tfstateSecretSuffix=network,tfstateWorkspace=staging"
    assert str(place) == "shop/tfstate-staging-network"


@given(st.integers(0, 64))
def test_a_part_is_known_by_its_name(number):
    place = Place("shop", "default", "network")
    assert place.number(place.part(number)) == number


@pytest.mark.parametrize(
    "name", ["tfstate-default-networks", "tfstate-default", "tfstate-default-network-part-0", "tfstate-default-network-1",
             "tfstate-default-network-part-01", "tfstate-default-network-part-99999", "x-part-1"]
)  # fmt: skip
def test_other_secrets_are_no_part(name):
    assert Place("shop", "default", "network").number(name) is None


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("", "default", "network"), "no namespace"),
        (("..", "default", "network"), "a namespace that leads elsewhere"),
        (("shop", "", "network"), "no workspace"),
        (("shop", "a/b", "network"), "a workspace that Kubernetes has no name for"),
        (("shop", "Default", "network"), "capitals are for no Secret"),
        (("shop", "default", ""), "no suffix"),
        (("shop", "default", "n" * 64), "a suffix that is no label"),
        (("shop", "default", "..", ()), "a suffix that leads elsewhere"),
        (("shop", "default", "network", (("tfstate", "false"),)), "labels by which the state is found"),
        (("shop", "default", "network", (("team", "a b"),)), "a label that Kubernetes refuses"),
    ],
)
def test_names_that_cannot_be_are_refused(names, why):
    with pytest.raises(InvalidInput) as refused:
        Place(*names)
    assert refused.value.hint, why


@pytest.mark.parametrize(
    ("suffix", "tool", "version", "fits"),
    [
        ("network", "terraform", "1.11.4", True),
        ("network-1", "terraform", "1.11.4", False),
        ("network-1", "terraform", "1.10.0-beta1", False),
        ("network-007", "terraform", "1.12", False),
        ("network-1", "terraform", "1.9.8", False),
        ("network-1", "terraform", "1.5.7", True),
        ("network-1", "tofu", "1.12.6", True),
        ("network1", "terraform", "1.11.4", True),
        ("42", "terraform", "1.11.4", False),
        ("network-20260101120000000000000", "terraform", "1.11.4", True),
    ],
)
def test_a_number_at_the_end_is_for_terraform_that_of_a_part(suffix, tool, version, fits):
    place = Place("shop", "default", suffix)
    if fits:
        refuse_unfit(place, tool, version)
    else:
        with pytest.raises(InvalidInput) as refused:
            refuse_unfit(place, tool, version)
        assert f"{suffix}-state" in refused.value.hint


def test_two_pairs_of_names_that_make_one_name_are_told_apart_by_labels():
    place, other = Place("shop", "a", "b-c"), Place("shop", "a-b", "c")
    assert place.name == other.name
    assert strays(place, other.labels) == "workspace a-b with suffix c"
    assert strays(place, place.labels) == strays(place, {}) == ""
