from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import NotFound, OwnedElsewhere, Refused
from plumbline.kube.names import Ref
from plumbline.ownership import Claim, ClusterObject, External, Learned, Ledger, Owner, Source, Unnamed
from plumbline.ownership.conflicts import possible, same_thing
from plumbline.ownership.ledger import LONGEST_CHAIN, typed

WEB = ClusterObject(Ref("apps", "Deployment", "shop", "web"))
DATABASE = External("aws_db_instance", "orders", "us-east-1")
SHOP = Owner.of("application", Ref("argoproj.io", "Application", "argocd", "shop"))
CART = Owner.of("application", Ref("argoproj.io", "Application", "argocd", "cart"))
INFRA = Owner("terraform", "infra")


def claim(resource, owner, file="", line=0, strength="declared", since="", said=""):
    return Claim(resource, owner, Source(file, line, said=said), strength, since)


@pytest.fixture
def ledger():
    return Ledger()


def test_the_first_claim_holds(ledger):
    ledger.claim(claim(WEB, SHOP))
    assert ledger.owner_of(WEB) == SHOP
    assert ledger.owned_by(SHOP) == (WEB,)
    assert len(ledger) == 1


def test_a_second_owner_is_refused_naming_both_sides_and_their_places(ledger):
    ledger.claim(claim(DATABASE, INFRA, "infra/main.tf", 4, said="aws_db_instance.main"))
    with pytest.raises(OwnedElsewhere) as refused:
        ledger.claim(claim(DATABASE, SHOP, "apps/db.yaml", 9))
    error = refused.value
    assert isinstance(error, Refused)
    assert error.code == "owned-elsewhere"
    assert error.holder == ("Terraform infra", "infra/main.tf:4 (aws_db_instance.main)")
    assert error.claimant == ("Application argocd/shop", "apps/db.yaml:9")
    assert "infra/main.tf:4" in error.why
    assert "apps/db.yaml:9" in error.why
    assert "plumb own explain aws_db_instance/orders" in error.hint
    assert ledger.owner_of(DATABASE) == INFRA


def test_permission_alone_records_nothing(ledger):
    ledger.permit(claim(WEB, SHOP))
    assert len(ledger) == 0


def test_the_same_owner_may_say_it_again_elsewhere(ledger):
    ledger.claim(claim(WEB, SHOP, "a.yaml", 1))
    ledger.claim(claim(WEB, SHOP, "b.yaml", 1))
    ledger.claim(claim(WEB, SHOP, "b.yaml", 1))
    assert len(ledger.claims_on(WEB)) == 2
    assert ledger.conflicts() == ()


def test_an_account_nobody_mentioned_does_not_make_it_another_thing(ledger):
    ledger.claim(claim(External("aws_db_instance", "orders", "us-east-1", "1" * 12), INFRA))
    for vague in (DATABASE, External("aws_db_instance", "orders"), External("aws_db_instance", "orders", "", "1" * 12)):
        with pytest.raises(OwnedElsewhere):
            ledger.permit(claim(vague, SHOP))
    ledger.permit(claim(External("aws_db_instance", "orders", "eu-west-1"), SHOP))
    ledger.permit(claim(External("aws_db_instance", "orders", "us-east-1", "2" * 12), SHOP))


def test_one_of_unknown_place_stands_against_each_it_could_be(ledger):
    here, there, somewhere = (External("aws_sqs_queue", "jobs", region) for region in ("us-east-1", "eu-west-1", ""))
    ledger.record(claim(here, SHOP))
    ledger.record(claim(there, CART))
    assert ledger.conflicts() == ()
    ledger.record(claim(somewhere, INFRA))
    assert [(c.resource, {each.owner for each in c.claims}) for c in ledger.conflicts()] == [
        (there, {CART, INFRA}),
        (here, {SHOP, INFRA}),
    ]
    assert ledger.release(somewhere, INFRA)
    assert ledger.conflicts() == ()


def test_traces_never_stand_against_anybody(ledger):
    ledger.claim(claim(WEB, Owner("person", "kubectl-edit"), strength="observed"))
    ledger.claim(claim(WEB, Owner("controller", "hpa"), strength="observed"))
    assert ledger.owner_of(WEB) is None
    ledger.claim(claim(WEB, SHOP))
    assert ledger.owner_of(WEB) == SHOP
    ledger.permit(claim(WEB, Owner("person", "anna"), strength="observed"))
    assert ledger.conflicts() == ()
    assert ledger.release(WEB, SHOP)
    assert len(ledger.claims_on(WEB)) == 2


def test_things_without_a_known_id_collide_with_nothing(ledger):
    ledger.claim(claim(Unnamed("aws_vpc", "aws_vpc.a"), INFRA))
    ledger.claim(claim(Unnamed("aws_vpc", "aws_vpc.a"), SHOP))
    assert ledger.conflicts() == ()


