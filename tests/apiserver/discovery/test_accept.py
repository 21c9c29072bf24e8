"""Accept headers, as the API server reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.discovery.accept import clauses_of

ORDERS = [
    ("", ["*/*"], "no header wants anything"),
    ("*", ["*/*"], "a lone star stands for both halves"),
    ("application/json", ["application/json"], "the plain case"),
    ("application/json, */*", ["application/json", "*/*"], "what is named comes before what is not"),
    ("*/*, application/*, application/json", ["application/json", "application/*", "*/*"], "whatever the order"),
    ("text/html;q=0.5, application/json", ["application/json", "text/html"], "weights come first"),
    ("text/html;q=0.5, */*;q=0.9", ["*/*", "text/html"], "even before precision"),
    ("application/json;q=0", ["application/json"], "a weight of zero is the least, and still accepted"),
    ("application/json;q=high", ["application/json"], "a weight that is no number is the least"),
    (";;;", [], "nonsense wants nothing"),
    ("application", [], "half a type is none"),
    ("a/b/c, application/json", ["application/json"], "a malformed clause does not spoil the others"),
    (" application / json ", ["application/json"], "spaces do not count"),
]


@pytest.mark.parametrize(("header", "wanted", "why"), ORDERS, ids=[why for _, _, why in ORDERS])
def test_clauses_come_in_the_order_of_preference(header, wanted, why):
    assert [f"{each.type}/{each.subtype}" for each in clauses_of(header)] == wanted


def test_parameters_are_kept_without_the_weight():
    (clause,) = clauses_of("application/json; g = meta.k8s.io ;v=v1;as=Table;bare;a=b=c;q=0.3")
    assert clause.parameters == {"g": "meta.k8s.io", "v": "v1", "as": "Table"}
    assert clause.weight == 0.3


MATCHES = [
    ("application/json", True, "the same"),
    ("application/*", True, "any of the kind"),
    ("*/*", True, "anything"),
    ("text/*", False, "another kind"),
    ("application/yaml", False, "another form"),
    ("Application/JSON", False, "the API server minds case"),
]


@pytest.mark.parametrize(("header", "taken", "why"), MATCHES, ids=[why for _, _, why in MATCHES])
def test_a_clause_takes_what_it_covers(header, taken, why):
    (clause,) = clauses_of(header)
    assert clause.takes("application/json") is taken


@given(st.text(max_size=60))
def test_no_header_is_too_strange(header):
    assert all(each.subtype and "/" not in each.subtype for each in clauses_of(header))
