import pytest

from plumbline.kube.names import Ref
from plumbline.ownership import Claim, ClusterObject, External, Owner, Source, Unnamed
from plumbline.ownership.values import FAMILIES
from plumbline.ownership.wording import claim_json, resource_json, way_out

WEB = ClusterObject(Ref("apps", "Deployment", "shop", "web"))


@pytest.mark.parametrize("engine", FAMILIES)
def test_every_owner_is_told_how_to_let_go(engine):
    assert way_out(Claim(WEB, Owner(engine, "x")))
    assert str(Owner(engine, "x")).endswith(" x")


def test_a_claim_for_programs_says_what_is_known_and_no_more():
    claim = Claim(External("aws_vpc", "v", "r", "1"), Owner("person", "anna"), since="2026-01-01T00:00:00Z")
    assert claim_json(claim) == {
        "resource": {"external": "aws_vpc", "id": "v", "region": "r", "account": "1"},
        "owner": {"engine": "person", "name": "anna"},
        "strength": "declared",
        "source": {},
        "since": "2026-01-01T00:00:00Z",
    }
    assert claim_json(Claim(WEB, claim.owner, Source(object=WEB)))["source"] == {"object": "Deployment.apps/shop/web"}
    assert resource_json(Unnamed("aws_vpc", "a")) == {"external": "aws_vpc", "pattern": "*", "assigned": False}