def test_whoever_has_it_longest_is_the_owner_while_it_is_contested(ledger):
    ledger.record(claim(WEB, SHOP, since="2026-02-01T00:00:00Z"))
    ledger.record(claim(WEB, CART, since="2026-01-01T00:00:00Z"))
    ledger.record(claim(WEB, INFRA))
    assert ledger.owner_of(WEB) == CART
    (conflict,) = ledger.conflicts()
    assert conflict.resource == WEB
    assert {each.owner for each in conflict.claims} == {SHOP, CART, INFRA}


def test_what_is_released_can_be_claimed_by_others(ledger):
    ledger.claim(claim(WEB, SHOP))
    assert ledger.release(WEB, SHOP)
    assert not ledger.release(WEB, SHOP)
    ledger.claim(claim(WEB, CART))
    assert ledger.owner_of(WEB) == CART
    assert ledger.owned_by(SHOP) == ()
    assert ledger.owners() == (CART,)


def test_handing_over_takes_it_from_the_one_and_gives_it_to_the_other(ledger):
    exact = External("aws_db_instance", "orders", "us-east-1", "1" * 12)
    ledger.claim(claim(exact, INFRA, "main.tf", 1))
    ledger.claim(claim(DATABASE, INFRA, "old.tf", 1))
    ledger.transfer(DATABASE, INFRA, claim(exact, SHOP))
    assert ledger.owner_of(exact) == ledger.owner_of(DATABASE) == SHOP
    assert ledger.owned_by(INFRA) == ()


def test_only_the_owner_can_hand_over(ledger):
    with pytest.raises(NotFound):
        ledger.transfer(WEB, SHOP, claim(WEB, CART))
    ledger.claim(claim(WEB, SHOP))
    with pytest.raises(OwnedElsewhere):
        ledger.transfer(WEB, CART, claim(WEB, INFRA))
    ledger.record(claim(WEB, INFRA))
    with pytest.raises(OwnedElsewhere):
        ledger.transfer(WEB, SHOP, claim(WEB, CART))
    assert {each.owner for each in ledger.claims_on(WEB)} == {SHOP, INFRA}


def test_a_child_has_the_owner_at_the_end_of_its_chain(ledger):
    pod, replicas = (
        ClusterObject(Ref(group, kind, "shop", "web-1")) for group, kind in (("", "Pod"), ("apps", "ReplicaSet"))
    )
    parent = Owner.of("application", Ref("argoproj.io", "Application", "argocd", "everything"))
    ledger.replace(pod, Learned(parents=((pod, replicas),)))
    ledger.replace(replicas, Learned(parents=((replicas, WEB),)))
    ledger.replace(WEB, Learned((claim(WEB, SHOP),)))
    ledger.replace(SHOP.object, Learned((claim(SHOP.object, parent),)))
    assert ledger.owner_of(pod) is None
    assert ledger.root_of(pod) == parent
    assert [link.resource for link in ledger.chain(pod)] == [pod, replicas, WEB, SHOP.object, parent.object]
    assert pod not in set(ledger.resources())
    assert ledger.root_of(ClusterObject(Ref("", "Pod", "shop", "unheard-of"))) is None


def test_a_loop_of_owners_ends(ledger):
    one, other = SHOP.object, CART.object
    ledger.record(claim(one, CART))
    ledger.record(claim(other, SHOP))
    assert [link.resource for link in ledger.chain(one)] == [one, other]
    many = [ClusterObject(Ref("", "Thing", "", str(at))) for at in range(LONGEST_CHAIN * 2)]
    for child, parent in pairwise(many):
        ledger.replace(child, Learned(parents=((child, parent),)))
    assert len(ledger.chain(many[0])) == LONGEST_CHAIN


def test_what_an_object_says_now_replaces_what_it_said_before(ledger):
    ledger.replace(WEB, Learned((claim(WEB, SHOP), claim(DATABASE, SHOP)), ((WEB, SHOP.object),)))
    ledger.replace(WEB, Learned((claim(WEB, CART),)))
    assert ledger.owner_of(WEB) == CART
    assert ledger.owner_of(DATABASE) is None
    assert ledger.parent_of(WEB) is None
    assert ledger.parent_of(DATABASE) is None
    ledger.replace(WEB, Learned())
    assert (len(ledger), ledger.owners()) == (0, ())


def test_saying_the_same_again_changes_nothing(ledger):
    learned = Learned((claim(WEB, SHOP),), ((WEB, SHOP.object),))
    ledger.replace(WEB, learned)
    ledger.replace(WEB, learned)
    assert ledger.owner_of(WEB) == SHOP
    assert ledger.parent_of(WEB) == SHOP.object


def test_resources_print_as_people_type_them():
    assert typed(WEB) == "Deployment.apps/shop/web"
    assert typed(DATABASE) == "aws_db_instance/orders"
    assert typed(Unnamed("aws_vpc", "x")) == "aws_vpc"
    assert str(ClusterObject(WEB.ref, "prod")) == "Deployment.apps/shop/web on prod"


def test_places_say_as_much_as_is_known():
    assert Source("a.tf", 3, commit="0123456789abcdef").place == "a.tf:3 at 0123456789"
    assert Source("a.tf").place == "a.tf"
    assert Source(object=WEB).place == "Deployment.apps/shop/web"
    assert Source().place == "somewhere unknown"


def test_a_name_known_in_part_is_a_hint_and_no_conflict():
    vague = claim(Unnamed("aws_db_instance", "template", "team-*"), SHOP, "c.yaml", 3)
    same_owner = claim(External("aws_db_instance", "team-x"), SHOP)
    other = claim(External("aws_db_instance", "team-a"), INFRA, "main.tf", 1)
    unlike = claim(External("aws_db_instance", "orders"), INFRA)
    hollow = claim(Unnamed("aws_db_instance", "t", "*"), CART)
    assigned = claim(Unnamed("aws_db_instance", "t", "team-*", assigned=True), CART)
    guess = claim(External("aws_db_instance", "team-b"), CART, strength="observed")
    assert possible([vague, same_owner, other, unlike, hollow, assigned, guess]) == [(vague, (other,))]


def test_equal_names_of_types_that_nobody_knows_are_a_hint():
    one, other = claim(Unnamed("aws_odd", "a", "x"), INFRA), claim(Unnamed("aws_odd", "b", "x"), SHOP)
    assert [each.claim for each in possible([one, other])] == [other, one]


def test_an_id_in_more_places_than_anybody_reads_is_reported_in_some():
    ledger = Ledger()
    for number in range(300):
        place = External("aws_sqs_queue", "jobs", "us-east-1", f"{number:012}")
        ledger.record(claim(place, SHOP))
        ledger.record(claim(place, CART))
    assert len(ledger.conflicts()) == 100


OWNERS = st.sampled_from([SHOP, CART, INFRA])
PLACES = st.sampled_from(["", "1", "2"])
RESOURCES = st.one_of(
    st.sampled_from([WEB, ClusterObject(Ref("", "ConfigMap", "shop", "web"))]),
    st.builds(External, st.just("aws_sqs_queue"), st.sampled_from(["a", "b"]), PLACES, PLACES),
    st.just(Unnamed("aws_vpc", "x")),
)
CLAIMS = st.builds(
    claim,
    RESOURCES,
    OWNERS,
    st.sampled_from(["", "a.yaml", "b.tf"]),
    st.integers(0, 2),
    st.sampled_from(["declared", "observed"]),
    st.sampled_from(["", "2026-01-01", "2026-02-01"]),
)


@given(st.lists(CLAIMS, max_size=12), st.randoms(use_true_random=False))
def test_reports_do_not_depend_on_who_came_first(claims, random):
    one, other = Ledger(), Ledger()
    shuffled = random.sample(claims, len(claims))
    for first, second in zip(claims, shuffled, strict=True):
        one.record(first)
        other.record(second)
    assert one.conflicts() == other.conflicts()
    for resource in one.resources():
        assert one.owner_of(resource) == other.owner_of(resource)
        assert one.claims_on(resource) == other.claims_on(resource)


@given(st.lists(CLAIMS, max_size=12))
def test_there_is_a_conflict_exactly_where_two_owners_claim_what_may_be_one_thing(claims):
    ledger = Ledger()
    for each in claims:
        ledger.record(each)
    against = {
        frozenset((one, other))
        for one in claims
        for other in claims
        if "observed" not in {one.strength, other.strength}
        and one.owner != other.owner
        and _same(one.resource, other.resource)
    }
    found = {
        frozenset((one, other))
        for conflict in ledger.conflicts()
        for one in conflict.claims
        for other in conflict.claims
    }
    assert against <= found
    assert bool(against) == bool(ledger.conflicts())


def _same(one, other):
    if isinstance(one, External) and isinstance(other, External):
        return same_thing(one, other)
    return one == other and not isinstance(one, Unnamed)


ORIGINS = st.sampled_from(["one", "two", "three"])
STEPS = st.lists(st.tuples(ORIGINS, st.lists(CLAIMS, max_size=4)), max_size=10)


@given(STEPS)
def test_a_ledger_fed_step_by_step_is_the_one_that_the_last_state_gives(steps):
    fed, said = Ledger(), {}
    for origin, claims in steps:
        # Each origin speaks in its own name, as objects and files do.
        own = tuple(Claim(c.resource, c.owner, Source(origin, c.source.line), c.strength, c.since) for c in claims)
        fed.replace(origin, Learned(own))
        said[origin] = own
    fresh = Ledger()
    for claims in said.values():
        for each in claims:
            fresh.record(each)
    assert set(fed.claims()) == set(fresh.claims())
    assert fed.conflicts() == fresh.conflicts()
    assert fed.owners() == fresh.owners()
    assert {owner: fed.owned_by(owner) for owner in fed.owners()} == {
        owner: fresh.owned_by(owner) for owner in fresh.owners()
    }
    for origin in said:
        fed.replace(origin, Learned())
    assert (len(fed), fed.owners(), fed.conflicts()) == (0, (), ())
    assert not fed._kin
    assert not fed._crowded
